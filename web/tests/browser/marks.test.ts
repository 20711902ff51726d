// A table whose game is not the approved one says so on every screen that shows it, and on its paper.

import { describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { LANGUAGES } from '../../src/words/languages';
import { faults, spilling } from './faults';
import { settled, SIZES } from './stage';
import { StaffStage } from './staffStage';

const staff = new StaffStage();
const NOT_APPROVED = { en: 'Game NOT APPROVED', 'zh-Hans': '游戏未经核准', 'zh-Hant': '遊戲未經核准' };
const CHANGED = 1;
const OTHER = 2;

const marks = (page: Page, text: string) => page.getByText(text, { exact: true });

/** It is on the page from the first moment, without scrolling, and for those who listen. */
async function isMarked(page: Page, text: string): Promise<void> {
  const mark = marks(page, text).first();
  await mark.waitFor();
  await settled(page);
  const { x, y, width, height } = (await mark.boundingBox())!;
  const size = page.viewportSize()!;
  expect(Math.min(x, y)).toBeGreaterThanOrEqual(0);
  expect(x + width).toBeLessThanOrEqual(size.width);
  expect(y + height).toBeLessThanOrEqual(size.height);
  expect(await mark.evaluate((element) => element.closest('[aria-hidden=true], [inert]'))).toBeNull();
  expect(await spilling(page)).toEqual([]);
}

describe.each(LANGUAGES.map(({ language }) => language))('in %s', (language) => {
  const text = NOT_APPROVED[language];

  it.each(['phone', 'desk'] as const)('players, the public and the front page are told, %s', async (size) => {
    staff.house.table(CHANGED).change({ is_game_approved: false });
    const how = { kept: { language } };
    const player = await staff.stage.terminal(CHANGED, size === 'phone' ? 61 : 62, SIZES[size], how);
    await isMarked(player, text);
    expect(await faults(player, 'header')).toEqual([]);
    for (const path of [`display?table=${CHANGED}`, '']) {
      const page = await staff.stage.page(SIZES[size], how);
      await page.goto(`${staff.stage.address}/${path}`);
      await isMarked(page, text);
      expect(await faults(page)).toEqual([]);
    }
  });

  it('staff are told before they sign in, and on every screen of theirs', async () => {
    staff.house.table(CHANGED).change({ is_game_approved: false });
    const signIn = await staff.stage.page(SIZES.desk, { kept: { language } });
    await signIn.goto(`${staff.stage.address}/audit`);
    await isMarked(signIn, text);
    for (const [screen, person] of [[`console?table=${CHANGED}`, 21], ['pit', 5], ['cage', 8], ['audit', 9]] as const) {
      const page = await staff.open(screen, person, SIZES.desk, language);
      await isMarked(page, text);
      expect(await faults(page, 'header'), screen).toEqual([]);
    }
  });
});

it('says nothing of another table, or of approved games', async () => {
  const display = await staff.stage.display(CHANGED);
  await display.getByText('Training – play money').waitFor();
  expect(await marks(display, NOT_APPROVED.en).count()).toBe(0);
  staff.house.table(CHANGED).change({ is_game_approved: false });
  await marks(display, NOT_APPROVED.en).waitFor();
  const others = [await staff.stage.terminal(OTHER, 61), await staff.stage.display(OTHER), await staff.open(`console?table=${OTHER}`, 21)];
  for (const page of others) {
    await page.getByText('Training – play money').waitFor();
    expect(await marks(page, NOT_APPROVED.en).count()).toBe(0);
  }
  const front = await staff.stage.page();
  await front.goto(staff.stage.address);
  await marks(front, NOT_APPROVED.en).first().waitFor();
  expect(await front.locator(`a[href="/display?table=${CHANGED}"]`).getByText(NOT_APPROVED.en).count()).toBe(1);
  expect(await front.locator(`a[href="/display?table=${OTHER}"]`).getByText(NOT_APPROVED.en).count()).toBe(0);
});

it('marks the table at the pit, and a round at the audit', async () => {
  staff.house.table(CHANGED).change({ is_game_approved: false });
  const pit = await staff.open('pit', 5);
  await pit.getByRole('row', { name: /Table 1\b/ }).getByText(NOT_APPROVED.en).waitFor();
  expect(await pit.getByRole('row', { name: /Table 2\b/ }).getByText(NOT_APPROVED.en).count()).toBe(0);
  const audit = await staff.open('audit', 9);
  await audit.getByRole('button', { name: 'Rounds' }).click();
  await audit.getByRole('button', { name: /^Open \d+$/ }).first().click();
  await audit.locator('main header').getByText(NOT_APPROVED.en).waitFor();
});

it('claims no approval in the help of a changed game', async () => {
  const player = await staff.stage.terminal(CHANGED, 64);
  await player.getByRole('button', { name: 'Help' }).click();
  await player.locator('dialog').getByText(/^Approved as: /).waitFor();
  staff.house.table(CHANGED).change({ is_game_approved: false });
  await player.locator('dialog').getByText(/^Game NOT APPROVED: /).waitFor();
});

it('marks vouchers of the terminal and of the cage, and the receipt of a buy-in', async () => {
  staff.house.table(CHANGED).change({ is_game_approved: false });
  const player = await staff.stage.terminal(CHANGED, 63);
  await player.getByRole('button', { name: 'Cash out' }).click();
  await player.getByRole('button', { name: /Cash out all/ }).click();
  await player.getByRole('button', { name: /^Yes, cash out/ }).click();
  await player.locator('dialog[open] article').getByText(NOT_APPROVED.en).waitFor();
  await player.locator('dialog[open] article').getByText('VOID – training').waitFor();
  const cage = await staff.open('cage', 8);
  await cage.getByLabel('Amount').fill('250');
  await cage.getByRole('button', { name: 'Cash received: issue voucher' }).click();
  await cage.locator('dialog[open] article').getByText(NOT_APPROVED.en).waitFor();
  const desk = await staff.open(`console?table=${CHANGED}`, 3);
  await desk.getByRole('button', { name: /^Seat 63\b/ }).click();
  await desk.getByLabel('Buy-in in cash').fill('200');
  await desk.getByRole('button', { name: 'Buy in' }).click();
  await desk.getByRole('button', { name: 'Yes, take in 200.00' }).click();
  await desk.getByRole('region', { name: 'Receipt 1-0-1' }).getByText(NOT_APPROVED.en).waitFor();
  await desk.frameLocator('iframe[title]').getByText(NOT_APPROVED.en).waitFor({ state: 'attached' });
});
