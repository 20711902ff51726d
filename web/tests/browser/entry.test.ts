// Bets of a live table as the Dealer enters them: by seat and by box, taken off again, repeated, and in how many touches.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import type { Box } from '../../src/protocol/messages';
import { faults, leftOver, small, spilling } from './faults';
import { Fixture } from './fixture';
import { box } from './stage';

interface Scenario {
  touches: number;
  stakes: { seat: number; box: Box; amount: number }[];
}

const scenario: Scenario = JSON.parse(readFileSync(resolve(import.meta.dirname, '../../../tests/live/every-bet.json'), 'utf8'));
const LIVE = 4;

const fixture = new Fixture();
const lastCommand = () => fixture.house.staff.received.at(-1);
const seatKey = (page: Page, seat: number) => page.getByRole('region', { name: 'Players' }).getByRole('button', { name: new RegExp(`^Seat ${seat}\\b`) });
const chip = (page: Page, amount: number) => page.getByRole('radio', { name: `Chip of ${(amount / 100).toLocaleString('en')}`, exact: true });
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const bets = (seat: number, table = LIVE) => fixture.house.table(table).seat(seat).view.bets.map(({ box, amount }) => [box, amount]);

/** The console of a live table whose bets are open and on which nothing lies. */
async function opened(size?: { width: number; height: number }, language?: string, table = LIVE): Promise<Page> {
  fixture.house.table(table).open();
  const page = await fixture.stage.staff(`console?table=${table}`, 21, size, language);
  await page.locator('[data-phase=open]').waitFor();
  return page;
}

/** Buttons of a part that something else lies upon. */
const covered = (page: Page, part: string) => page.locator(`${part} button`).evaluateAll((keys) => keys.filter((key) => {
  const { x, y, width, height } = key.getBoundingClientRect();
  return [0.1, 0.5, 0.9].some((at) => document.elementFromPoint(x + width * at, y + height / 2)?.closest('button') !== key);
}).map((key) => key.textContent));

async function well(page: Page): Promise<void> {
  expect(await spilling(page)).toEqual([]);
  expect(await small(page, 64)).toEqual([]);
  expect(await faults(page)).toEqual([]);
}

/** How often the page is touched, and how many keys are pressed. */
async function counting(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    const counted = Object.assign(window, { touched: 0 });
    for (const kind of ['pointerdown', 'keydown']) window.addEventListener(kind, () => (counted.touched += 1), true);
  });
  return () => page.evaluate(() => (window as unknown as { touched: number }).touched);
}

/** The chips that make up an amount, the largest first. */
function chipsOf(amount: number, tray: readonly number[]): number[] {
  const largest = tray.filter((one) => one <= amount).at(-1);
  return largest === undefined ? [] : [largest, ...chipsOf(amount - largest, tray)];
}

describe('bets entered at a live table', () => {
  it(`takes thirty stakes of ten seats in at most ${scenario.touches} touches`, async () => {
    const page = await opened();
    const tray = await page.getByRole('radio').evaluateAll((all) => all.map((one) => Number(one.getAttribute('aria-label')!.replace(/\D/g, '')) * 100));
    const touched = await counting(page);
    let chosen = 0;
    for (const seat of new Set(scenario.stakes.map((stake) => stake.seat))) {
      await seatKey(page, seat).click();
      const laid = scenario.stakes.filter((stake) => stake.seat === seat).flatMap((stake) => chipsOf(stake.amount, tray).map((amount) => ({ box: stake.box, amount })));
      // The chip that is chosen first, then those of one kind after the other.
      const order = [...new Set([chosen, ...laid.map(({ amount }) => amount)])];
      for (const amount of order) {
        for (const stake of laid.filter((one) => one.amount === amount)) {
          if (amount !== chosen) await chip(page, amount).click();
          chosen = amount;
          await box(page, stake.box).click();
        }
      }
    }
    for (const { seat, box: of, amount } of scenario.stakes) await expect.poll(() => bets(seat).find(([one]) => one === of)?.[1], { message: `seat ${seat} ${of}` }).toBe(amount);
    expect(scenario.stakes).toHaveLength(30);
    expect(await touched()).toBeLessThanOrEqual(scenario.touches);
    await fixture.shot(page, 'console-every-bet');
    await well(page);
  });

  it('enters a box and then its seats, which show what they have on it; the chip stays chosen', async () => {
    const page = await opened();
    await seatKey(page, 3).click();
    await press(page, 'By box');
    await seatKey(page, 3).click();
    await page.getByText('Choose a box, then touch its seats.').first().waitFor();
    await box(page, 'big').click();
    await chip(page, 10_000).click();
    for (const seat of [1, 4, 4, 9]) await seatKey(page, seat).click();
    await box(page, 'sum:9').click();
    await seatKey(page, 4).click();
    await expect.poll(() => [bets(1), bets(4), bets(9), bets(3)]).toEqual([[['big', 10_000]], [['big', 20_000], ['sum:9', 10_000]], [['big', 10_000]], []]);
    await seatKey(page, 4).getByText('100', { exact: true }).waitFor();
    await box(page, 'big').click();
    await seatKey(page, 4).getByText('200', { exact: true }).waitFor();
    await fixture.shot(page, 'console-by-box');
    await well(page);
  });

  it('shows the chosen seat’s own chips, others apart, and takes a chip or a bet off again', async () => {
    const page = await opened();
    fixture.house.table(LIVE).forSeat({ place: { seat: 2, chips: 'own', stakes: [{ box: 'big', amount: 30_000 }] } });
    await seatKey(page, 5).click();
    await chip(page, 10_000).click();
    await box(page, 'big').click();
    await box(page, 'big').click();
    await box(page, 'small').click();
    await expect.poll(() => box(page, 'big').getAttribute('aria-label')).toContain('200.00 bet');
    await page.locator('[data-others=big]').getByText('300').waitFor();
    expect(await box(page, 'big').getAttribute('aria-label')).toContain('others 300');
    expect(await page.locator('[data-others=small]').count()).toBe(0);
    await press(page, 'Remove chip');
    await box(page, 'big').click();
    await expect.poll(() => bets(5)).toEqual([['big', 10_000], ['small', 10_000]]);
    expect(lastCommand()).toEqual({ cluster: { number: 0, command: { withdraw: { seat: 5, chips: 'own', stakes: [{ box: 'big', amount: 10_000 }] } } } });
    // Less than the chip lies there: all of it comes off. Of a box without chips of this seat nothing does.
    fixture.house.table(LIVE).forSeat({ withdraw: { seat: 5, chips: 'own', stakes: [{ box: 'big', amount: 7_500 }] } });
    await expect.poll(() => box(page, 'big').getAttribute('aria-label')).toContain('25.00 bet');
    await box(page, 'sum:9').click();
    await box(page, 'big').click();
    await expect.poll(() => bets(5)).toEqual([['small', 10_000]]);
    await chip(page, 50_000).click();
    await box(page, 'small').click();
    await expect.poll(() => bets(5)).toEqual([['small', 60_000]]);
    await press(page, 'Remove bet');
    await fixture.shot(page, 'console-take-off');
    await well(page);
    await box(page, 'small').click();
    await expect.poll(() => bets(5)).toEqual([]);
    expect(bets(2)).toEqual([['big', 30_000]]);
    // After the close all lies there as it is, and the next round begins with chips, not with what takes them off.
    fixture.house.table(LIVE).close();
    await expect.poll(() => page.locator('[data-laid=big] .chip').count()).toBe(1);
    expect(await page.locator('[data-others]').count()).toBe(0);
    fixture.house.table(LIVE).commit([2, 4, 6]);
    fixture.house.table(LIVE).open();
    await page.getByText('Seat 5: each touch adds 500').waitFor();
  });

  it('takes back what was entered last, and repeats what a seat bet before', async () => {
    const page = await opened();
    const table = fixture.house.table(LIVE);
    await seatKey(page, 6).click();
    await chip(page, 2_500).click();
    await box(page, 'sum:9').click();
    await box(page, 'small').click();
    await expect.poll(() => bets(6)).toEqual([['sum:9', 2_500], ['small', 2_500]]);
    await press(page, 'Undo');
    await expect.poll(() => bets(6)).toEqual([['sum:9', 2_500]]);
    table.close();
    table.commit([2, 4, 6]);
    table.open();
    await press(page, 'Repeat');
    await expect.poll(() => bets(6)).toEqual([['sum:9', 2_500]]);
    expect(lastCommand()).toEqual({ cluster: { number: 0, command: { repeat: { seat: 6 } } } });
    await expect.poll(() => page.getByRole('button', { name: 'Undo' }).isDisabled()).toBe(true);
    await expect.poll(() => box(page, 'sum:9').getAttribute('aria-label')).toContain('25.00 bet');
  });

  it('takes an amount by number keys, and keeps it on the tray', async () => {
    const page = await opened();
    await seatKey(page, 7).click();
    for (const key of ['0', '3', '7', 'Backspace', '0', '0']) await page.keyboard.press(key);
    await page.getByText('Seat 7: each touch adds 300').waitFor();
    await box(page, 'big').click();
    await chip(page, 30_000).waitFor();
    await box(page, 'small').click();
    await expect.poll(() => bets(7)).toEqual([['big', 30_000], ['small', 30_000]]);
    await chip(page, 2_500).click();
    await box(page, 'sum:9').click();
    await chip(page, 30_000).click();
    await box(page, 'sum:10').click();
    await expect.poll(() => bets(7).slice(2)).toEqual([['sum:9', 2_500], ['sum:10', 30_000]]);
    await page.keyboard.press('4');
    await page.keyboard.press('Escape');
    await page.getByText('Seat 7: each touch adds 300').waitFor();
  });

  it('shows chips as pending immediately, and removes them when they are refused', async () => {
    const page = await opened();
    await seatKey(page, 8).click();
    fixture.house.staff.refuses = 'seat-locked';
    let answer = () => {};
    const held = new Promise<void>((done) => (answer = done));
    await page.route('**/commands', async (route) => {
      await held;
      await route.continue();
    });
    await box(page, 'big').click();
    await expect.poll(() => box(page, 'big').getAttribute('aria-label')).toContain('25.00 pending');
    answer();
    await expect.poll(() => box(page, 'big').getAttribute('aria-label')).not.toContain('pending');
    expect(bets(8)).toEqual([]);
  });

  it('marks a box and its seats below the minimum by pattern and words (5.2)', async () => {
    const page = await opened();
    await seatKey(page, 2).click();
    await chip(page, 1_000).click();
    await box(page, 'big').click();
    await page.locator('[data-below=big]').getByText('min 25').waitFor();
    await seatKey(page, 2).getByText('below min').waitFor();
    await expect.poll(() => box(page, 'big').getAttribute('aria-label')).toMatch(/Below the minimum: min 25, 10\.00 bet$/);
    expect(await page.locator('[data-below=big] .area').evaluate((area) => getComputedStyle(area).fill)).toContain('#below');
    await fixture.shot(page, 'console-below-felt');
    await well(page);
    await chip(page, 2_500).click();
    await box(page, 'big').click();
    await page.locator('[data-below]').waitFor({ state: 'detached' });
  });

  it('keeps every player in reach while much is over its limit', async () => {
    const page = await opened(undefined, undefined, 5);
    const table = fixture.house.table(5);
    const place = (seat: number, box: Box, amount: number) => table.forSeat({ place: { seat, chips: 'own', stakes: [{ box, amount }] } });
    for (const seat of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]) {
      place(seat, 'big', 60_000);
      place(seat, 'odd', 50_000);
    }
    for (const box of ['sum:9', 'sum:10', 'double:1', 'any-triple'] as const) place(3, box, 500);
    place(4, 'triple:1', 90_000);
    await page.getByRole('button', { name: 'Reject the excess' }).waitFor();
    await page.getByRole('region', { name: 'Below the minimum' }).waitFor();
    expect(await seatKey(page, 10).isVisible()).toBe(true);
    expect(await covered(page, 'section[aria-label=Players]')).toEqual([]);
    await fixture.shot(page, 'console-excess');
    await well(page);
  });

  it('opens the seat sheet, directly when no bets are entered', async () => {
    const page = await opened();
    expect(await page.getByRole('button', { name: 'Seat …' }).isDisabled()).toBe(true);
    await seatKey(page, 2).click();
    await press(page, 'Seat …');
    const sheet = page.getByRole('dialog', { name: 'Seat 2' });
    await sheet.getByLabel('Placed by staff for the player').check();
    await fixture.shot(page, 'console-seat');
    await well(page);
    await page.keyboard.press('Escape');
    await page.getByText(/each touch adds .* · Placed by staff for the player/).waitFor();
    await box(page, 'big').click();
    await expect.poll(lastCommand).toMatchObject({ cluster: { command: { 'place-for': { seat: 2 } } } });
    // The next player's bets are their own again.
    await seatKey(page, 3).click();
    await box(page, 'big').click();
    await expect.poll(lastCommand).toMatchObject({ cluster: { command: { place: { seat: 3 } } } });
    fixture.house.table(LIVE).close();
    await page.locator('[data-phase=closed]').waitFor();
    await seatKey(page, 2).click();
    await sheet.waitFor();
  });

  it.each([['en', 'wall', 1920, 1080], ['zh-Hans', 'desk', 1280, 800], ['zh-Hant', 'desk', 1280, 800], ['en', 'portrait', 1080, 1920], ['en', 'standing', 820, 1180]] as const)('fits in %s on a %s', async (language, name, width, height) => {
    const page = await opened({ width, height }, language, 6);
    const table = fixture.house.table(6);
    for (const { seat, box, amount } of scenario.stakes.filter(({ box }) => table.layout.boxes.some((one) => one.box === box))) table.forSeat({ place: { seat, chips: 'own', stakes: [{ box, amount }] } });
    table.forSeat({ place: { seat: 1, chips: 'own', stakes: [{ box: 'sum:4', amount: 500 }] } });
    await page.locator('[data-below]').first().waitFor();
    await page.locator('section[class] > button[aria-pressed]').first().click();
    await fixture.shot(page, `console-entry-${name}-${language}`);
    for (const part of ['.console > section', '.console > nav']) expect(await covered(page, part)).toEqual([]);
    await well(page);
    if (language !== 'en') expect(await leftOver(page, ['Tan Mei Lin'])).toEqual([]);
  });
});
