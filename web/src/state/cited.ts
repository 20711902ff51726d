// The paragraphs behind what a staff screen says, as the layout tells them.

import type { LayoutView } from '../protocol/messages';

export type Cited =
  | 'few-tumbles' | 'not-flat' | 'exposed' | 'activated-early' | 'not-established' | 'concluded' | 'damaged-dice' | 'malfunction' | 'force-majeure' | 'suspected-offence' | 'wrong-result' | 'ruling'
  | 'void-returned' | 'placed-by-staff' | 'excess' | 'differential' | 'colour-chips';

/** The paragraphs of the game; none where it has no such rule. */
export function paragraphsOf({ paragraphs }: Pick<LayoutView, 'paragraphs'>, cited: Cited): readonly string[] {
  return paragraphs[cited.replaceAll('-', '_')] ?? [];
}
