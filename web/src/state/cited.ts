// The paragraphs behind the acts of a staff screen, from the layout.

import type { HouseView, LayoutView, VoidReason } from '../protocol/messages';

export type Cited =
  | 'few-tumbles' | 'not-flat' | 'exposed' | 'activated-early' | 'not-established' | 'concluded' | 'damaged-dice' | 'malfunction' | 'force-majeure' | 'suspected-offence' | 'wrong-result' | 'ruling'
  | 'void-returned' | 'placed-by-staff' | 'excess' | 'differential' | 'advice' | 'colour-chips';

/** The paragraphs of the game; none where it has no such rule. */
export function paragraphsOf({ paragraphs }: Pick<LayoutView, 'paragraphs'>, cited: Cited): readonly string[] {
  return paragraphs[cited.replaceAll('-', '_')] ?? [];
}

/** The law that a void rests on, as the profile names it; nothing where it is a rule of the game (F80). */
export function lawOf(law: HouseView['law'], reason: VoidReason): string | null {
  if (reason === 'malfunction') return law.malfunction;
  if (reason === 'force-majeure') return law.force_majeure;
  return reason === 'suspected-offence' ? law.suspected_offence : null;
}
