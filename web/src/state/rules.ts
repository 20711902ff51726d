// The approved rules as they are read: which text a citation is of, and how passages stand in it.

import type { PassageView, RulesView, TextView } from '../protocol/messages';

/** Where a citation leads: `003:5.3` is of document 003, `5.3` of the game's own. Nothing where there is no such paragraph. */
export function placeOf({ texts }: RulesView, citation: string): { document: string; number: string } | null {
  const [number, document] = citation.split(':').reverse() as [string, string?];
  const text = document === undefined ? texts[0] : texts.find((one) => one.document === document);
  return text?.passages.some((passage) => passage.number === number) ? { document: text.document, number } : null;
}

/** The sections of a text. */
export function sectionsOf({ passages }: TextView): PassageView[] {
  return passages.filter(({ number, is_closing }) => !is_closing && depthOf(number) === 1);
}

/** How deep a paragraph stands: 1 for a section, 3 for 5.5.1. */
export function depthOf(number: string): number {
  return number.split('.').length;
}
