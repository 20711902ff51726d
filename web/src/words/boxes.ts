// Boxes by their labels, where they do not stand on their felt.

import type { BoxView, InLanguages } from '../protocol/messages';
import { locale } from './locale.svelte';

/** A label in the reader's language. A bare number is named as the sum that it is. */
export function boxName(label: InLanguages): string {
  const name = label[locale.language];
  return /^\d+$/.test(name) ? `${locale.words.kinds['sum']} ${name}` : name;
}

export const boxNames = (boxes: readonly BoxView[] = []) => new Map<string, string>(boxes.map(({ box, label }) => [box, boxName(label)]));
