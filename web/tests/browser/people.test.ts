// Two people in two browsers add and change people and issue passwords; files are saved, and refusals shown.

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { StaffStage } from './staffStage';
import { expectNotice } from './notices';

const staffStage = new StaffStage();
const tab = (page: Page, name: string) => page.getByRole('navigation').getByRole('button', { name, exact: true }).click();

it('engages a person with a second person, and gives a one-time password (F50, F51)', async () => {
  const administrator = await staffStage.open('pit', 11);
  const supervisor = await staffStage.open('pit', 3);
  await tab(administrator, 'People');
  await administrator.getByRole('button', { name: 'Add a person' }).click();
  await administrator.getByLabel('Number').fill('31');
  await administrator.getByLabel('Name').fill('Goh Li Ting');
  await administrator.getByLabel('Dealer').check();
  await administrator.getByRole('button', { name: 'Ask for approval' }).click();
  await supervisor.getByText('Add person 31, Goh Li Ting, as Dealer.').waitFor();
  await supervisor.getByRole('button', { name: 'Approve' }).click();
  await administrator.getByRole('row').filter({ hasText: 'Goh Li Ting' }).getByRole('button').click();
  await administrator.getByRole('button', { name: 'New one-time password' }).click();
  await supervisor.getByText('New one-time password for person 31.').waitFor();
  await supervisor.getByRole('button', { name: 'Approve' }).click();
  await administrator.getByRole('heading', { name: 'One-time password for Goh Li Ting, shown only once' }).waitFor();
  await administrator.getByText('tulip-harbour-seven-92').waitFor();
});

it('changes roles, clears a lock, suspends and reinstates', async () => {
  const administrator = await staffStage.open('pit', 11);
  const supervisor = await staffStage.open('pit', 3);
  const row = administrator.getByRole('row').filter({ hasText: 'Ravi Kumar' });
  const approve = async (text: string) => {
    await supervisor.getByText(text).waitFor();
    await supervisor.getByRole('button', { name: 'Approve' }).click();
  };
  const act = async (name: string) => {
    await row.getByRole('button').click();
    await administrator.locator('dialog').getByRole('button', { name }).click();
  };
  await tab(administrator, 'People');
  await act('Clear sign-in lock');
  await approve('Clear the sign-in lock of person 22.');
  await row.getByText('active').waitFor();
  await row.getByRole('button').click();
  await administrator.getByLabel('Pit Supervisor').check();
  await administrator.getByRole('button', { name: 'Change roles' }).click();
  await approve('Person 22: replace the roles with Dealer, Pit Supervisor.');
  await row.getByText('Dealer, Pit Supervisor').waitFor();
  await act('Suspend');
  await approve('Suspend person 22: all rights are removed.');
  await row.getByText('suspended').waitFor();
  await act('Reinstate');
  await approve('Reinstate person 22 with the roles on file.');
  await row.getByText('active').waitFor();
});

it('offers people and reports to those who may, and no others', async () => {
  const administrator = await staffStage.open('pit', 11);
  await administrator.getByRole('row').nth(5).waitFor();
  expect(await administrator.getByRole('navigation').getByRole('button').allTextContents()).toEqual(['Tables', 'Terminals', 'People']);
  const supervisor = await staffStage.open('pit', 3);
  await tab(supervisor, 'People');
  await supervisor.getByText('An Administrator manages people').waitFor();
  expect(await supervisor.locator('main tbody button').count()).toBe(0);
});

it('saves meters and results for a spreadsheet, and evidence of a round (F35, F72)', async () => {
  const page = await staffStage.open('pit', 3);
  const saved = async (button: string) => {
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: button }).click()]);
    return [download.suggestedFilename(), readFileSync(await download.path(), 'utf8')];
  };
  await tab(page, 'Meters');
  await page.getByText('matches the ledger').first().waitFor();
  expect(await saved('Save as CSV')).toEqual(['meters.csv', 'reports/meters\r\n1\r\n']);
  await tab(page, 'Results');
  expect(await saved('Save as CSV')).toEqual(['results-by-day.csv', 'reports/results\r\n1\r\n']);
  await page.context().clearCookies();
  await page.getByRole('button', { name: 'Save as CSV' }).click();
  await expectNotice(page, 'Sign in first.');
});

it('clears the lock of a large win and of wrong voucher numbers (F33, F45)', async () => {
  const page = await staffStage.open('pit', 3);
  await tab(page, 'Terminals');
  await page.getByRole('button', { name: 'Clear the lock table 1, seat 3' }).click();
  await page.getByRole('button', { name: 'Clear the lock', exact: true }).click();
  await page.getByRole('listitem').filter({ hasText: 'Vouchers locked after wrong numbers' }).filter({ hasText: 'Acknowledged by' }).waitFor();
  expect(staffStage.house.staff.received).toContainEqual({ cluster: { number: 0, command: { 'clear-lock': { seat: 3 } } } });
  expect(staffStage.house.staff.received).toContainEqual({ 'clear-redemption-lock': { redeemer: { seat: { cluster: { table: 1, number: 0 }, seat: 4 } } } });
});

it('calls no terminal connected that is not', async () => {
  const seat = staffStage.house.table(1).seat(2);
  const { screen } = seat;
  [seat.screen, seat.view.session] = [null, null];
  const page = await staffStage.open('pit', 3);
  await tab(page, 'Terminals');
  await page.getByRole('row').filter({ hasText: 'table 1, seat 2' }).getByText('no player').waitFor();
  await page.getByRole('row').filter({ hasText: 'table 1, seat 1' }).getByText('connected').waitFor();
  [seat.screen, seat.view.session] = [screen, 7];
});

it('shows the approver of a correction the registered result (F12)', async () => {
  const first = await staffStage.open('pit', 3);
  const second = await staffStage.open('pit', 5);
  await first.getByRole('button', { name: /Act Table 2/ }).click();
  await first.locator('dialog').getByText('Registered: 6 3 6 · 15').waitFor();
  for (const face of [2, 4, 6]) await first.locator('dialog').getByRole('button', { name: `Face ${face}` }).click();
  await first.locator('dialog').getByLabel('Reason').fill('misread');
  await first.getByRole('button', { name: 'Ask for approval' }).click();
  await second.getByText('Registered now: 6 3 6 (15)').waitFor();
  await second.getByRole('button', { name: 'Refuse' }).click();
  await expectNotice(first, 'Your request was refused.');
});

it('prints the server’s page of a voucher (F40)', async () => {
  const page = await staffStage.open('cage', 8);
  await page.getByLabel('Amount').fill('250');
  await page.getByRole('button', { name: 'Cash received: issue voucher' }).click();
  const frame = page.frameLocator('iframe[title]');
  await frame.getByText('$250.00').waitFor({ state: 'attached' });
  await page.evaluate(() => (document.querySelector('iframe')!.contentWindow!.print = () => (document.title = 'printed')));
  await page.locator('dialog').getByRole('button', { name: 'Print' }).click();
  expect(await page.title()).toBe('printed');
});

it('voids a voucher with a second person, and pays an expired one by a ruling', async () => {
  const cashier = await staffStage.open('cage', 8);
  await cashier.getByLabel('Validation number').fill('123456789012345678');
  await cashier.getByText('Void a voucher').click();
  await cashier.getByLabel('Reason').fill('printed twice');
  await cashier.getByRole('button', { name: 'Void this voucher' }).click();
  const manager = await staffStage.open('cage', 5);
  await manager.getByText('Void a voucher; its amount becomes a claim.').waitFor();
  await manager.getByLabel('Validation number').fill('123456789012345678');
  await manager.getByLabel('Reason').fill('ill for a month');
  await manager.getByRole('button', { name: 'Pay an expired voucher (ruling)' }).click();
  await expectNotice(manager, 'The voucher is now a claim');
  expect(staffStage.house.staff.received).toContainEqual({ 'pay-expired': { number: '123456789012345678', why: 'ill for a month' } });
});
