// The cage in a real browser: a voucher is sold, redeemed and refused, and what is owed is paid and collected once.

import { describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { faults, spilling } from './faults';
import { Fixture } from './fixture';
import { caughtUp, hold } from './stage';

const fixture = new Fixture();
const staff = (...how: Parameters<typeof fixture.stage.staff>) => fixture.stage.staff(...how);
const shot = (page: Page, name: string) => fixture.shot(page, name);

describe('the cage', () => {
  it('sells and redeems a voucher, and says where it was paid (F40, F41)', async () => {
    const page = await staff('cage', 8);
    await page.getByLabel('Validation number').fill('12 3456 7890 1234 0411');
    await page.getByRole('button', { name: 'Redeem' }).click();
    await page.getByText(/Paid on .* at the cage by Noraini Ahmad/).waitFor();
    await shot(page, 'cage-refused');
    expect(await faults(page)).toEqual([]);
    expect(await spilling(page)).toEqual([]);
    await page.getByLabel('Validation number').fill('123456789012345678');
    await page.keyboard.press('Enter');
    await page.getByText('Pay out 500.00 in cash').waitFor();
    await page.getByLabel('Amount').fill('250');
    await page.getByRole('button', { name: 'Cash received: issue voucher' }).click();
    await page.getByText('12 3456 7890 1234 5678').waitFor();
    await shot(page, 'cage-voucher');
    expect(fixture.house.staff.received).toContainEqual({ sell: { amount: 25_000 } });
  });

  it('sells above the limit with a second person, and shows the voucher where it was sold (F50)', async () => {
    const page = await staff('cage', 8);
    const second = await staff('pit', 3);
    await page.getByLabel('Amount').fill('6000');
    await page.getByRole('button', { name: 'Cash received: issue voucher' }).click();
    await second.getByText('Sell a voucher for 6,000.00.').waitFor();
    await second.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('12 3456 7890 1234 5678').waitFor();
    await page.getByRole('button', { name: 'Handed over' }).click();
    expect(fixture.house.staff.received.filter((one) => JSON.stringify(one) === '{"sell":{"amount":600000}}')).toHaveLength(2);
  });

  it('shows what was set off of claims and receivables beside what is left', async () => {
    const page = await staff('cage', 8);
    await page.getByRole('region', { name: 'Hand-pays' }).getByText('600.00 less 175.00 set off').waitFor();
    await page.getByRole('region', { name: 'Receivables' }).getByText('400.00 less 250.00 set off or collected').waitFor();
    await shot(page, 'cage-set-off');
    expect(await spilling(page)).toEqual([]);
  });

  it('keeps a sold voucher in view until the cashier is done with it (F42)', async () => {
    const page = await staff('cage', 8);
    await page.evaluate(() => (window.print = () => document.documentElement.setAttribute('data-printed', '')));
    await page.getByLabel('Amount').fill('250');
    await page.keyboard.press('Enter');
    const number = page.getByText('12 3456 7890 1234 5678');
    await number.waitFor();
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Print');
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    await caughtUp(page);
    await page.locator('dialog[open]').getByText('12 3456 7890 1234 5678').waitFor();
    await page.getByRole('button', { name: 'Handed over' }).click();
    await number.waitFor({ state: 'detached' });
  });

  it('names a sale without a reply, and retries it under its number', async () => {
    const page = await staff('cage', 8);
    const numbers: number[] = [];
    let isBack = false;
    await page.route('**/house/commands', async (route) => {
      numbers.push((route.request().postDataJSON() as { sequence: number }).sequence);
      await (isBack ? route.continue() : route.fulfill({ status: 409, json: { refused: { code: 'too-slow', paragraphs: [], sentence: '' } } }));
    });
    await page.getByLabel('Amount').fill('250');
    await page.keyboard.press('Enter');
    const sheet = page.getByRole('dialog', { name: 'No reply from the server' });
    await sheet.getByText('We could not confirm “Sell a voucher for 250.00”. Retrying is safe: it happens only once.').waitFor();
    await shot(page, 'cage-unanswered');
    isBack = true;
    await page.getByText('12 3456 7890 1234 5678').waitFor();
    await sheet.waitFor({ state: 'detached' });
    expect([numbers.length > 5, new Set(numbers).size]).toEqual([true, 1]);
  });

  it('collects what is owed once, however often it is pressed', async () => {
    const page = await staff('cage', 5);
    let go = () => {};
    const isPressedTwice = new Promise<void>((done) => (go = done));
    await page.route('**/house/commands', (route) => isPressedTwice.then(() => route.continue()));
    await page.getByRole('button', { name: 'Collected' }).first().click();
    await page.locator('dialog').getByLabel('Reason').fill('Paid at the desk');
    const collect = page.locator('dialog button.first');
    await collect.click();
    await collect.evaluate((button: HTMLElement) => button.click());
    go();
    await page.locator('dialog').waitFor({ state: 'detached' });
    await caughtUp(page);
    expect(fixture.house.staff.received.filter((one) => JSON.stringify(one).includes('rule-receivable'))).toHaveLength(1);
  });

  it('pays a claim that is held', async () => {
    const page = await staff('cage', 8, { width: 1280, height: 800 }, 'zh-Hant');
    const claim = page.getByRole('row').filter({ hasText: '12,500.00' }).getByRole('button').last();
    await hold(claim, () => claim.waitFor({ state: 'detached' }));
    await shot(page, 'cage-zh-Hant');
    expect(await spilling(page)).toEqual([]);
    expect(await faults(page)).toEqual([]);
  });

  it('finds a voucher by its terminal; two people reissue it (F42)', async () => {
    const page = await staff('cage', 8);
    const second = await staff('pit', 3);
    const vouchers = page.getByRole('region', { name: 'Vouchers' });
    await vouchers.getByLabel('Search: table/seat').fill('1/3');
    await vouchers.getByRole('row').filter({ hasText: '…9021' }).filter({ hasText: 'not confirmed' }).getByRole('button', { name: 'Reissue' }).click();
    await second.getByText('Reissue voucher № 11.').waitFor();
    await second.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('12 3456 7890 1234 5690').waitFor();
    await shot(page, 'cage-anew');
    expect(await faults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Handed over' }).click();
    await page.locator('dialog').waitFor({ state: 'detached' });
    await vouchers.getByRole('row').filter({ hasText: '…9021' }).filter({ hasText: 'replaced' }).waitFor();
    expect(fixture.house.staff.received).toContainEqual({ 'confirm-voucher': { serial: 13 } });
    // The pit sees the same list.
    await second.getByRole('button', { name: 'Money' }).click();
    await second.getByRole('region', { name: 'Vouchers' }).getByRole('row').filter({ hasText: '…5690' }).waitFor();
    expect(await spilling(second)).toEqual([]);
  });

  it('an attendant takes a claim before it is paid', async () => {
    const page = await staff('cage', 8);
    const claim = page.getByRole('region', { name: 'Hand-pays' }).getByRole('row').filter({ hasText: '425.00' });
    await claim.getByRole('button', { name: 'I will pay this' }).click();
    await claim.getByText('Noraini Ahmad is paying this').waitFor();
    expect(fixture.house.staff.received).toContainEqual({ 'take-claim': { claim: 13 } });
  });
});
