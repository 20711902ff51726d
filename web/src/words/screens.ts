// What the screens are called. A player opens no other screen, so the terminal does not load them.

import type { Language } from '../protocol/messages';

export const screens: Record<Language, Record<'title' | 'terminal' | 'console' | 'display' | 'pit' | 'cage' | 'audit' | 'tables', string>> = {
  en: { title: 'Tai Sai', terminal: 'Player Terminal', console: 'Game Console', display: 'Display', pit: 'Pit', cage: 'Cage', audit: 'Audit', tables: 'Tables' },
  'zh-Hans': { title: '骰宝', terminal: '玩家终端', console: '荷官控制台', display: '显示屏', pit: '场区', cage: '账房', audit: '稽核', tables: '赌台' },
  'zh-Hant': { title: '骰寶', terminal: '玩家終端', console: '荷官控制台', display: '顯示螢幕', pit: '場區', cage: '帳房', audit: '稽核', tables: '賭檯' },
};
