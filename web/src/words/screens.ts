// Texts of all screens but the terminal, which does not load them.

import type { Language } from '../protocol/messages';

interface ScreenWords extends Record<'title' | 'terminal' | 'console' | 'display' | 'pit' | 'cage' | 'audit' | 'tables', string> {
  noSuchTable: (number: string) => string;
  roundsVoid: (from: number, to: number, why: string) => string;
}

export const screens: Record<Language, ScreenWords> = {
  en: {
    title: 'Tai Sai', terminal: 'Player Terminal', console: 'Game Console', display: 'Display', pit: 'Pit', cage: 'Cage', audit: 'Audit', tables: 'Tables',
    noSuchTable: (number) => `There is no table ${number} here. Choose another.`,
    roundsVoid: (from, to, why) => `Rounds ${from} to ${to} are void: ${why} All bets are returned in full.`,
  },
  'zh-Hans': {
    title: '骰宝', terminal: '玩家终端', console: '荷官控制台', display: '显示屏', pit: '场区', cage: '账房', audit: '稽核', tables: '赌台',
    noSuchTable: (number) => `没有${number}号台。`,
    roundsVoid: (from, to, why) => `第${from}至${to}局作废：${why}所有投注全额退还。`,
  },
  'zh-Hant': {
    title: '骰寶', terminal: '玩家終端', console: '荷官控制台', display: '顯示螢幕', pit: '場區', cage: '帳房', audit: '稽核', tables: '賭檯',
    noSuchTable: (number) => `沒有${number}號檯。`,
    roundsVoid: (from, to, why) => `第${from}至${to}局作廢：${why}所有投注全額退還。`,
  },
};

/** Of a table that stays closed, in lists of tables. */
export const notOpen: Record<Language, string> = {
  en: 'Closed: its record cannot be read',
  'zh-Hans': '已关闭：记录无法读取',
  'zh-Hant': '已關閉：記錄無法讀取',
};
