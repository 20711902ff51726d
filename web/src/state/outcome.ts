// The outcome of a round for a seat, net of the stakes.

import type { Cents, LastGame } from '../protocol/messages';

export interface Outcome {
  /** The counted part of the stakes, and the returned rest (5.1.1). */
  counted: Cents;
  returned: Cents;
  /** The payout, with winning stakes. */
  paid: Cents;
  /** Below nothing where less was paid than counted. */
  net: Cents;
}

export function outcomeOf({ lines, paid, void: reason }: LastGame): Outcome {
  const sum = (of: 'staked' | 'counted') => lines.reduce((total, line) => total + line[of], 0);
  // Of a void round every bet came back in full (5.12, ETG 5.9).
  const counted = reason ? 0 : sum('counted');
  return { counted, returned: sum('staked') - counted, paid, net: paid - counted };
}
