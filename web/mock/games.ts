// The games of a seat, as the record of the mock server would have them.

import type { GameLine, LastGame, SeatView } from '../src/protocol/messages';

/** The game that has come out for a seat, which still has its bets. */
export function gameOf(seat: SeatView, { round, dice, void: reason, lines, paid }: LastGame, after: number, now: number): GameLine {
  const returned = reason ? seat.on_layout : 0;
  return {
    round, session: seat.session ?? 0, opened_at: now - 60_000, settled_at: now, credits_before: seat.credits + seat.on_layout, credits_after: after, corrected: 0, bought_in: 0, cashed_out: 0, staked: seat.on_layout, first_paid: paid,
    first_returned: returned, paid, returned, dice: dice ?? null, first_dice: dice ?? null, void: reason ?? null,
    bets: lines.map(({ box, staked, counted, paid }) => ({
      box, chips: 'own', stake: staked, counted, paid, returned: reason ? staked : 0, odds: null, paragraph: reason ? '5.9' : '4.1', outcome: reason ? 'void' : paid > 0 ? 'won' : 'lost',
    })),
  };
}
