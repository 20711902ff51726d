// The texts of staff screens. A player never loads them.

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

/** A refusal in the texts of staff, else of players, else the server's sentence. */
export function reasonOf({ code, sentence }: Pick<Refused, 'code' | 'sentence'>): string {
  return staffLocale.words.reasons[code] ?? locale.words.reasons[code] ?? sentence ?? code;
}
