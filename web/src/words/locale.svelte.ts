// The language of the screen and its texts. A language is loaded when it is chosen, so a player loads one.

import type { Language } from '../protocol/messages';
import type { Words } from './en';
import { LANGUAGES } from './languages';

const LOADERS: Record<Language, () => Promise<{ words: Words }>> = {
  en: () => import('./en'),
  'zh-Hans': () => import('./zh-Hans'),
  'zh-Hant': () => import('./zh-Hant'),
};

const LANGUAGE_KEY = 'taisai.language';

class Locale {
  language = $state<Language>('en');
  #words = $state.raw<Words | null>(null);
  /** Loads further texts of a screen together with these. */
  loadMore: (language: Language) => Promise<void> = async () => {};

  get words(): Words {
    if (this.#words === null) throw new Error('no language is spoken yet');
    return this.#words;
  }

  async load(language: Language): Promise<void> {
    const [{ words }] = await Promise.all([LOADERS[language](), this.loadMore(language)]);
    this.#words = words;
    this.language = language;
    document.documentElement.lang = language;
    localStorage.setItem(LANGUAGE_KEY, language);
  }
}

export const locale = new Locale();

/** The language chosen here, or the first of the browser's languages that exists. */
export function firstLanguage(): Language {
  const kept = localStorage.getItem(LANGUAGE_KEY);
  const found = LANGUAGES.find(({ language }) => language === kept);
  if (found) return found.language;
  for (const wanted of navigator.languages) {
    if (/^zh-(tw|hk|mo|hant)/i.test(wanted)) return 'zh-Hant';
    if (/^zh/i.test(wanted)) return 'zh-Hans';
    if (/^en/i.test(wanted)) return 'en';
  }
  return 'en';
}
