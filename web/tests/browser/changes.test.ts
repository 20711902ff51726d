// Voids and late corrections at a terminal: both figures of a set-off until they are read, and the notice before play (F81).

import { describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import type { Change, Message } from '../../src/state/changes';
import { faults, leftOver, small, spilling } from './faults';
import { PlayerStage } from './seats';
import { SIZES } from './stage';

const seats = new PlayerStage();
const NOTICE = 'Winnings of a round that is void or corrected are taken back.';

const change = (round: number, amount: number, at_once: number, more: Partial<Change> = {}): Change => ({ round, dice: [1, 2, 4], void: null, amount, at_once, is_waived: false, ...more });
const message = (number: number, changed: Change, credits: number): Message => ({ number, is_read: false, credits, changed });
const OWED = change(70, -8_000, -5_000);
const PAID = change(71, 4_500, 1_500, { dice: null, void: 'malfunction' });

/** The card with its figures, as it is read. */
async function figures(page: Page): Promise<string[][]> {
  const card = page.getByRole('alert').filter({ has: page.locator('dl') });
  await card.waitFor();
  return card.evaluate((card) => [...card.querySelectorAll('dt')].map((name) => [name.textContent!, name.nextElementSibling!.textContent!]));
}

const read = (page: Page) => page.getByRole('button', { name: 'I have read this' }).click();

describe('a late correction and a void', () => {
  it.each([SIZES.desk, SIZES.phone])('show both figures of a set-off until they are read, also after a reload ($width px)', async (size) => {
    const seatNumber = size === SIZES.desk ? 41 : 42;
    const table = seats.house.table(1);
    const page = await seats.open(1, seatNumber, size);
    table.update(table.seat(seatNumber), { messages: [message(1, OWED, 0)], credits: 0 });
    expect(await figures(page)).toEqual([['Owed by you for round 70', '80.00'], ['Taken from your credits', '50.00'], ['You still owe', '30.00']]);
    await page.reload();
    expect(await figures(page)).toHaveLength(3);
    await page.getByText('50.00 was taken back; your credits are now 0.00.').waitFor();
    await read(page);
    await page.getByRole('button', { name: 'I have read this' }).waitFor({ state: 'detached' });
    table.update(table.seat(seatNumber), { messages: [{ ...message(1, OWED, 0), is_read: true }, message(2, PAID, 1_500)], credits: 1_500 });
    expect(await figures(page)).toEqual([['Owed to you for round 71', '45.00'], ['You owed for round 70, set off', '30.00'], ['Added to your credits', '15.00']]);
    await page.getByText('15.00 was paid to you; your credits are now 15.00.').waitFor();
    await page.getByText('Round 71 is void: equipment malfunction. All bets are returned in full.').waitFor();
    await page.getByText('law: equipment malfunction').waitFor();
    await seats.shot(page, `terminal-set-off-${size.width}`);
    expect(await spilling(page)).toEqual([]);
    expect(await small(page, 44)).toEqual([]);
    expect(await faults(page)).toEqual([]);
    await read(page);
    await page.getByRole('button', { name: 'I have read this' }).waitFor({ state: 'detached' });
    await page.reload();
    await page.locator('[data-box]').first().waitFor();
    expect(await page.locator('dl').filter({ hasText: 'Added to your credits' }).count()).toBe(0);
  });

  it('say that the casino covers what may not be taken back (F81)', async () => {
    const table = seats.house.table(1);
    const page = await seats.open(1, 43);
    table.update(table.seat(43), { messages: [message(1, change(70, -8_000, 0, { is_waived: true, dice: null, void: 'force-majeure' }), 100_000)] });
    expect(await figures(page)).toEqual([['Owed by you for round 70', '80.00'], ['Covered by the casino; you owe nothing more', '80.00']]);
  });

  it.each(['zh-Hans', 'zh-Hant'])('are shown in %s', async (language) => {
    const table = seats.house.table(1);
    const seat = table.seat(language === 'zh-Hans' ? 44 : 45);
    seat.view.messages = [message(1, OWED, 0), message(2, PAID, 1_500)];
    const page = await seats.open(1, seat.view.seat, undefined, { kept: { language } });
    await page.locator('section dl').first().waitFor();
    await seats.shot(page, `terminal-set-off-${language}`);
    expect(await leftOver(page, [])).toEqual([]);
  });
});

describe('the notice that winnings are taken back (F81)', () => {
  it('is on the display, and on the terminal before play', async () => {
    seats.house.table(1).seat(46).view.session = null;
    const [page, wall] = [await seats.open(1, 46), await seats.stage.display(1, SIZES.wall)];
    await page.getByText(NOTICE).waitFor();
    await wall.getByText(NOTICE).waitFor();
    await seats.shot(page, 'terminal-notice');
    await seats.shot(wall, 'display-notice');
    expect(await spilling(page)).toEqual([]);
    expect(await spilling(wall)).toEqual([]);
    expect(await faults(page)).toEqual([]);
  });

  it('is nowhere where the profile keeps winnings', async () => {
    seats.house.law = { ...seats.house.law, takes_back: false };
    seats.house.table(1).seat(47).view.session = null;
    const [page, wall] = [await seats.open(1, 47), await seats.stage.display(1)];
    await page.getByText('Welcome. Add credits to play.').waitFor();
    for (const screen of [page, wall]) expect(await screen.getByText('taken back').count()).toBe(0);
  });
});
