// The languages say the same things, and the fonts have every letter they say them with.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { firstUse } from '../../src/words/front';
import { screens } from '../../src/words/screens';
import { words as en } from '../../src/words/en';
import { words as hans } from '../../src/words/zh-Hans';
import { words as hant } from '../../src/words/zh-Hant';
import { words as staffEn } from '../../src/words/staff/en';
import { words as staffHans } from '../../src/words/staff/zh-Hans';
import { words as staffHant } from '../../src/words/staff/zh-Hant';

type Tree = Record<string, unknown>;

function keys(tree: Tree, before = ''): string[] {
  return Object.entries(tree).flatMap(([key, value]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) ? keys(value as Tree, `${before}${key}.`) : [before + key + (Array.isArray(value) ? `[${value.length}]` : '')],
  );
}

function texts(tree: unknown): string[] {
  if (typeof tree === 'string') return [tree];
  if (typeof tree === 'function') return [String(tree(...Array.from({ length: tree.length }, () => ['1'])))];
  return Object.values(tree as Tree).flatMap(texts);
}

describe.each([['zh-Hans', hans, en], ['zh-Hant', hant, en], ['zh-Hans of the front', firstUse['zh-Hans'], firstUse.en], ['zh-Hant of the front', firstUse['zh-Hant'], firstUse.en], ['zh-Hans of the screens', screens['zh-Hans'], screens.en], ['zh-Hant of the screens', screens['zh-Hant'], screens.en], ['zh-Hans of staff', staffHans, staffEn], ['zh-Hant of staff', staffHant, staffEn]] as const)('%s', (_, words, english) => {
  it('says everything that English says', () => expect(keys(words as unknown as Tree).sort()).toEqual(keys(english as unknown as Tree).sort()));

  it('leaves nothing in English', () => {
    expect(texts(words).filter((text) => /[a-z]{3,}/i.test(text.replace(/voucher|№/g, '')))).toEqual([]);
  });
});

/** Refusals of what no terminal asks for: rounds, people, devices, the cage, and whoever signs in. */
const OF_STAFF = [
  'second-person-missing', 'second-person-not-allowed', 'not-acting', 'table-closing', 'table-open', 'not-held', 'bets-not-closed', 'not-due', 'already-tumbled', 'not-tumbled', 'dice-not-known',
  'result-committed', 'unknown-round', 'too-many-rounds', 'round-not-settled', 'round-void', 'dice-concealed', 'known-dice-differ', 'ruled-on', 'correction-too-late', 'round-stands', 'dice-damaged', 'not-below-minimum', 'own-claim', 'read-by-tumbler', 'not-witnessed', 'nothing-to-witness', 'unknown-buy-in', 'roles-conflict', 'same-dice', 'slip-differs', 'outcome-established', 'not-cleared', 'closure-not-announced', 'no-excess',
  'other-registration', 'not-thrown', 'all-registered', 'already-registered', 'not-on-pay-list', 'given-stands', 'losing-box', 'opposite-not-told', 'total-differs',
  'bad-limits', 'colour-in-use', 'bad-text', 'unknown-person', 'person-exists', 'nobody-to-manage', 'device-exists', 'table-exists', 'voucher-good', 'unknown-receivable', 'more-than-owed',
  'unknown-approval', 'too-many-approvals', 'unknown-event', 'not-signed-in', 'wrong-password', 'password-to-be-set', 'weak-password', 'sign-in-again', 'not-yours', 'not-for-you', 'other-site',
  'not-approved', 'too-long', 'not-yet',
];

/** Refusals that a terminal gets only if it or the server is broken; the player reads that the casino did not accept it. */
const BROKEN = ['not-allowed', 'out-of-order', 'not-in-game', 'unknown-seat', 'box-twice', 'bad-amount', 'unknown-device', 'unknown-table', 'voucher-number-used', 'unknown', 'bad-request', 'bad-command', 'too-large'];

const { components } = JSON.parse(readFileSync(join(import.meta.dirname, '../../../crates/server/openapi.json'), 'utf8'));
const codes: string[] = components.schemas.Code.enum;

it('staff have a text for every refusal', () => expect(codes.filter((code) => !(code in staffEn.reasons) && !(code in en.reasons))).toEqual([]));

it('players have a text for every refusal', () => {
  expect(codes.filter((code) => !OF_STAFF.includes(code) && !BROKEN.includes(code) && !(code in en.reasons))).toEqual([]);
});

it('Simplified and Traditional are not mixed', () => {
  const simplified = '赌总围双单对时间号录关开记额码钱证验过这说认还';
  expect([...texts([hant, staffHant, firstUse['zh-Hant']]).join('')].filter((letter) => simplified.includes(letter))).toEqual([]);
  const traditional = '賭總圍雙單對時間號錄關開記額碼錢證驗過說認還';
  expect([...texts([hans, staffHans, firstUse['zh-Hans']]).join('')].filter((letter) => traditional.includes(letter) && !simplified.includes(letter))).toEqual([]);
});

it.each(['牌局', '賬', '屏', '設置', '登錄', '程序', '公布', '布局'])('players do not read %s in Traditional Chinese beside its other spelling', (word) => {
  expect(texts([hant, firstUse['zh-Hant']]).filter((text) => text.includes(word))).toEqual([]);
});

it.each(['训练', '訓練', '主管', '投注区', '投注區', '注区', '注區', '号桌', '號桌', '本桌', '审计', '審計', '帐房', '賬房', '留存', '比1'])('no screen says %s beside the chosen term', (word) => {
  expect(texts([hans, hant, staffHans, staffHant, firstUse, screens]).filter((text) => text.includes(word))).toEqual([]);
});

describe.each(['sans', 'serif'])('the %s font', (name) => {
  it.each(['regular', 'bold'])('has every letter in use, %s', async (weight) => {
    const { lettersInUse } = await import('../../scripts/fonts.js');
    const folder = join(import.meta.dirname, '../../src/fonts');
    const fonts = ['latin', 'sc', 'tc'].map((script) => join(folder, `${name}-${script}-${weight}.woff2`));
    expect(fonts.filter((path) => !existsSync(path)), 'npm run fonts').toEqual([]);
    const [latin, sc, tc] = [await letters(readFileSync(fonts[0]!)), await letters(readFileSync(fonts[1]!)), await letters(readFileSync(fonts[2]!))];
    const missing = [...lettersInUse(name)].filter((letter) => (letter < '\u2e80' ? !latin.has(letter.codePointAt(0)!) : !sc.has(letter.codePointAt(0)!) || !tc.has(letter.codePointAt(0)!)));
    expect(missing).toEqual([]);
  });
});

/** The letters that a font has, by its own table (cmap, format 12 or 4). */
async function letters(woff2: Buffer): Promise<Set<number>> {
  const { convert } = await import('fontverter');
  const font = await convert(woff2, 'sfnt');
  const tables = font.readUInt16BE(4);
  let cmap = 0;
  for (let at = 12; at < 12 + 16 * tables; at += 16) if (font.toString('latin1', at, at + 4) === 'cmap') cmap = font.readUInt32BE(at + 8);
  const found = new Set<number>();
  for (let table = 0; table < font.readUInt16BE(cmap + 2); table += 1) {
    const start = cmap + font.readUInt32BE(cmap + 4 + 8 * table + 4);
    if (font.readUInt16BE(start) === 12) {
      for (let group = 0; group < font.readUInt32BE(start + 12); group += 1) {
        const at = start + 16 + 12 * group;
        for (let code = font.readUInt32BE(at); code <= font.readUInt32BE(at + 4); code += 1) found.add(code);
      }
    } else if (font.readUInt16BE(start) === 4) {
      const count = font.readUInt16BE(start + 6) / 2;
      for (let segment = 0; segment < count; segment += 1) {
        const end = font.readUInt16BE(start + 14 + 2 * segment);
        const first = font.readUInt16BE(start + 16 + 2 * count + 2 * segment);
        for (let code = first; code <= end && code < 0xffff; code += 1) found.add(code);
      }
    }
  }
  return found;
}
