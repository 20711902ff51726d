// Tables and seats to begin a test with.

import type { Box, PublicView, SeatView, Snapshot } from '../../src/protocol/messages';

export function table(change: Partial<PublicView> = {}): PublicView {
  return {
    number: 0, table: 1, game: 'sic-bo-etg', layout: 'A', is_training: false, is_game_approved: true, round: 12, phase: 'open', closes_at: null, closure_announced: false,
    is_held: false, is_interrupted: false, registration: 'every-bet', is_registering: false, tumbles: null, dealer: null, limits: null, latest: null, results: [], ...change,
  };
}

export function seat(change: Partial<SeatView> = {}): SeatView {
  const meters = { bought_in: 0, bet: 0, won: 0, returned: 0, dispensed: 0, owed: 0, rounds: 0, voids: 0 };
  return { number: 0, seat: 3, session: 7, credits: 10_000, on_layout: 0, bets: [], is_locked: false, meters, ...change };
}

export function snapshot(publicView = table(), seatView = seat(), time = 1_000): { snapshot: Snapshot } {
  return { snapshot: { time, source: 40, public: publicView, seat: seatView } };
}

export const bet = (box: Box, amount: number) => ({ box, amount, chips: 'own' as const });
