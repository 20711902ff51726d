// After a round of a live table: whom to pay, by seat and box, until the next round opens, and found again afterwards.

import { describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import type { Box, PayLine } from '../../src/protocol/messages';
import { faults, leftOver, small, spilling } from './faults';
import { Fixture } from './fixture';

const fixture = new Fixture();
const LIVE = 8;

async function well(page: Page): Promise<void> {
  expect(await spilling(page)).toEqual([]);
  expect(await small(page, 64)).toEqual([]);
  expect(await faults(page)).toEqual([]);
}

/** A round with bets of five seats, of whom three win. */
function play(end: 'commit' | 'void' = 'commit', table = fixture.house.table(LIVE)): void {
  const place = (seat: number, box: Box, amount: number) => table.forSeat({ place: { seat, chips: 'own', stakes: [{ box, amount }] } });
  table.open();
  place(7, 'small', 20_000);
  place(2, 'big', 30_000);
  place(2, 'sum:12', 2_500);
  place(2, 'single:1', 5_000);
  place(3, 'single:6', 5_000);
  place(9, 'domino:46', 1_000);
  place(9, 'small', 10_000);
  place(10, 'any-triple', 2_500);
  table.close();
  if (end === 'void') table.void('not-flat');
  else table.commit([2, 4, 6]);
}

const listOf = (page: Page) => page.getByRole('region', { name: /^Pay list of round/ });
const seat = (page: Page, number: number) => listOf(page).getByRole('button', { name: new RegExp(`^Seat ${number} `) });

describe('the pay list', () => {
  it('says after the round whom to pay, is ticked off by seat over a reload, and goes when the next round opens', async () => {
    play();
    const table = fixture.house.table(LIVE);
    const page = await fixture.stage.staff(`console?table=${LIVE}`, 21);
    const list = listOf(page);
    await list.getByRole('button').first().waitFor();
    const texts = async (what: 'button' | 'row') => (await list.getByRole(what).allInnerTexts()).map((text) => text.split(/\s+/).filter(Boolean).join(' '));
    expect(await texts('button')).toEqual(['Seat 2 Pay 475 stakes returned 325 · Lost: 50', 'Seat 3 Pay 50 stakes returned 50', 'Seat 9 Pay 60 stakes returned 10 · Lost: 100']);
    expect(await texts('row')).toEqual(['Big 300 1 to 1 Pay 300', 'Total sum 12 25 7 to 1 Pay 175', 'Six 50 1 to 1 Pay 50', '4 and 6 10 6 to 1 Pay 60']);
    await list.getByText('Chips: 4 × 100 + 1 × 50 + 1 × 25').waitFor();
    await fixture.shot(page, 'console-pay-list');
    await well(page);
    await page.getByText('3 seats are not marked as paid').waitFor();
    await seat(page, 3).click();
    await list.getByText('1 of 3 paid').waitFor();
    await page.reload();
    await list.getByText('1 of 3 paid').waitFor();
    for (const number of [2, 9]) await seat(page, number).click();
    await list.getByText('3 of 3 paid').waitFor();
    await fixture.shot(page, 'console-pay-list-done');
    await well(page);
    await seat(page, 9).click();
    await page.getByText('One seat is not marked as paid').waitFor();
    table.open();
    await list.waitFor({ state: 'detached' });
  });

  it('returns everything after a void, and says when no one is paid', async () => {
    play('void');
    const page = await fixture.stage.staff(`console?table=${LIVE}`, 21);
    await listOf(page).getByText('return 375').first().waitFor();
    await fixture.shot(page, 'console-pay-list-void');
    await well(page);
    const table = fixture.house.table(LIVE);
    table.open();
    table.forSeat({ place: { seat: 1, chips: 'own', stakes: [{ box: 'small', amount: 2_500 }] } });
    table.close();
    table.commit([5, 5, 6]);
    await listOf(page).getByText('No one is paid.').waitFor();
  });

  it('says what counted of a bet over the maximum, and what is handed back (5.1.1)', async () => {
    const table = fixture.house.table(LIVE);
    play();
    table.attended({ pay_list: { round: table.public.round, dice: [2, 4, 6], is_settled: true, ticked_off: [], lines: [{ seat: 2, box: 'big', chips: 'own', stake: 400_000, counted: 200_000, returned: 200_000, pays: 400_000, is_claim: false }, { seat: 4, box: 'small', chips: 'own', stake: 9_000, counted: 6_000, returned: 3_000, pays: 0, is_claim: false }] } });
    const page = await fixture.stage.staff(`console?table=${LIVE}`, 21);
    await listOf(page).getByText('2,000 of 4,000 counts').waitFor();
    await seat(page, 2).getByText('Pay 2,000').waitFor();
    await seat(page, 2).getByText('stakes returned 2,000 · return 2,000').waitFor();
    await seat(page, 4).getByText('Pay 0').waitFor();
    await well(page);
  });

  it('says what is still to give, what was given too much, and what is kept as a claim (3.9, 5.3)', async () => {
    const table = fixture.house.table(LIVE);
    play();
    const line = (seat: number, stake: number, pays: number, is_claim = false): PayLine => ({ seat, box: 'single:6', chips: 'own', stake, counted: stake, returned: 0, pays, is_claim });
    const ticked_off = [{ seat: 2, given: 20_000, at_house: 0 }, { seat: 3, given: 40_000, at_house: -40_000 }, { seat: 4, given: 10_000, at_house: 5_000 }, { seat: 5, given: 10_000, at_house: 0 }];
    const lines = [line(2, 10_000, 120_000), line(3, 20_000, 0), line(4, 5_000, 15_000), line(5, 5_000, 10_000), line(6, 10_000, 20_000, true)];
    table.attended({ pay_list: { round: table.public.round, dice: [6, 6, 6], is_settled: true, ticked_off, lines } });
    const page = await fixture.stage.staff(`console?table=${LIVE}`, 21);
    const list = listOf(page);
    await list.getByText('3 of 4 paid').waitFor();
    await page.getByText('One seat is not marked as paid').waitFor();
    await seat(page, 2).getByText('200 given · give 1,000 more').waitFor();
    await list.getByText('Chips: 1 × 1,000').waitFor();
    await list.getByText('✓ 400 given · 400 too much given').waitFor();
    await list.getByText('✓ 100 given · 50 kept as a claim').waitFor();
    await list.getByText('200 kept as a claim').first().waitFor();
    // What the House has, and what becomes a claim, is not ticked off.
    expect(await list.getByRole('button').count()).toBe(2);
    await fixture.shot(page, 'console-pay-list-changed');
    await well(page);
    await seat(page, 2).click();
    await seat(page, 2).getByText('✓ Paid 1,100').waitFor();
    await list.getByText('4 of 4 paid').waitFor();
  });

  it('is found again for an earlier round while the next one is open', async () => {
    const page = await fixture.stage.staff(`console?table=${LIVE}`, 3);
    fixture.house.table(LIVE).open();
    await page.getByRole('button', { name: 'Last rounds' }).click();
    await page.getByText('Choose a round to see its pay list.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: /^Round 72/ }).click();
    await page.getByRole('dialog').getByRole('region', { name: 'Pay list of round 72' }).getByText(/^Seat \d/).first().waitFor();
    await fixture.shot(page, 'console-last-rounds');
    await well(page);
  });

  it.each([['zh-Hans', 1280, 800], ['zh-Hant', 1920, 1080], ['en', 1080, 1920], ['en', 820, 1180]] as const)('fits in %s at %i × %i', async (language, width, height) => {
    play('commit', fixture.house.table(5));
    const page = await fixture.stage.staff('console?table=5', 21, { width, height }, language);
    await page.locator('aside li button').first().click();
    await fixture.shot(page, `console-pay-list-${language}-${width}`);
    await well(page);
    if (language !== 'en') expect(await leftOver(page, ['Tan Mei Lin'])).toEqual([]);
  });
});
