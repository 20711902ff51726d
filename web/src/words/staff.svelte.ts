// What staff screens say beside the words of all screens. It is loaded with them, so that a player never loads it.

import type { Language, Refused } from '../protocol/messages';
import { speech } from './speech.svelte';
import type { StaffWords } from './staff/en';

const LOADED: Record<Language, () => Promise<{ words: StaffWords }>> = {
  en: () => import('./staff/en'),
  'zh-Hans': () => import('./staff/zh-Hans'),
  'zh-Hant': () => import('./staff/zh-Hant'),
};

class Office {
  #words = $state.raw<StaffWords | null>(null);

  get words(): StaffWords {
    if (this.#words === null) throw new Error('no language is spoken yet');
    return this.#words;
  }

  async speak(language: Language): Promise<void> {
    this.#words = (await LOADED[language]()).words;
  }
}

export const office = new Office();
speech.beside = (language) => office.speak(language);

/** A refusal in the words of staff; in those of players, or of the house, where there are none. */
export function reasonOf({ code, sentence }: Pick<Refused, 'code' | 'sentence'>): string {
  return office.words.reasons[code] ?? speech.words.reasons[code] ?? sentence ?? code;
}
