// The chips of one seat on the felt: registered, pending and being withdrawn.

import type { Box, Cents, PublicView, SeatView, Stake } from '../protocol/messages';

/** Chips of a command without a reply. */
export interface Moving {
  id: number;
  stakes: Stake[];
  /** Whether they are placed, or withdrawn. */
  isPlaced: boolean;
}

export interface BoxChips {
  registered: Cents;
  pending: Cents;
  withdrawing: Cents;
}

/** Chips by box. A box that did not change keeps its object from `before`, so that it is not drawn again. */
export function chipsByBox(bets: readonly Stake[], moving: readonly Pick<Moving, 'stakes' | 'isPlaced'>[], before?: Map<Box, BoxChips>): Map<Box, BoxChips> {
  const boxes = new Map<Box, BoxChips>();
  const at = (box: Box) => {
    const present = boxes.get(box) ?? { registered: 0, pending: 0, withdrawing: 0 };
    boxes.set(box, present);
    return present;
  };
  for (const { box, amount } of bets) at(box).registered += amount;
  for (const { stakes, isPlaced } of moving) {
    for (const { box, amount } of stakes) {
      if (isPlaced) at(box).pending += amount;
      else at(box).withdrawing += amount;
    }
  }
  for (const [box, present] of boxes) {
    const past = before?.get(box);
    if (past && past.registered === present.registered && past.pending === present.pending && past.withdrawing === present.withdrawing) boxes.set(box, past);
  }
  return boxes;
}

/** Registered stakes by box. */
export function registered(seat: SeatView | null): Stake[] {
  return coming(seat, []);
}

export function total(stakes: readonly Stake[]): Cents {
  return stakes.reduce((sum, { amount }) => sum + amount, 0);
}

/** The chips once all pending commands are carried out. */
export function coming(seat: SeatView | null, moving: readonly Pick<Moving, 'stakes' | 'isPlaced'>[]): Stake[] {
  const boxes = chipsByBox(seat?.bets ?? [], moving);
  return [...boxes].map(([box, { registered, pending, withdrawing }]) => ({ box, amount: registered + pending - withdrawing })).filter(({ amount }) => amount > 0);
}

/** A command without a reply, and the chips on its boxes if it is carried out. */
interface Unanswered extends Moving {
  round: number;
  expected: readonly Stake[];
}

/** Whether a command without a reply was carried out, judging by the chips: those on the boxes now, or at the end of its round. Later
 * commands may have been carried out too and have moved chips. */
export function isSeen({ seat, table }: { seat: SeatView | null; table: PublicView | null }, { id, round, expected, isPlaced }: Unanswered, unanswered: readonly Unanswered[]): boolean {
  const isOn = table?.round === round && table.phase !== 'settled' && table.phase !== 'void';
  const lines = seat?.last?.round === round ? seat.last.lines.map(({ box, staked }) => ({ box, amount: staked })) : [];
  const held = [...(isOn ? registered(seat) : []), ...lines];
  const lies = (box: Box) => Math.max(0, ...held.filter((one) => one.box === box).map(({ amount }) => amount));
  const contrary = unanswered.filter((later) => later.id > id && later.isPlaced !== isPlaced).flatMap(({ stakes }) => stakes);
  const later = (box: Box) => total(contrary.filter((one) => one.box === box));
  return expected.every(({ box, amount }) => (isPlaced ? lies(box) >= amount - later(box) : lies(box) <= amount + later(box)));
}
