// How chips look: a colour for each value, none of them gold or red, which mean something else.

import type { Cents } from '../protocol/messages';

const COLOURS: readonly (readonly [Cents, string])[] = [
  [1_000_000, '#8d4a6b'],
  [500_000, '#56606b'],
  [100_000, '#2b7a80'],
  [50_000, '#74377c'],
  [10_000, '#20242a'],
  [5_000, '#7d5230'],
  [2_500, '#1c7f5b'],
  [1_000, '#5648ab'],
  [500, '#2f73b5'],
  [100, '#5f6f66'],
];

/** The colour of the largest chip that the amount has. */
export function colourFor(amount: Cents): string {
  return (COLOURS.find(([value]) => amount >= value) ?? COLOURS.at(-1)!)[1];
}

/** How many chips a pile of the amount shows: one to four. */
export function heightOf(amount: Cents): number {
  let left = amount;
  let count = 0;
  for (const [value] of COLOURS) {
    count += Math.trunc(left / value);
    left %= value;
  }
  return Math.max(1, Math.min(4, count));
}
