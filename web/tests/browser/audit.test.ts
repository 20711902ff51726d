// The audit in a real browser: events are searched, rounds are drawn as they looked, the record is verified, and answers come late or in
// pages.

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { faults, spilling } from './faults';
import { StaffStage, tab } from './staffStage';
import { caughtUp } from './stage';
import { expectNotice } from './notices';

const staffStage = new StaffStage();
const lines = (page: Page) => page.getByRole('table', { name: 'All bets' });
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
  const page = await staffStage.open('audit', 9);
  await open(page, 68);
  expect(await lines(page).locator('tbody tr').count()).toBe(6);
  expect(await rows(page)).toContain('2Small100.00–100.00–0.00');
  expect(await page.locator('.won').count()).toBe(0);
  expect(await faults(page)).toEqual([]);
  expect(await spilling(page)).toEqual([]);
});

it('shows no payout for a late void, and the first settlement beside it', async () => {
  const page = await staffStage.open('audit', 9);
  await open(page, 66);
  await page.getByRole('button', { name: 'As it stands', pressed: true }).waitFor();
  expect(await page.locator('tr.won').count()).toBe(0);
  expect(await rows(page)).toContain('2Small100.00–100.00–0.00');
  expect(await page.locator('[data-laid=big] .chip').count()).toBeGreaterThan(0);
  await page.getByRole('button', { name: 'As first settled' }).click();
  expect(await page.locator('tr.won').count()).toBeGreaterThan(0);
});

it('saves all events, page after page', async () => {
  const page = await staffStage.open('audit', 9);
  const requests: URLSearchParams[] = [];
  await page.route('**/events?**format=csv**', (route) => {
    const fields = new URL(route.request().url()).searchParams;
    requests.push(fields);
    return route.fulfill({ body: `kind\r\n${fields.get('after') ?? 'first'}\r\n`, headers: requests.length < 3 ? { 'taisai-after': `page-${requests.length}` } : {} });
  });
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Save as CSV' }).click()]);
  expect(readFileSync(await download.path(), 'utf8')).toBe('kind\r\nfirst\r\npage-1\r\npage-2\r\n');
  expect(requests.map((fields) => fields.get('limit'))).toEqual(['1000', '1000', '1000']);
  await expectNotice(page, 'Saved as events.csv.');
});

it('finds more events of the last search, whatever was typed since', async () => {
  const page = await staffStage.open('audit', 9);
  // There are more of the search alone: what came before it has no older ones.
  await page.route('**/events?**table=2**', async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, json: { ...(await answer.json()), after: '9.t.1' } });
  });
  await page.getByRole('textbox', { name: 'Table' }).fill('2');
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByRole('textbox', { name: 'Table' }).fill('3');
  const [more] = await Promise.all([page.waitForRequest('**/events?**after=**'), page.getByRole('button', { name: 'Older' }).click()]);
  expect(Object.fromEntries(new URL(more.url()).searchParams)).toMatchObject({ table: '2', after: '9.t.1' });
});

it('shows no rounds of a table that is no longer chosen', async () => {
  const page = await staffStage.open('audit', 9);
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
  await (await late).finished();
  await caughtUp(page);
  expect(await page.getByRole('button', { name: 'Open 999' }).count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Open 73' }).count()).toBe(1);
});

it('searches events, and draws a round with the paragraph of each bet', async () => {
  const page = await staffStage.open('audit', 9);
  await page.getByRole('row').nth(20).waitFor();
  await staffStage.shot(page, 'audit-events');
  expect(await faults(page)).toEqual([]);
  expect(await spilling(page)).toEqual([]);
  await page.getByRole('textbox', { name: 'Table' }).fill('2');
  const time = page.getByLabel(/^From, at/);
  expect(await time.isDisabled()).toBe(true);
  await page.getByLabel('From gaming day', { exact: true }).fill('2027-01-15');
  await time.fill('02:00');
  expect(await page.getByLabel('From date', { exact: true }).inputValue()).toBe('2027-01-15');
  await page.getByLabel('To gaming day', { exact: true }).fill('2027-01-15');
  const [sought] = await Promise.all([page.waitForRequest('**/events?**'), page.getByRole('button', { name: 'Search' }).click()]);
  expect(Object.fromEntries(new URL(sought.url()).searchParams)).toMatchObject({ from: '2027-01-15T02:00', to: '2027-01-15', table: '2' });
  await page.getByRole('navigation').getByRole('button', { name: 'Rounds' }).click();
  await page.getByRole('button', { name: 'Open 73' }).waitFor();
  await staffStage.shot(page, 'audit-rounds');
  await page.getByRole('button', { name: 'Open 70' }).click();
  await page.locator('[data-laid=big] .chip').first().waitFor();
  await staffStage.shot(page, 'audit-round');
  expect(await faults(page)).toEqual([]);
  expect(await spilling(page)).toEqual([]);
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download evidence' }).click()]);
  expect(download.suggestedFilename()).toBe('table-1-round-70.evidence');
});

it('verifies the record with progress', async () => {
  const page = await staffStage.open('audit', 9, { width: 1280, height: 800 }, 'zh-Hans');
  const modes: (string | undefined)[] = [];
  page.on('request', (request) => void (/verifications\/|record$|lag$/.test(request.url()) && modes.push(request.headers()['taisai-unattended'])));
  await page.getByRole('navigation').getByRole('button').nth(3).click();
  await page.locator('button.first').click();
  await page.getByText('记录完整').waitFor();
  expect(new Set(modes)).toEqual(new Set(['yes']));
  await staffStage.shot(page, 'audit-verify');
  expect(await faults(page)).toEqual([]);
  expect(await spilling(page)).toEqual([]);
});
