// Which bets a live table of the mock server returns as excess: the last seat's first, which is enough for the screens.

import type { Box, SeatView, StaffView, TableLimits } from '../src/protocol/messages';
import { balances } from '../src/state/excess';
import { limitOf } from '../src/state/limits';

/** The boxes whose total is below the minimum, with the bets on them (5.2). */
export function belowOf(seats: SeatView[], totals: Map<Box, number>, limits: TableLimits | null | undefined): StaffView['below'] {
  return [...totals].flatMap(([box, total]) => {
    const minimum = limitOf(limits, box).min ?? 0;
    const bets = seats.flatMap(({ seat, bets }) => bets.filter((bet) => bet.box === box).map(({ chips, amount }) => ({ seat, chips, amount })));
    return total > 0 && total < minimum ? [{ box, total, minimum, bets }] : [];
  });
}

export function excessOf(seats: SeatView[], totals: Map<Box, number>, limits: TableLimits | null | undefined, boxes: Box[]): StaffView['excess'] {
  return balances(totals, limits, boxes).flatMap(({ left, right, leftTotal, rightTotal, over }) => {
    const box = leftTotal > rightTotal ? left : right;
    let rest = over;
    const bets = seats.toReversed().flatMap(({ seat, bets }) => bets.filter((bet) => bet.box === box).map(({ chips, amount }) => ({ seat, chips, amount })));
    return bets.flatMap(({ seat, chips, amount: bet }) => {
      const amount = Math.min(rest, bet);
      rest -= amount;
      return amount > 0 ? [{ seat, chips, stake: { box, amount } }] : [];
    });
  });
}
