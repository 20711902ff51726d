// Vouchers from hand to hand: out of a terminal, into another one, and over the counter of the cage, each paid once.

import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { buyIn, meter, openTable } from './play';
import { premises } from './premises';

const at = premises();
const NUMBER = /\b\d{2}(?: \d{4}){4}\b/;
let first: Page, second: Page, cage: Page;

/** The number on the voucher that is shown, which is also on the page that is printed. */
async function voucherNumber(page: Page, figures: string): Promise<string> {
  const number = (await page.getByText(NUMBER).first().textContent())!.match(NUMBER)![0];
  await page.getByText(figures).first().waitFor();
  const printed = page.frameLocator('iframe').locator('body');
  await printed.getByText(number).first().waitFor({ state: 'attached' });
  await printed.getByText('Fountain House').first().waitFor({ state: 'attached' });
  return number;
}

async function cashOut(terminal: Page, amount: string): Promise<string> {
  await terminal.getByRole('button', { name: 'Cash out' }).click();
  await terminal.getByRole('button', { name: `Cash out all ${amount} to a voucher` }).click();
  await terminal.getByRole('button', { name: `Yes, cash out ${amount}` }).click();
  const number = await voucherNumber(terminal, amount);
  await terminal.getByRole('button', { name: 'I have it', exact: true }).click();
  await terminal.locator('dialog').waitFor({ state: 'detached' });
  await meter(terminal, 'Credits', 0);
  return number;
}

async function redeem(terminal: Page, number: string): Promise<void> {
  await terminal.getByRole('button', { name: 'Money' }).click();
  await terminal.getByLabel('Number on the voucher').fill(number);
  await terminal.getByRole('button', { name: 'Add credits' }).click();
}

async function pay(number: string): Promise<void> {
  await cage.getByLabel('Validation number').fill(number);
  await cage.getByRole('button', { name: 'Redeem' }).click();
}

describe('a voucher', () => {
  it('goes out of one terminal and in at another, once', async () => {
    await openTable(at(), 1);
    const dealer = await at().staff('dealer', '/console?table=1');
    [first, second] = await Promise.all([at().terminal(1), at().terminal(2)]);
    await buyIn(dealer, 1, '123.50');
    await meter(first, 'Credits', 12_350);
    const number = await cashOut(first, '123.50');
    await redeem(second, number);
    await second.getByText('The credits are being added.').waitFor();
    await second.keyboard.press('Escape');
    await meter(second, 'Credits', 12_350);
    await redeem(first, number);
    await first.getByText('This voucher was already paid.').waitFor();
    await first.keyboard.press('Escape');
    cage = await at().staff('cashier', '/cage');
    await pay(number);
    await cage.getByText(/Paid on .* at table 1, seat 2/).waitFor();
  });

  it('goes out of a terminal and is paid at the cage, once (F40, F41)', async () => {
    const number = await cashOut(second, '123.50');
    await pay(number);
    await cage.getByText('Pay out 123.50 in cash').waitFor();
    await pay(number);
    await cage.getByText(/Paid on .* at the cage/).waitFor();
  });

  it('is sold at the cage, printed, and played with at a terminal', async () => {
    await cage.addInitScript(() => (window.print = () => document.documentElement.setAttribute('data-printed', '')));
    await cage.reload();
    await cage.getByLabel('Amount').fill('250');
    await cage.getByRole('button', { name: 'Cash received: issue voucher' }).click();
    const number = await voucherNumber(cage, '250.00');
    await cage.getByRole('button', { name: 'Print' }).click();
    const frame = cage.frames().find((one) => one !== cage.mainFrame())!;
    await expect.poll(() => frame.locator('html').getAttribute('data-printed')).toBe('');
    expect(await frame.evaluate(() => [...document.styleSheets].every(({ cssRules }) => cssRules.length > 0) && document.styleSheets.length)).toBe(1);
    await cage.getByRole('button', { name: 'Handed over' }).click();
    await redeem(first, number);
    await first.getByText('The credits are being added.').waitFor();
    await meter(first, 'Credits', 25_000);
    await first.keyboard.press('Escape');
  });

  it('is shown under a new number after a reload: the old one is dead, the new one is paid (F42)', async () => {
    await first.getByRole('button', { name: 'Cash out' }).click();
    await first.getByRole('button', { name: 'Cash out all 250.00 to a voucher' }).click();
    await first.getByRole('button', { name: 'Yes, cash out 250.00' }).click();
    const dead = await voucherNumber(first, '250.00');
    await first.reload();
    const card = first.locator('[data-card=voucher]');
    await card.getByText(`Do you have your voucher for 250.00, number …${dead.slice(-4)}?`).waitFor();
    await card.getByRole('button', { name: 'Show it with a new number' }).click();
    const number = await voucherNumber(first, '250.00');
    expect(number).not.toBe(dead);
    await pay(dead);
    await cage.getByText(/Reissued on .* this number no longer works/).waitFor();
    await pay(number);
    await cage.getByText('Pay out 250.00 in cash').waitFor();
    // It was not confirmed at the terminal: after a reload the player reads what became of it.
    await first.reload();
    await first.locator('[data-card=voucher-paid]').getByText(/was redeemed at the cage/).waitFor();
    await first.getByRole('button', { name: 'I have read this' }).click();
    await first.locator('[data-card]').waitFor({ state: 'detached' });
  });

  it('is not made up', async () => {
    await pay('12 3456 7890 1234 5678');
    await cage.getByText('There is no such voucher. Check the number.').waitFor();
  });
});
