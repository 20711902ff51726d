// The texts of the front page in all languages.

import type { Language } from '../protocol/messages';

interface FirstUse {
  lead: string;
  noTables: string;
  /** What each screen is for, and for whom. */
  screens: Record<'terminal' | 'console' | 'display' | 'pit' | 'cage' | 'audit', [what: string, whom: string]>;
  /** How to open each kind of screen. */
  ways: { terminal: string; staff: string; anyone: string };
  title: string;
  steps: [name: string, what: string][];
}

export const firstUse: Record<Language, FirstUse> = {
  en: {
    lead: 'Sic Bo and Tai Sai tables. Choose a screen.',
    noTables: 'No table is set up yet.',
    screens: {
      terminal: ['Place bets, follow the round, buy credits and cash out.', 'For players'],
      console: ['Run the round: open and close bets, enter the dice, handle irregularities.', 'For dealers'],
      display: ['Phase, countdown, dice and roads for everyone at the table.', 'For the public'],
      pit: ['All tables live: win, alerts, approvals, limits and terminals.', 'For supervisors and managers'],
      cage: ['Sell and redeem vouchers, hand-pays and receivables.', 'For cashiers and attendants'],
      audit: ['Search, replay any round, verify the record, download evidence.', 'For auditors and regulators'],
    },
    ways: { terminal: 'Set up once with its own link', staff: 'Sign in with number and password', anyone: 'Open to everyone' },
    title: 'First use',
    steps: [
      ['What the program printed', 'On its first start, the program printed a one-time password for each person and a link for each Player Terminal. They are shown only once.'],
      ['Staff', 'Open your screen, sign in with your number and the one-time password, and choose a password of your own.'],
      ['Player Terminals', 'Open each link once, on the terminal itself. From then on the terminal knows its table and seat.'],
      ['Lost or already used?', 'An Administrator issues a new one-time password or a new set-up code, in the Pit.'],
    ],
  },
  'zh-Hans': {
    lead: '骰宝赌台。请选择屏幕。',
    noTables: '尚未设置赌台。',
    screens: {
      terminal: ['下注、跟进骰局、增加余额与兑现。', '玩家'],
      console: ['主持骰局：开始与停止下注、输入骰子、处理异常。', '荷官'],
      display: ['阶段、倒数、骰子与路单，供台前公众观看。', '公众'],
      pit: ['全部赌台实况：输赢、警示、批准、限额与终端。', '督导与经理'],
      cage: ['出售与兑付票券、人工支付与应收款。', '出纳与服务员'],
      audit: ['查询、重现任何一局、验证记录、下载证据。', '稽核与监管'],
    },
    ways: { terminal: '以专用链接设置一次', staff: '以编号和密码登录', anyone: '人人可看' },
    title: '首次使用',
    steps: [
      ['系统印出的内容', '程序首次启动时，为每位员工印出一次性密码，为每台玩家终端印出链接。只印出一次。'],
      ['员工', '打开您的屏幕，以编号和一次性密码登录，然后设定自己的密码。'],
      ['玩家终端', '在终端上打开各自的链接，一次即可。此后终端会记住赌台与座位。'],
      ['遗失或已使用？', '请管理员在场区发出新的一次性密码或设置代码。'],
    ],
  },
  'zh-Hant': {
    lead: '骰寶賭檯。請選擇螢幕。',
    noTables: '尚未設定賭檯。',
    screens: {
      terminal: ['下注、跟進骰局、增加餘額與兌現。', '玩家'],
      console: ['主持骰局：開始與停止下注、輸入骰子、處理異常。', '荷官'],
      display: ['階段、倒數、骰子與路單，供檯前公眾觀看。', '公眾'],
      pit: ['全部賭檯實況：輸贏、警示、批准、限額與終端。', '督導與經理'],
      cage: ['出售與兌付票券、人工支付與應收款。', '出納與服務員'],
      audit: ['查詢、重現任何一局、驗證記錄、下載證據。', '稽核與監管'],
    },
    ways: { terminal: '以專用連結設定一次', staff: '以編號和密碼登入', anyone: '人人可看' },
    title: '首次使用',
    steps: [
      ['系統印出的內容', '程式首次啟動時，為每位員工印出一次性密碼，為每台玩家終端印出連結。只印出一次。'],
      ['員工', '打開您的螢幕，以編號和一次性密碼登入，然後設定自己的密碼。'],
      ['玩家終端', '在終端上打開各自的連結，一次即可。此後終端會記住賭檯與座位。'],
      ['遺失或已使用？', '請管理員在場區發出新的一次性密碼或設定代碼。'],
    ],
  },
};
