// Every staff screen in every language: nothing is cut or missing, no accessibility fault, every control can be touched.

import { describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { PEOPLE } from '../../mock/people';
import type { audit } from '../../src/words/staff/en-audit';
import { faults, leftOver, scrolling, small, spilling } from './faults';
import { StaffStage, tab } from './staffStage';
import { settled } from './stage';

const staffStage = new StaffStage();
const LANGUAGES = ['en', 'zh-Hans', 'zh-Hant'] as const;
const DESK = { width: 1280, height: 800 };
/** Names are given as data. */
const NAMES = ['Stand-in House', 'singapore', ...PEOPLE.map(({ name }) => name)];

async function well(page: Page, least = 44): Promise<void> {
  await settled(page);
  expect(await spilling(page)).toEqual([]);
  expect(await scrolling(page)).toEqual([]);
  expect(await small(page, least)).toEqual([]);
  expect(await faults(page)).toEqual([]);
  if ((await page.evaluate(() => document.documentElement.lang)) === 'en') return;
  const text = await page.evaluate(() => document.querySelector<HTMLElement>('.frame')!.innerText);
  expect(text).not.toMatch(/undefined|NaN|\[object/);
  expect(await leftOver(page, NAMES)).toEqual([]);
}

describe.each(LANGUAGES)('in %s', (language) => {
  it('the pit', async () => {
    const page = await staffStage.open('pit', 3, DESK, language);
    await page.locator('tbody tr:not(.stale)').nth(9).waitFor();
    await well(page);
    for (const at of [1, 2, 3, 4, 5, 6, 7]) {
      await tab(page, at);
      await page.locator('main table, main dl').first().waitFor();
      await well(page);
      for (const by of at === 2 ? [1, 2, 3, 4] : []) {
        const button = page.locator('main .by button').nth(by);
        await button.click();
        await page.locator('thead th').first().getByText(await button.innerText(), { exact: true }).waitFor();
        await well(page);
      }
    }
    await tab(page, 0);
    await page.locator('tbody button').nth(3).click();
    for (const act of [0, 1, 2, 3, 4]) {
      await page.locator('dialog nav button').nth(act).click();
      await well(page);
    }
  });

  it('people, for those who manage them', async () => {
    const page = await staffStage.open('pit', 11, DESK, language);
    await tab(page, 1);
    await page.locator('form').waitFor();
    await well(page);
    await tab(page, 2);
    await page.locator('main .top button').click();
    await well(page);
    await page.keyboard.press('Escape');
    await page.locator('tbody button').first().click();
    await well(page);
  });

  it('the cage', async () => {
    const page = await staffStage.open('cage', 8, DESK, language);
    await page.locator('table').nth(2).waitFor();
    await page.locator('summary').click();
    await well(page);
    await page.locator('.now input').first().fill('123456789012340411');
    await page.keyboard.press('Enter');
    await page.locator('.refused').waitFor();
    await well(page);
  });

  it('the audit', async () => {
    const page = await staffStage.open('audit', 9, DESK, language);
    await page.getByRole('row').nth(20).waitFor();
    await well(page);
    for (const at of [1, 2, 3]) {
      await tab(page, at);
      await page.locator('main table, main dl').first().waitFor();
      await well(page);
    }
    await tab(page, 1);
    await page.locator('tbody button').nth(3).click();
    await page.locator('[data-laid=big] .chip').first().waitFor();
    await well(page);
    const words = (await import(`../../src/words/staff/${language}-audit.ts`)).audit as typeof audit;
    await page.getByRole('row', { name: `${words.accounts.layout} ${words.accounts.house} 10.00 ${words.moved['bets-lost']}` }).first().waitFor();
    await page.getByRole('row', { name: `${words.accounts.house} ${words.seatAccount(1, 0, 7)} 50.00 ${words.moved['to-credits']}` }).waitFor();
  });

  it('what the program found in the record', async () => {
    const page = await staffStage.open('audit', 9, DESK, language);
    const found = { ok: false, chains: [{ chain: 'table-1', blocks: 4, entries: 9, checkpoints: 1, rounds: 2, unsigned: 0, found: 'block 3 does not follow block 2' }], findings: ['table-1: block 3 does not follow block 2'], house: 'Stand-in House', in_use: [], roll_back_checked: true, signers: ['a41c'], training: true };
    await page.route('**/reports/lag', (route) => route.fulfill({ json: { blocks: 3, millis: 40, is_known: true, error: 'the store is full' } }));
    await page.route('**/audit/verifications', (route) => route.fulfill({ json: [{ id: 1, blocks: 4, verified: 4, state: 'failed', found, error: 'a block cannot be read' }] }));
    await tab(page, 3);
    for (const text of ['the store is full', 'a block cannot be read', 'table-1: block 3 does not follow block 2']) {
      const quote = page.getByText(text, { exact: true });
      expect(await quote.getAttribute('lang')).toBe('en');
      expect((await quote.locator('..').textContent())!.replace(text, '').trim()).not.toBe('');
    }
    await well(page);
  });

  it('the console', async () => {
    const table = staffStage.house.table(5);
    table.change({ phase: 'open', round: 74, closes_at: Date.now() + 36_000 });
    table.forSeat({ place: { seat: 1, chips: 'own', stakes: [{ box: 'big', amount: 90_000 }] } });
    const page = await staffStage.open('console?table=5', 21, DESK, language);
    await page.locator('[data-phase=open]').waitFor();
    await well(page, 64);
    await page.locator('nav button').first().click();
    await page.locator('dialog li [aria-pressed]:enabled').first().click();
    await well(page, 64);
    await page.keyboard.press('Escape');
    // The table, and its last rounds.
    for (const at of [1, -1]) {
      await page.locator('nav button').nth(at).click();
      await well(page, 64);
      await page.keyboard.press('Escape');
    }
    // A seat is chosen, and then opened.
    await page.locator('section > button[aria-pressed]').first().click();
    await well(page, 64);
    await page.locator('.tools > button').last().click();
    await well(page, 64);
    await page.keyboard.press('Escape');
    await page.locator('button.settings').click();
    await well(page, 64);
  });

  it.each([{ width: 820, height: 1180 }, { width: 390, height: 844 }])('the pit, the cage and the audit at $width × $height', async (size) => {
    for (const [screen, person] of [['pit', 3], ['cage', 8], ['audit', 9]] as const) {
      const page = await staffStage.open(screen, person, size, language);
      // The tables and the money of the pit; the others have one page of money.
      for (const at of screen === 'pit' ? [0, 1] : []) {
        await tab(page, at);
        await page.locator('table').first().waitFor();
        expect(await spilling(page)).toEqual([]);
      }
      await page.locator('table').first().waitFor();
      expect(await spilling(page)).toEqual([]);
      expect(await small(page, 44)).toEqual([]);
    }
  });
});

it('can be read with high contrast, from any staff screen', async () => {
  const page = await staffStage.open('pit', 3);
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('switch', { name: 'High contrast' }).check();
  await page.keyboard.press('Escape');
  await page.locator('tbody tr:not(.stale)').nth(9).waitFor();
  await well(page);
  expect(await page.evaluate(() => getComputedStyle(document.querySelector('.frame')!).backgroundColor)).toBe('rgb(0, 0, 0)');
  await tab(page, 2);
  const win = page.locator('.u-legend .u-marker').last();
  const colour = () => win.evaluate((marker) => getComputedStyle(marker).backgroundColor);
  await expect.poll(colour).toBe('rgb(255, 255, 255)');
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('switch', { name: 'High contrast' }).uncheck();
  await expect.poll(colour).toBe('rgb(248, 242, 226)');
});

it('says that a person’s roles do not give access', async () => {
  const page = await staffStage.open('cage', 21);
  await page.getByText('Your roles do not give access to this screen.').waitFor();
  expect(await faults(page)).toEqual([]);
});

it('runs a round by the keyboard alone', async () => {
  const page = await staffStage.open('console?table=1', 21);
  const table = staffStage.house.table(1);
  const step = async (name: string) => {
    await page.locator(`button[data-step="${name}"][aria-disabled="false"]:enabled`).focus();
    await page.keyboard.press('Enter');
  };
  for (const name of ['open-bets', 'close-bets', 'activate', 'tumbled']) await step(name);
  await page.getByText('Enter the dice').waitFor();
  for (const face of ['1', '3', '5']) await page.keyboard.press(face);
  await page.locator('button.hold').focus();
  await page.keyboard.down('Enter');
  await page.locator('[data-phase=settled]').waitFor();
  await page.keyboard.up('Enter');
  expect(table.public.latest?.dice).toEqual([1, 3, 5]);
});
