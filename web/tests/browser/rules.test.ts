// The approved rules in a real browser (F84): a citation opens its text at a terminal, at the console, at the audit and in the pit, by
// touch and by keyboard.

import { describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { faults, leftOver, small, spilling } from './faults';
import { StaffStage, tab } from './staffStage';
import { box, settled, SIZES } from './stage';

const staffStage = new StaffStage();
const sheet = (page: Page) => page.getByRole('dialog', { name: 'Game rules' });
const passage = (page: Page, id: string) => page.locator(`[id="rules-${id}"]`);
const focused = (page: Page) => page.evaluate(() => document.activeElement?.id ?? '');

/** The rules are open at a paragraph: it is marked, has the focus, and can be seen. */
async function isOpenAt(page: Page, id: string): Promise<void> {
  await passage(page, id).and(page.locator('[aria-current=true]')).waitFor();
  await expect.poll(() => focused(page)).toBe(`rules-${id}`);
  await expect.poll(async () => passage(page, id).evaluate((found) => {
    const [own, room] = [found.getBoundingClientRect(), found.closest('.body')!.getBoundingClientRect()];
    return own.top >= room.top - 1 && own.top < room.bottom;
  })).toBe(true);
}

async function isWell(page: Page): Promise<void> {
  await settled(page);
  expect(await faults(page, 'dialog[open]')).toEqual([]);
  expect(await spilling(page)).toEqual([]);
  expect(await small(page, 44)).toEqual([]);
}

describe('a player', () => {
  it('reads why the round is void, and is back at the felt after Escape', async () => {
    const page = await staffStage.stage.terminal(1, 41, SIZES.phone);
    const table = staffStage.house.table(1);
    table.open();
    await page.locator('[data-phase=open]').waitFor();
    await box(page, 'big').click();
    await page.locator('[data-laid="big"] .chip:not(.pending)').first().waitFor();
    table.close();
    table.void('not-flat');
    const cited = page.getByRole('status').getByRole('button', { name: 'Game rules 5.3.2' });
    await cited.waitFor();
    expect(await small(page, 44)).toEqual([]);
    await staffStage.shot(page, 'rules-notice');
    await cited.click();
    await isOpenAt(page, '002-5.3.2');
    expect(await passage(page, '002-5.3.2').textContent()).toContain('any of the three dice fail to come to rest');
    await staffStage.shot(page, 'rules-terminal');
    await isWell(page);
    await page.keyboard.press('Escape');
    await sheet(page).waitFor({ state: 'detached' });
    await page.locator('[data-phase=void]').waitFor();
    expect(await cited.evaluate((button) => button === document.activeElement)).toBe(true);
  });

  it('finds the whole text in the help, with contents and pay tables', async () => {
    const page = await staffStage.stage.terminal(2, 42);
    await page.getByRole('button', { name: 'Help' }).click();
    await page.getByRole('button', { name: 'Read the game rules' }).click();
    await sheet(page).getByRole('navigation', { name: 'Contents' }).getByRole('button', { name: '5 Irregularities' }).click();
    await expect.poll(() => focused(page)).toBe('rules-002-5');
    expect(await sheet(page).getByRole('table').count()).toBe(3);
    expect(await sheet(page).getByRole('row', { name: /Specific Straight Triple Bet .* 195 to 1/ }).count()).toBe(2);
    await staffStage.shot(page, 'rules-help');
    await isWell(page);
    await page.keyboard.press('Escape');
    await sheet(page).waitFor({ state: 'detached' });
    await page.getByRole('dialog', { name: 'Help' }).waitFor();
  });

  it.each([['zh-Hans', '阅读游戏规则', '规则以英文获批准'], ['zh-Hant', '閱讀遊戲規則', '規則以英文獲批准']])('says in %s that the text is in English', async (language, read, told) => {
    const page = await staffStage.stage.terminal(2, 43, SIZES.phone, { kept: { language } });
    const words = (await import(`../../src/words/${language}.ts`)).words;
    await page.getByRole('button', { name: words.help, exact: true }).click();
    await page.getByRole('button', { name: read }).click();
    await page.getByText(told).waitFor();
    expect(await leftOver(page, [])).toEqual([]);
    await isWell(page);
  });

  it('retries if the server did not answer', async () => {
    const page = await staffStage.stage.terminal(2, 44);
    await page.route('**/api/v1/games/*/rules', (route) => route.fulfill({ body: 'cut o' }), { times: 1 });
    await page.getByRole('button', { name: 'Help' }).click();
    await page.getByRole('button', { name: 'Read the game rules' }).click();
    await sheet(page).getByRole('alert').waitFor();
    await sheet(page).getByRole('button', { name: 'Try again' }).click();
    await passage(page, '002-1').waitFor();
  });
});

it('opens from the console’s irregularities, and leaves them open', async () => {
  const table = staffStage.house.table(10);
  table.open();
  const page = await staffStage.open('console?table=10', 21);
  await page.getByRole('button', { name: 'Irregularities' }).click();
  await page.getByRole('button', { name: 'Game rules 5.5.3' }).first().focus();
  await page.keyboard.press('Enter');
  await isOpenAt(page, '004-5.5.3');
  await staffStage.shot(page, 'rules-console');
  await isWell(page);
  await page.keyboard.press('Escape');
  await sheet(page).waitFor({ state: 'detached' });
  await page.getByRole('dialog', { name: 'Irregularities' }).waitFor();
  await isWell(page);
});

it('opens the document that the early edition follows', async () => {
  const table = staffStage.house.table(7);
  table.open();
  const page = await staffStage.open('console?table=7', 21);
  await page.getByRole('button', { name: 'Irregularities' }).click();
  await page.getByRole('button', { name: 'Game rules 003:5.12' }).first().click();
  await isOpenAt(page, '003-5.12');
  expect(await sheet(page).getByText('[gap in the scan]', { exact: true }).count()).toBe(2);
  await isWell(page);
});

it('opens from every bet of a round at the audit', async () => {
  const page = await staffStage.open('audit', 9);
  await tab(page, 1);
  await page.getByRole('button', { name: 'Open 70' }).click();
  const lines = page.getByRole('table', { name: 'All bets' });
  await lines.getByRole('button', { name: 'Game rules 4.1', exact: true }).first().click();
  await isOpenAt(page, '002-4.1');
  await staffStage.shot(page, 'rules-audit');
  await isWell(page);
  await page.getByRole('button', { name: 'Close' }).click();
  await sheet(page).waitFor({ state: 'detached' });
  expect(await faults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Game rules', exact: true }).click();
  await passage(page, '002-1').waitFor();
});

it('opens from an act in the pit', async () => {
  const page = await staffStage.open('pit', 3);
  await page.getByRole('button', { name: /Act Table 4/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Game rules 3.9', exact: true }).click();
  await isOpenAt(page, '003-3.9');
});

it('opens from a refusal at the console', async () => {
  const page = await staffStage.open('console?table=9', 21, undefined, 'en', { isPaused: true });
  await page.route('**/tables/9/commands', (route) => route.fulfill({ json: { refused: { code: 'bets-closed', paragraphs: ['3.6', '5.7'], sentence: '' } } }));
  await page.clock.runFor(600);
  await page.locator('button[data-step="open-bets"]').click();
  await page.getByRole('log').getByRole('button', { name: 'Game rules 3.6' }).click();
  await isOpenAt(page, '004-3.6');
});

it('opens from the display while a round is void', async () => {
  const table = staffStage.house.table(6);
  const page = await staffStage.stage.display(6, SIZES.wall);
  table.open();
  table.close();
  table.void('not-flat');
  const cited = page.getByRole('button', { name: 'Game rules 5.5.2' });
  await cited.waitFor();
  expect(await small(page, 44)).toEqual([]);
  expect(await faults(page)).toEqual([]);
  await cited.click();
  await isOpenAt(page, '003-5.5.2');
  await isWell(page);
});
