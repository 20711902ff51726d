// The languages, each by its own name.

import type { Language } from '../protocol/messages';

export const LANGUAGES: readonly { language: Language; name: string; short: string }[] = [
  { language: 'en', name: 'English', short: 'EN' },
  { language: 'zh-Hans', name: '简体中文', short: '简' },
  { language: 'zh-Hant', name: '繁體中文', short: '繁' },
];
