// Money beside the credits, as the player sees it: each card stays until it is done, over a reload too.

import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { faults, spilling } from './faults';
import { PlayerStage } from './seats';
import { SIZES } from './stage';

const seats = new PlayerStage();
const NUMBER = /^12 3456 7890 1234 \d{4}$/;

async function cashOut(page: Page, how: RegExp): Promise<void> {
  await page.getByRole('button', { name: 'Cash out' }).click();
  await page.getByRole('button', { name: how }).click();
  await page.getByRole('button', { name: /^Yes, cash out/ }).click();
}

const card = (page: Page, kind: string) => page.locator(`[data-card=${kind}]`);

describe('a voucher', () => {
  it.each([SIZES.desk, SIZES.phone])('is offered under a new number after a reload, never under the old one (F42, $width px)', async (size) => {
    const page = await seats.open(1, size === SIZES.desk ? 40 : 47, size);
    await cashOut(page, /Cash out all/);
    const number = (await page.getByText(NUMBER).first().textContent())!;
    await page.reload();
    await card(page, 'voucher').getByText(`Do you have your voucher for 1,000.00, number …${number.slice(-4)}?`).waitFor();
    expect(await page.getByText(NUMBER).count()).toBe(0);
    await seats.shot(page, `terminal-card-voucher-${size.width}`);
    expect(await faults(page)).toEqual([]);
    expect(await spilling(page)).toEqual([]);
    await page.getByRole('button', { name: 'Show it with a new number' }).click();
    const anew = (await page.getByText(NUMBER).first().textContent())!;
    expect(anew).not.toBe(number);
    await page.getByRole('button', { name: 'I have it' }).click();
    await page.locator('dialog').waitFor({ state: 'detached' });
    await page.reload();
    await page.getByText('Welcome. Add credits to play.').waitFor();
    expect(await card(page, 'voucher').count()).toBe(0);
  });

  it('is confirmed from the card by a player who has it', async () => {
    const page = await seats.open(1, 41);
    await cashOut(page, /Cash out all/);
    await page.getByText(NUMBER).first().waitFor();
    await page.reload();
    await card(page, 'voucher').getByRole('button', { name: 'I have it' }).click();
    await card(page, 'voucher').waitFor({ state: 'detached' });
  });

  it('says where it was redeemed meanwhile', async () => {
    const page = await seats.open(1, 42);
    const table = seats.house.table(1);
    const state = { paid: { time: Date.now(), at: { cage: 8 } } };
    const voucher = { serial: 9, amount: 33_500, last_digits: 42, issued: 1, expires: 2, session: 7, state };
    table.update(table.seat(42), { credits: 0, session: null, money: { claims: [], paid: [], voucher, coming: 0 } });
    await card(page, 'voucher-paid').getByText(/Your voucher for 335.00, number …0042, was redeemed at the cage on/).waitFor();
    await page.getByRole('button', { name: 'I have read this' }).click();
    await card(page, 'voucher-paid').waitFor({ state: 'detached' });
  });
});

describe('a claim', () => {
  it('stays until it is paid, over a reload too, and can be taken back', async () => {
    const page = await seats.open(1, 43);
    await cashOut(page, /Call an attendant/);
    const claim = card(page, 'claim');
    await claim.getByText(/An attendant will pay you 1,000.00. Claim \d+./).waitFor();
    await claim.getByText('Waiting for an attendant.').waitFor();
    await seats.shot(page, 'terminal-card-claim');
    await page.reload();
    await claim.getByRole('button', { name: 'Take it back as credits' }).click();
    await claim.waitFor({ state: 'detached' });
    await expect.poll(() => seats.house.table(1).seat(43).view.credits).toBe(100_000);
  });

  it('says that an attendant has it, and that it was paid until that is read', async () => {
    const page = await seats.open(1, 44);
    const table = seats.house.table(1);
    await cashOut(page, /Call an attendant/);
    await card(page, 'claim').waitFor();
    const seat = table.seat(44);
    const [claim] = seat.view.money!.claims;
    table.update(seat, { money: { ...seat.view.money!, claims: [{ ...claim!, is_taken: true, can_be_taken_back: false }] } });
    await card(page, 'claim').getByText('An attendant is on the way.').waitFor();
    expect(await card(page, 'claim').getByRole('button').count()).toBe(0);
    const { claim: number, amount, origin } = claim!;
    table.update(seat, { money: { claims: [], paid: [{ claim: number, amount, origin, time: 1 }], voucher: null, coming: 0 } });
    await card(page, 'paid').getByText(/An attendant paid you 1,000.00./).waitFor();
    await page.reload();
    await card(page, 'paid').getByRole('button', { name: 'I have read this' }).click();
    await card(page, 'paid').waitFor({ state: 'detached' });
  });
});

it('pending credits are shown until they arrive', async () => {
  const page = await seats.open(1, 45);
  const table = seats.house.table(1);
  table.update(table.seat(45), { money: { claims: [], paid: [], voucher: null, coming: 5_000 } });
  await card(page, 'coming').getByText('50.00 is being added to your credits.').waitFor();
  table.update(table.seat(45), { money: { claims: [], paid: [], voucher: null, coming: 0 }, credits: 105_000 });
  await card(page, 'coming').waitFor({ state: 'detached' });
});

it('a cash-out is confirmed with its amount, and again if that changes', async () => {
  const page = await seats.open(1, 46);
  await page.getByRole('button', { name: 'Cash out' }).click();
  await page.getByRole('button', { name: 'Cash out all 1,000.00 to a voucher' }).click();
  await page.getByRole('button', { name: 'Yes, cash out 1,000.00' }).waitFor();
  seats.house.table(1).update(seats.house.table(1).seat(46), { credits: 120_000 });
  await page.getByRole('button', { name: 'Cash out all 1,200.00 to a voucher' }).click();
  await page.getByRole('button', { name: 'Back' }).click();
  await page.getByRole('button', { name: 'Cash out all 1,200.00 to a voucher' }).waitFor();
  expect(seats.house.table(1).seat(46).view.credits).toBe(120_000);
});
