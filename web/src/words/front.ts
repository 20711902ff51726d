// What the front page says to those who open it for the first time, in all languages: how one comes in at each screen, and
// where the first passwords and links are found.

import type { Language } from '../protocol/messages';

interface FirstUse {
  /** How one comes in: at a terminal, as staff, and where anyone may look. */
  ways: { terminal: string; staff: string; anyone: string };
  title: string;
  steps: [name: string, what: string][];
}

export const firstUse: Record<Language, FirstUse> = {
  en: {
    ways: { terminal: 'Set up once by its own link', staff: 'Sign in with number and password', anyone: 'Open to everyone' },
    title: 'The first time',
    steps: [
      ['What the house printed', 'On its first start the program printed a one-time password for each person and a link for each Player Terminal. They are told once.'],
      ['Staff', 'Open your screen, sign in with your number and the one-time password, and choose a password of your own.'],
      ['Player Terminals', 'Open each link once, on the terminal itself. From then on it knows its table and seat by itself.'],
      ['Lost or used up?', 'An administrator gives another password, or another code for a terminal, in the Pit.'],
    ],
  },
  'zh-Hans': {
    ways: { terminal: '以专用链接设置一次', staff: '以编号和密码登录', anyone: '人人可看' },
    title: '首次使用',
    steps: [
      ['系统印出的内容', '程序首次启动时，为每位员工印出一次性密码，为每台玩家终端印出链接。只印一次。'],
      ['员工', '打开您的屏幕，以编号和一次性密码登录，然后设定自己的密码。'],
      ['玩家终端', '在终端上打开各自的链接，一次即可。此后终端自知赌台与座位。'],
      ['遗失或已使用？', '由管理员在场区另发密码或终端代码。'],
    ],
  },
  'zh-Hant': {
    ways: { terminal: '以專用連結設定一次', staff: '以編號和密碼登入', anyone: '人人可看' },
    title: '首次使用',
    steps: [
      ['系統印出的內容', '程式首次啟動時，為每位員工印出一次性密碼，為每台玩家終端印出連結。只印一次。'],
      ['員工', '打開您的螢幕，以編號和一次性密碼登入，然後設定自己的密碼。'],
      ['玩家終端', '在終端上打開各自的連結，一次即可。此後終端自知賭檯與座位。'],
      ['遺失或已使用？', '由管理員在場區另發密碼或終端代碼。'],
    ],
  },
};
