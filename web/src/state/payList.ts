// The pay list of a live table, seat by seat. The server computed it; this only orders it.

import { shownOdds } from '../felt/odds';
import type { Box, Cents, Dice, LayoutView, PayLine, PayList, RoundSheet } from '../protocol/messages';

/** The payment of a seat. A winning stake stays on the layout; the Dealer pays beside it. */
export interface SeatPay {
  seat: number;
  /** The bets that won, or of which something is handed back. */
  lines: (PayLine & { pay: Cents })[];
  /** What the House pays. */
  pay: Cents;
  /** The winning stakes, which stay on the layout. */
  stakes: Cents;
  /** What is returned of bets that did not count (5.1.1, 5.12). */
  returned: Cents;
  lost: Cents;
  /** The player walked away (5.3): everything becomes a claim. */
  isClaim: boolean;
  /** All that the seat gets, stakes included. */
  due: Cents;
  /** What the seat was given when ticked off. */
  given: Cents | null;
  /** What the House owes it since a correction or void; negative if too much was given. */
  atHouse: Cents;
  left: Cents;
  isDone: boolean;
}

const sum = <T>(all: readonly T[], of: (one: T) => Cents) => all.reduce((total, one) => total + of(one), 0);

/** The seats that get something, or were given something, in order. */
export function seatsPaid({ lines, ticked_off }: Pick<PayList, 'lines' | 'ticked_off'>): SeatPay[] {
  const seats = [...new Set(lines.map(({ seat }) => seat))].sort((one, other) => one - other);
  return seats
    .map((seat): SeatPay => {
      const own = lines.filter((line) => line.seat === seat).map((line) => ({ ...line, pay: line.pays > 0 ? line.pays - line.counted : 0 }));
      const [won, lost] = [own.filter(({ pays }) => pays > 0), own.filter(({ pays }) => pays === 0)];
      const due = sum(own, ({ pays, returned }) => pays + returned);
      const isClaim = own.some(({ is_claim }) => is_claim);
      const ticked = ticked_off.find((one) => one.seat === seat);
      const left = isClaim ? 0 : due - (ticked ? ticked.given + ticked.at_house : 0);
      return {
        seat,
        lines: own.filter(({ pays, returned }) => pays > 0 || returned > 0),
        pay: sum(won, ({ pay }) => pay),
        stakes: sum(won, ({ counted }) => counted),
        returned: sum(own, ({ returned }) => returned),
        lost: sum(lost, ({ counted }) => counted),
        isClaim,
        due,
        given: ticked?.given ?? null,
        atHouse: ticked?.at_house ?? 0,
        left,
        isDone: ticked !== undefined && left === 0,
      };
    })
    .filter(({ lines, given }) => lines.length > 0 || (given ?? 0) > 0);
}

/** The seats that are paid at the table: those whose player walked away are not. */
export const paidAtTable = (list: Pick<PayList, 'lines' | 'ticked_off'>) => seatsPaid(list).filter(({ isClaim }) => !isClaim);

/** An amount counted out in chips, the largest first; what no chip is small enough for is left. */
export function inChips(amount: Cents, chips: readonly Cents[]): { counted: { chip: Cents; count: number }[]; left: Cents } {
  let left = amount;
  const counted = chips.toSorted((one, other) => other - one).flatMap((chip) => {
    const count = Math.trunc(left / chip);
    left -= count * chip;
    return count > 0 ? [{ chip, count }] : [];
  });
  return { counted, left };
}

/** The pay list of an earlier round, as the record has it: by how the round stands. */
export function payListOf({ round, clusters, past }: Pick<RoundSheet, 'round' | 'clusters' | 'past'>): PayList {
  const lines = clusters.flatMap(({ changes, sheet, now, stakes }): PayLine[] => {
    const settled = changes.length > 0 ? now : sheet;
    if (!settled) return stakes.map(({ seat, box, amount }) => ({ seat, box: box as Box, chips: 'own', stake: amount, counted: 0, returned: amount, pays: 0, is_claim: false }));
    return settled.lines.map(({ seat, box, chips, stake, counted, returned, paid }) => ({ seat, box: box as Box, chips: chips as PayLine['chips'], stake, counted, returned, pays: paid, is_claim: false }));
  });
  return { round, dice: past?.void ? null : (past?.dice ?? null), is_settled: true, lines, ticked_off: [] };
}

/** The odds printed for a box that won by the dice: a single dice box has three. */
export function oddsOf({ boxes }: Pick<LayoutView, 'boxes'>, box: Box, dice: Dice): string {
  const pays = boxes.find((one) => one.box === box)?.pays ?? [];
  const face = pays.length > 1 ? Number(box.split(':')[1]) : null;
  const at = face === null ? 0 : dice.filter((die) => die === face).length - 1;
  return shownOdds(pays[at] ?? '');
}
