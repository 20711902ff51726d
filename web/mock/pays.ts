// Payouts of the mock server, for tests. The screens themselves compute none.

import { litBy } from '../src/felt/wins';
import type { BoxView, Dice } from '../src/protocol/messages';

/** How many to one a box pays for the dice; nothing where it loses. */
export function paysFor(view: BoxView, dice: Dice): number | undefined {
  if (!litBy({ boxes: [view] }, dice).has(view.box)) return undefined;
  const [kind, face] = view.box.split(':');
  const at = kind === 'single' ? dice.filter((die) => die === Number(face)).length - 1 : 0;
  const [top = 0, bottom = 1] = (view.pays[at] ?? '0').split('/').map(Number);
  return top / bottom;
}
