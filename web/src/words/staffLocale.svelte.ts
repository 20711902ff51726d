// What staff screens say beside the words of all screens. It is loaded with them, so that a player never loads it.

import type { Language, Refused } from '../protocol/messages';
import { locale } from './locale.svelte';
import type { StaffWords } from './staff/en';

const LOADERS: Record<Language, () => Promise<{ words: StaffWords }>> = {
  en: () => import('./staff/en'),
  'zh-Hans': () => import('./staff/zh-Hans'),
  'zh-Hant': () => import('./staff/zh-Hant'),
};

class StaffLocale {
  #words = $state.raw<StaffWords | null>(null);

  get words(): StaffWords {
    if (this.#words === null) throw new Error('no language is spoken yet');
    return this.#words;
  }

  async load(language: Language): Promise<void> {
    this.#words = (await LOADERS[language]()).words;
  }
}

export const staffLocale = new StaffLocale();
locale.loadMore = (language) => staffLocale.load(language);

/** A refusal in the words of staff; in those of players, or of the house, where there are none. */
export function reasonOf({ code, sentence }: Pick<Refused, 'code' | 'sentence'>): string {
  return staffLocale.words.reasons[code] ?? locale.words.reasons[code] ?? sentence ?? code;
}
