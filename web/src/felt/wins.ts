// Which boxes win, for the Dealer to see before the commit, by the layout's list.

import type { Box, Dice, LayoutView } from '../protocol/messages';

/** Every box of a layout that the dice light. */
export function litBy({ boxes }: Pick<LayoutView, 'boxes'>, dice: Dice): Set<Box> {
  const thrown = [...dice].sort().join('');
  return new Set(boxes.filter(({ lit_by }) => lit_by.includes(thrown)).map(({ box }) => box));
}
