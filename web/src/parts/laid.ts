// What is to be seen on one area of a felt.

import type { Box, Cents } from '../protocol/messages';
import type { Lying } from '../state/bets';

/** Chips on their way back to the player. */
export interface FlownBack {
  id: number;
  box: Box;
  amount: Cents;
}

export interface Laid {
  lies: Lying | undefined;
  isWon: boolean;
  paid: Cents | undefined;
  back: FlownBack[] | undefined;
}

/** The newer one; the older where they are the same, so that nobody looks at it again. */
export function newer(before: Laid | undefined, now: Laid): Laid {
  const isSame = before && before.lies === now.lies && before.isWon === now.isWon && before.paid === now.paid && before.back === now.back;
  return isSame ? before : now;
}
