// Bets that the Dealer enters at a live table: whose chips lie on which box, and what a touch removes.

import type { BetView, Box, Cents } from '../protocol/messages';
import type { Moving } from './bets';

/** A seat of the table. */
export interface SeatPlace {
  cluster: number;
  seat: number;
}

/** Bets of a seat that are entered, or taken off. */
export interface Entered extends SeatPlace {
  chips: BetView['chips'];
  stakes: { box: Box; amount: Cents }[];
}

/** An entry without a reply yet. */
export interface Sent extends Entered {
  isPlaced: boolean;
}

export const isAt = (one: SeatPlace, other: SeatPlace) => one.cluster === other.cluster && one.seat === other.seat;

/** The pending chips of a seat. */
export function movingOf(sent: readonly Sent[], seat: SeatPlace): Omit<Moving, 'id'>[] {
  return sent.filter((one) => isAt(one, seat)).map(({ stakes, isPlaced }) => ({ stakes, isPlaced }));
}

/** The chips of other seats by box. */
export function othersOf(totals: ReadonlyMap<Box, Cents>, own: readonly { box: Box; amount: Cents }[]): Map<Box, Cents> {
  const others = new Map(totals);
  for (const { box, amount } of own) others.set(box, (others.get(box) ?? 0) - amount);
  return new Map([...others].filter(([, amount]) => amount > 0));
}

/** What a touch removes from a box: a chip, or less if less lies there, or all. Own chips go before Colour Chips. */
export function takenOff(bets: readonly BetView[], box: Box, chip: Cents | 'all'): Pick<Entered, 'chips' | 'stakes'>[] {
  let left = chip === 'all' ? Infinity : chip;
  return (['own', 'colour'] as const).flatMap((chips) => {
    const lies = bets.filter((bet) => bet.box === box && bet.chips === chips).reduce((sum, { amount }) => sum + amount, 0);
    const amount = Math.min(left, lies);
    left -= amount;
    return amount > 0 ? [{ chips, stakes: [{ box, amount }] }] : [];
  });
}

/** The entries without what was removed since, so that undo does not remove it twice. */
export function lessTaken(entered: readonly Entered[], { stakes, ...off }: Entered): Entered[] {
  let rest: readonly Entered[] = entered;
  for (const { box, amount } of stakes) {
    let left = amount;
    const kept = rest.toReversed().map((one) => {
      if (!isAt(one, off) || one.chips !== off.chips) return one;
      return {
        ...one,
        stakes: one.stakes.flatMap((stake) => {
          const taken = stake.box === box ? Math.min(left, stake.amount) : 0;
          left -= taken;
          return stake.amount > taken ? [{ box: stake.box, amount: stake.amount - taken }] : [];
        }),
      };
    });
    rest = kept.toReversed().filter((one) => one.stakes.length > 0);
  }
  return [...rest];
}

const MAX_TYPED_DIGITS = 7;

/** An amount in whole money as it is typed, digit by digit. */
export function typedOn(typed: string, key: string): string {
  if (key === 'Backspace') return typed.slice(0, -1);
  if (!/^\d$/.test(key) || (typed === '' && key === '0') || typed.length === MAX_TYPED_DIGITS) return typed;
  return typed + key;
}
