// What a terminal asked of the house and has no answer to.

import type { Stake } from '../protocol/messages';
import type { Letter, Verdict } from '../protocol/outbox';

export interface Act {
  letter: Letter;
  id: number;
  stakes: Stake[];
  /** What then lies on its boxes if all goes well. */
  expected: Stake[];
  isPlaced: boolean;
  round: number;
  /** Whether it can be taken back. */
  isUndoable: boolean;
  /** Whoever waits for the answer; nobody waits for a bet's. */
  done?: ((verdict: Verdict) => void) | undefined;
}
