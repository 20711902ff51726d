// What lies on the felt of one seat: what is registered, what is on its way there, and what is on its way back.

import type { Box, Cents, PublicView, SeatView, Stake } from '../protocol/messages';

/** Chips that the house has not answered for. */
export interface Moving {
  id: number;
  stakes: Stake[];
  /** Whether they are placed, or withdrawn. */
  isPlaced: boolean;
}

/** What lies on one box. */
export interface Lying {
  registered: Cents;
  pending: Cents;
  leaving: Cents;
}

/** What lies on each box. A box on which the same lies as `before` keeps what it had, so that nobody looks at it again. */
export function lying(bets: readonly Stake[], moving: readonly Moving[], before?: Map<Box, Lying>): Map<Box, Lying> {
  const boxes = new Map<Box, Lying>();
  const at = (box: Box) => {
    const present = boxes.get(box) ?? { registered: 0, pending: 0, leaving: 0 };
    boxes.set(box, present);
    return present;
  };
  for (const { box, amount } of bets) at(box).registered += amount;
  for (const { stakes, isPlaced } of moving) {
    for (const { box, amount } of stakes) {
      if (isPlaced) at(box).pending += amount;
      else at(box).leaving += amount;
    }
  }
  for (const [box, present] of boxes) {
    const past = before?.get(box);
    if (past && past.registered === present.registered && past.pending === present.pending && past.leaving === present.leaving) boxes.set(box, past);
  }
  return boxes;
}

/** Registered stakes by box. */
export function registered(seat: SeatView | null): Stake[] {
  const boxes = lying(seat?.bets ?? [], []);
  return [...boxes].map(([box, { registered: amount }]) => ({ box, amount }));
}

export function total(stakes: readonly Stake[]): Cents {
  return stakes.reduce((sum, { amount }) => sum + amount, 0);
}

/** What lies on the boxes of these stakes once they and all that is on its way are placed. */
export function withAll(seat: SeatView | null, moving: readonly Moving[], stakes: readonly Stake[]): Stake[] {
  const lies = lying(seat?.bets ?? [], moving.filter(({ isPlaced }) => isPlaced));
  return stakes.map(({ box, amount }) => {
    const { registered, pending } = lies.get(box) ?? { registered: 0, pending: 0 };
    return { box, amount: registered + pending + amount };
  });
}

/** Whether the house holds at least so much of a round: it lies there, or lay there when the round was over. */
export function holds({ seat, table }: { seat: SeatView | null; table: PublicView | null }, round: number, stakes: readonly Stake[]): boolean {
  const isOn = table?.round === round && table.phase !== 'settled' && table.phase !== 'void';
  const lines = seat?.last?.round === round ? seat.last.lines.map(({ box, staked }) => ({ box, amount: staked })) : [];
  const held = [...(isOn ? registered(seat) : []), ...lines];
  return stakes.every(({ box, amount }) => held.some((lies) => lies.box === box && lies.amount >= amount));
}
