// The audit in a real browser: void rounds as they looked, and answers that come late.

import { expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { faults, spilling } from './faults';
import { StaffStage, tab } from './office';

const office = new StaffStage();
const lines = (page: Page) => page.getByRole('table', { name: 'Every line' });
const rows = (page: Page) => lines(page).locator('tbody tr').allTextContents();
const open = async (page: Page, round: number) => {
  await tab(page, 1);
  await page.getByRole('button', { name: `Open ${round}` }).click();
  await page.locator('[data-laid=big] .chip').first().waitFor();
};

/** What a request waits for. */
const gate = () => {
  let go = () => {};
  const isOpen = new Promise<void>((done) => (go = done));
  return { go, isOpen };
};

it('draws a round that was void from the start with every stake returned', async () => {
  const page = await office.open('audit', 9);
  await open(page, 68);
  expect(await lines(page).locator('tbody tr').count()).toBe(6);
  expect(await rows(page)).toContain('2Small100.00–100.00–0.00');
  expect(await page.locator('.won').count()).toBe(0);
  expect(await faults(page)).toEqual([]);
  expect(await spilling(page)).toEqual([]);
});

it('pays nobody of a round that became void, and shows what was settled first', async () => {
  const page = await office.open('audit', 9);
  await open(page, 66);
  await page.getByRole('button', { name: 'As it stands', pressed: true }).waitFor();
  expect(await page.locator('tr.won').count()).toBe(0);
  expect(await rows(page)).toContain('2Small100.00–100.00–0.00');
  expect(await page.locator('[data-laid=big] .chip').count()).toBeGreaterThan(0);
  await page.getByRole('button', { name: 'As it was settled first' }).click();
  expect(await page.locator('tr.won').count()).toBeGreaterThan(0);
});

it('shows no rounds of a table that is no longer chosen', async () => {
  const page = await office.open('audit', 9);
  await tab(page, 1);
  await page.getByRole('button', { name: 'Open 73' }).waitFor();
  const { go, isOpen } = gate();
  await page.route('**/tables/2/rounds?**', async (route) => {
    await isOpen;
    await route.fulfill({ json: { lines: [{ round: 999, dice: [1, 2, 3], changes: 0, void: null, opened_at: 0, wagers: 0, staked: 0, paid: 0 }] } });
  });
  await page.getByRole('combobox').selectOption('2');
  expect(await page.getByRole('button', { name: 'Open 73' }).count()).toBe(0);
  await page.getByRole('combobox').selectOption('3');
  await page.getByRole('button', { name: 'Open 73' }).waitFor();
  const late = page.waitForResponse('**/tables/2/rounds?**');
  go();
  await late;
  await page.evaluate(() => new Promise((done) => setTimeout(done, 100)));
  expect(await page.getByRole('button', { name: 'Open 999' }).count()).toBe(0);
});
