// What the record says of an event, told in each language: one row for each form that the reporting tables are written in.

import { describe, expect, it } from 'vitest';
import { detailOf, eventName, whyOf } from '../../src/words/details';
import { words as en } from '../../src/words/en';
import { words as staffEn } from '../../src/words/staff/en';
import { words as staffHans } from '../../src/words/staff/zh-Hans';
import { words as staffHant } from '../../src/words/staff/zh-Hant';
import { words as hans } from '../../src/words/zh-Hans';
import { words as hant } from '../../src/words/zh-Hant';

const BOX: Record<string, string[]> = { 'sum:4': ['4', '4点', '4點'] };
const context = (at: number) => ({ staff: [staffEn, staffHans, staffHant][at]!, words: [en, hans, hant][at]!, boxOf: (_: number, box: string) => BOX[box]?.[at] });
const correct = '{"table":{"table":4,"round":{"correct":{"round":71,"dice":[2,4,6],"why":"misread","second":null}}}}';

/** Kind, what is written, and what it says in English, Simplified and Traditional Chinese. */
const ROWS: [kind: string, detail: string, ...texts: [string, string, string]][] = [
  ['limits', 'unit 100', 'unit 1', '单位1', '單位1'],
  ['limits', 'unit 2550, 200000', 'unit 25.50, Differential 2,000', '单位25.50，差额上限2,000', '單位25.50，差額上限2,000'],
  ['dice-in-use', '4', 'dice set 4', '骰子组4', '骰子組4'],
  ['tumbler-in-use', '190', 'tumbler 190', '摇骰器190', '搖骰器190'],
  ['dice-differ', '2-4-6', '2 4 6', '2 4 6', '2 4 6'],
  ...Object.keys(en.voidReasons).flatMap((code) => ['void', 'late-void'].map((kind): (typeof ROWS)[number] => [kind, code, en.voidReasons[code as 'ruling'], hans.voidReasons[code as 'ruling'], hant.voidReasons[code as 'ruling']])),
  ['interrupted', '1 dice known', '1 die known', '1颗骰子已知', '1顆骰子已知'],
  ['interrupted', '3 dice known', '3 dice known', '3颗骰子已知', '3顆骰子已知'],
  ['correction', '1-1-2 to 2-4-6', '1 1 2, now 2 4 6', '原为1 1 2，现为2 4 6', '原為1 1 2，現為2 4 6'],
  ['reinstatement', 'void to 2-4-6', 'Void, now 2 4 6', '原为作废，现为2 4 6', '原為作廢，現為2 4 6'],
  ...(['conclude', 'void', 'settle', 'note'] as const).map((code): (typeof ROWS)[number] => ['ruling', code, staffEn.pit.rulings[code], staffHans.pit.rulings[code], staffHant.pit.rulings[code]]),
  ['excess-rejected', 'sum:4', '4', '4点', '4點'],
  ['over-differential', 'big 70000, small 30000, differential 20000, 1.3', '700 counts on big, 300 on small; Differential 200 (1.3)', 'big计700，small计300；差额上限200 (1.3)', 'big計700，small計300；差額上限200 (1.3)'],
  ['reported-over-differential', 'odd 70000, even 30000, differential 20000', '700 counts on odd, 300 on even; Differential 200', 'odd计700，even计300；差额上限200', 'odd計700，even計300；差額上限200'],
  ['adjustment', '-2550 at once', '25.50 taken from credits', '自余额扣除25.50', '自餘額扣除25.50'],
  ['adjustment', '2550 at once', '25.50 added to credits', '余额加入25.50', '餘額加入25.50'],
  ['enrol', 'terminal', 'Terminal', '终端', '終端'],
  ['enrol', 'chip-reader', 'Chip reader', '筹码读取器', '籌碼讀取器'],
  ['enrol', 'tumbler', 'Tumbler', '摇骰器', '搖骰器'],
  ['enrol', 'screen', 'Screen', '屏幕', '螢幕'],
  ['request-approval', `correct: ${correct}`, 'Table 4, round 71: settle again by the dice 2 4 6.', '4号台第71局：按骰子2 4 6重新结算。', '4號檯第71局：按骰子2 4 6重新結算。'],
  ['request-approval', 'manage-devices: {"code":{"device":7}}', staffEn.pit.spelled.code(7), staffHans.pit.spelled.code(7), staffHant.pit.spelled.code(7)],
  ['answer-approval', '12 approved', 'request 12: approved', '请求12：已批准', '請求12：已批准'],
  ['answer-approval', '12 refused', 'request 12: refused', '请求12：已拒绝', '請求12：已拒絕'],
  ['acknowledge', '41 reported-large-win', 'event 41: Large win', '事件41：大额赢奖', '事件41：大額贏獎'],
  ['acknowledge', '38 login-locked', 'event 38: Sign-in locked', '事件38：登录锁定', '事件38：登入鎖定'],
  ['command-id-reused', 'source 44', 'source 44', '来源44', '來源44'],
  ['reported-command-id-reused', 'source 44', 'source 44', '来源44', '來源44'],
  ['reported-clock-stepped', '-1500 milliseconds', 'by −1.5 s', '−1.5秒', '−1.5秒'],
  ['program-started', 'program 1.4.0 ab12, rules cd34, profile singapore ef56', 'program 1.4.0 ab12, rules cd34, profile singapore ef56', '程序 1.4.0 ab12，规则 cd34，辖区设定 singapore ef56', '程式 1.4.0 ab12，規則 cd34，轄區設定 singapore ef56'],
  ['program-started', `program 1.4.0 ${'ab12'.repeat(16)}, profile singapore ${'ef56'.repeat(16)}`, 'program 1.4.0 ab12ab12ab12…, profile singapore ef56ef56ef56…', '程序 1.4.0 ab12ab12ab12…，辖区设定 singapore ef56ef56ef56…', '程式 1.4.0 ab12ab12ab12…，轄區設定 singapore ef56ef56ef56…'],
  ['program-started', 'program 1.4.0 ab12, profile singapore ef56', 'program 1.4.0 ab12, profile singapore ef56', '程序 1.4.0 ab12，辖区设定 singapore ef56', '程式 1.4.0 ab12，轄區設定 singapore ef56'],
];

describe.each(['en', 'zh-Hans', 'zh-Hant'].map((language, at) => [language, at] as const))('in %s', (_, at) => {
  it.each(ROWS)('%s, %s', (kind, detail, ...texts) => expect(detailOf({ kind, detail, table: 1 }, context(at))).toEqual({ text: texts[at], isForeign: false }));

  it.each([
    ['configured', 'voucher-days = 30'],
    ['excess-rejected', 'sum:17'],
    ['void', 'of-another-kind'],
    ['request-approval', 'correct: by telephone'],
    ['acknowledge', '9 of-another-kind'],
    ['of-another-kind', 'whatever it says'],
  ])('%s, %s: as it was written', (kind, detail) => expect(detailOf({ kind, detail, table: 1 }, context(at))).toEqual({ text: detail, isForeign: true }));

  it('nothing where there is none', () => expect(detailOf({ kind: 'held', table: 1 }, context(at))).toBeNull());
});

it.each([
  [{ kind: 'relieved', detail: 'dealer', subject: 5 }, 'Dealer assigned', '荷官已指派', '荷官已指派'],
  [{ kind: 'relieved', detail: 'supervisor', subject: 5 }, 'Supervisor assigned', '督导已指派', '督導已指派'],
  [{ kind: 'relieved', detail: 'manager', subject: null }, 'Manager relieved', '经理已离岗', '經理已離崗'],
  [{ kind: 'reported-large-win', detail: null }, 'Large win', '大额赢奖', '大額贏獎'],
  [{ kind: 'of-another-kind', detail: null }, 'of-another-kind', 'of-another-kind', 'of-another-kind'],
])('names the event %j', (event, ...names) => expect([staffEn, staffHans, staffHant].map((words) => eventName(event, words))).toEqual(names));

it('leaves the position out of the detail of an assignment', () => expect(detailOf({ kind: 'relieved', detail: 'dealer', table: 1 }, context(0))).toBeNull());

it('gives the reason as the person wrote it', () => {
  expect(whyOf({ kind: 'request-approval', detail: `correct: ${correct}` })).toBe('misread');
  expect(whyOf({ kind: 'correction', detail: '1-1-2 to 2-4-6', why: 'The five was read as a one' })).toBe('The five was read as a one');
  expect(whyOf({ kind: 'request-approval', detail: 'correct: by telephone' })).toBeNull();
  expect(whyOf({ kind: 'held' })).toBeNull();
});
