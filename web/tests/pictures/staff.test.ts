// Pictures of every staff screen in its main states at three sizes, to be looked at.

import { expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { StaffStage, tab } from '../browser/staffStage';

const staffStage = new StaffStage();
const SIZES = { desk: { width: 1280, height: 800 }, wide: { width: 1920, height: 1080 }, standing: { width: 820, height: 1180 } };
const PHONE = { width: 390, height: 844 };

async function tabs(page: Page, screen: string, names: string[], name: string): Promise<void> {
  for (const [at, one] of names.entries()) {
    await tab(page, at);
    await page.locator('main table, main dl').first().waitFor();
    await staffStage.shot(page, `${screen}-${name}-${one}`);
  }
}

for (const [name, size] of Object.entries(SIZES)) {
  it(`the console, ${name}`, async () => {
    const table = staffStage.house.table(1);
    const page = await staffStage.open('console?table=1', 21, size);
    const shot = (what: string) => staffStage.shot(page, `console-${name}-${what}`);
    await page.locator('button[data-step]').waitFor();
    await shot('idle');
    table.open();
    table.forSeat({ place: { seat: 1, chips: 'own', stakes: [{ box: 'big', amount: 50_000 }, { box: 'sum:9', amount: 2_500 }] } });
    table.forSeat({ place: { seat: 2, chips: 'own', stakes: [{ box: 'small', amount: 10_000 }] } });
    await shot('open');
    await page.locator('nav button').first().click();
    await page.locator('dialog li [aria-pressed]:enabled').first().click();
    await shot('irregular');
    await page.keyboard.press('Escape');
    table.change({ phase: 'closed', closes_at: null, tumbles: 3 });
    await page.getByText('Enter the dice').waitFor();
    for (const face of ['2', '4', '6']) await page.keyboard.press(face);
    await shot('commit');
    await page.locator('nav button').last().click();
    await shot('table');
    await page.keyboard.press('Escape');
    table.commit([2, 4, 6]);
    await page.locator('[data-phase=settled]').waitFor();
    await shot('settled');
    expect(table.phase).toBe('settled');
  });

  it(`a live table, ${name}`, async () => {
    const table = staffStage.house.table(5);
    const page = await staffStage.open('console?table=5', 21, size);
    table.open();
    table.seat(2).view.credits = 900_000;
    table.forSeat({ place: { seat: 2, chips: 'own', stakes: [{ box: 'big', amount: 420_000 }, { box: 'small', amount: 20_000 }] } });
    await page.locator('aside .alarmed').first().waitFor();
    await staffStage.shot(page, `console-${name}-live`);
    await page.getByRole('region', { name: 'Players' }).getByRole('button').nth(1).click();
    await staffStage.shot(page, `console-${name}-entry`);
    await page.getByRole('button', { name: 'Seat …' }).click();
    await staffStage.shot(page, `console-${name}-seat`);
    await page.keyboard.press('Escape');
    table.change({ phase: 'closed', closes_at: null, tumbles: 3 });
    table.commit([2, 4, 6]);
    await page.getByRole('region', { name: /^Pay list/ }).waitFor();
    await staffStage.shot(page, `console-${name}-pay-list`);
  });

  it(`winners of a live table, ${name}`, async () => {
    const table = staffStage.house.table(4);
    table.change({ registration: 'winners' });
    table.open();
    const page = await staffStage.open('console?table=4', 21, size);
    await page.getByText('This table registers winners only').waitFor();
    await staffStage.shot(page, `console-${name}-winners-before`);
    table.close();
    table.commit([4, 4, 6]);
    for (const [seat, amount] of [[1, 10_000], [3, 5_000], [5, 15_000]] as const) table.forSeat({ register: { seat, stakes: [{ box: 'big', amount }] } });
    table.forSeat({ register: { seat: 6, stakes: [{ box: 'sum:14', amount: 2_500 }] } });
    await page.getByText('4 registered').waitFor();
    await staffStage.shot(page, `console-${name}-winners`);
    table.forSeat('all-registered');
    await page.getByRole('region', { name: /^Pay list/ }).waitFor();
    await staffStage.shot(page, `console-${name}-winners-paid`);
  });

  it(`the pit, ${name}`, async () => {
    staffStage.house.table(1).open();
    staffStage.house.table(7).change({ is_interrupted: true });
    const page = await staffStage.open('pit', 3, size);
    await page.locator('tbody tr:not(.stale)').nth(9).waitFor();
    await tabs(page, 'pit', ['tables', 'money', 'results', 'meters', 'dice', 'devices', 'people', 'record'], name);
    await page.locator('main button.first').click();
    await page.locator('.verdict').waitFor();
    await staffStage.shot(page, `pit-${name}-record`);
    await tab(page, 0);
    await page.locator('tbody button').nth(1).click();
    await staffStage.shot(page, `pit-${name}-correct`);
    await page.locator('dialog nav button').nth(4).click();
    await staffStage.shot(page, `pit-${name}-limits`);
  });

  it(`people, ${name}`, async () => {
    const page = await staffStage.open('pit', 11, size);
    await tab(page, 1);
    await staffStage.shot(page, `pit-${name}-enrol`);
    await tab(page, 2);
    await page.locator('main .top button').click();
    await staffStage.shot(page, `pit-${name}-engage`);
    await page.keyboard.press('Escape');
    await page.locator('tbody button').nth(2).click();
    await staffStage.shot(page, `pit-${name}-person`);
  });

  it(`the cage, ${name}`, async () => {
    const page = await staffStage.open('cage', 8, size);
    await staffStage.shot(page, `cage-${name}`);
    await page.locator('.now input').first().fill('123456789012340411');
    await page.keyboard.press('Enter');
    await page.locator('.refused').waitFor();
    await staffStage.shot(page, `cage-${name}-refused`);
    await page.locator('.now input').first().fill('123456789012345678');
    await page.keyboard.press('Enter');
    await page.locator('.paid').waitFor();
    await staffStage.shot(page, `cage-${name}-paid`);
    await page.getByLabel('Amount').fill('250');
    await page.keyboard.press('Enter');
    await page.locator('dialog').waitFor();
    await staffStage.shot(page, `cage-${name}-voucher`);
  });

  it(`the audit, ${name}`, async () => {
    const page = await staffStage.open('audit', 9, size);
    await tabs(page, 'audit', ['events', 'rounds', 'meters', 'verify'], name);
    await tab(page, 1);
    await page.getByRole('button', { name: 'Open 70' }).click();
    await page.locator('[data-laid=big] .chip').first().waitFor();
    await staffStage.shot(page, `audit-${name}-round`);
  });
}

it('the pit on a phone', async () => {
  const page = await staffStage.open('pit', 5, PHONE);
  staffStage.house.staff.show('approvals', [{ id: 9, act: 'correct', by: 3, asked: Date.now(), answer: 'waiting', what: JSON.stringify({ table: { table: 2, round: { correct: { round: 73, dice: [2, 4, 6], why: 'The two was read as a three' } } } }) }]);
  await page.getByRole('button', { name: 'Approve' }).waitFor();
  await staffStage.shot(page, 'pit-phone');
});

it('the cage on a phone', async () => {
  const page = await staffStage.open('cage', 8, PHONE);
  await staffStage.shot(page, 'cage-phone');
});
