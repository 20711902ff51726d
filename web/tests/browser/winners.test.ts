// A live table that registers winners: after the dice the console leads the Dealer through the winning boxes, and says whom to pay.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import type { Box } from '../../src/protocol/messages';
import { faults, leftOver, small, spilling } from './faults';
import { Fixture } from './fixture';
import { box, hold } from './stage';
import { expectNotice } from './notices';

interface Scenario {
  dice: number[];
  touches: number;
  stakes: { seat: number; box: Box; amount: number }[];
  pays: { seat: number; pay: number }[];
}

const scenario: Scenario = JSON.parse(readFileSync(resolve(import.meta.dirname, '../../../tests/live/winners.json'), 'utf8'));
const LIVE = 4;

const fixture = new Fixture();
const table = (number = LIVE) => fixture.house.table(number);
const lastCommand = () => fixture.house.staff.received.at(-1);
const command = () => (lastCommand() as { cluster?: { command: unknown } }).cluster?.command;
const seatKey = (page: Page, seat: number) => page.getByRole('region', { name: 'Players' }).getByRole('button', { name: new RegExp(`^Seat ${seat}\\b`) });
const tray = (page: Page) => page.getByRole('region', { name: 'Register winners' });
const chip = (page: Page, amount: number) => tray(page).getByRole('button', { name: `Chip of ${(amount / 100).toLocaleString('en')}`, exact: true });
const led = (page: Page) => page.getByRole('region', { name: 'Winning boxes' });
const ledBox = (page: Page, name: string) => led(page).getByRole('button', { name: new RegExp(`^${name} `) });
const allRegistered = (page: Page) => page.getByRole('button', { name: /^All registered/ });
const bets = (seat: number, number = LIVE) => table(number).seat(seat).view.bets.map(({ box, amount }) => [box, amount]);

async function well(page: Page): Promise<void> {
  expect(await spilling(page)).toEqual([]);
  expect(await small(page, 64)).toEqual([]);
  expect(await faults(page)).toEqual([]);
}

/** The console of a table that registers winners, with bets open. */
async function opened(size?: { width: number; height: number }, language?: string, number = LIVE): Promise<Page> {
  table(number).change({ registration: 'winners' });
  table(number).open();
  const page = await fixture.stage.staff(`console?table=${number}`, 21, size, language);
  await page.locator('[data-phase=open]').waitFor();
  return page;
}

/** The same after the dice. */
async function thrown(dice = scenario.dice, size?: { width: number; height: number }, language?: string, number = LIVE): Promise<Page> {
  const page = await opened(size, language, number);
  table(number).close();
  table(number).commit(dice);
  await page.locator('[data-phase=result]').waitFor();
  return page;
}

/** The Dealer says that no other losing box is over a limit. */
const noneOver = (page: Page) => led(page).getByRole('button', { name: /^Is a losing box over/ }).click();

/** How often the page is touched, and how many keys are pressed. */
async function counting(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    const counted = Object.assign(window, { touched: 0 });
    for (const kind of ['pointerdown', 'keydown']) window.addEventListener(kind, () => (counted.touched += 1), true);
  });
  return () => page.evaluate(() => (window as unknown as { touched: number }).touched);
}

/** The chips that make up an amount, the largest first. */
function chipsOf(amount: number, values: readonly number[]): number[] {
  const largest = values.filter((one) => one <= amount).at(-1);
  return largest === undefined ? [] : [largest, ...chipsOf(amount - largest, values)];
}

describe('winners of a live table', () => {
  it(`are registered, eight on five boxes of six seats, in at most ${scenario.touches} touches from the commit to the settled round`, async () => {
    const page = await opened();
    await page.getByText('This table registers winners only').waitFor();
    table().close();
    table().change({ tumbles: 3 });
    for (const face of scenario.dice) await page.getByRole('button', { name: `Face ${face}` }).click();
    const touched = await counting(page);
    await hold(page.getByRole('button', { name: /^Commit 14/ }), () => led(page).waitFor());
    const values = await tray(page).getByRole('button', { name: /^Chip of/ }).evaluateAll((all) => all.map((one) => Number(one.getAttribute('aria-label')!.replace(/\D/g, '')) * 100));
    let at: Box = 'big';
    for (const { seat, box: of, amount } of scenario.stakes) {
      if (of !== at) await box(page, of).click();
      at = of;
      await seatKey(page, seat).click();
      for (const one of chipsOf(amount, values)) await chip(page, one).click();
    }
    await led(page).getByText('8 registered').waitFor();
    expect(await allRegistered(page).isDisabled()).toBe(true);
    await fixture.shot(page, 'console-winners');
    await well(page);
    await noneOver(page);
    await hold(allRegistered(page), () => page.locator('[data-phase=settled]').waitFor());
    const settled = await touched();
    expect(new Set(scenario.stakes.map((stake) => stake.box)).size).toBe(5);
    expect(new Set(scenario.stakes.map((stake) => stake.seat)).size).toBe(6);
    expect(scenario.stakes).toHaveLength(8);
    expect(settled).toBeLessThanOrEqual(scenario.touches);
    const list = page.getByRole('region', { name: /^Pay list of round/ });
    for (const { seat, pay } of scenario.pays) {
      const key = list.getByRole('button', { name: new RegExp(`^Seat ${seat} `) });
      await key.getByText(`Pay ${pay / 100}`, { exact: true }).waitFor();
      await key.click();
    }
    await list.getByText('6 of 6 paid').waitFor();
    await list.getByText('Collect all other losing bets; they are not entered.').waitFor();
    await fixture.shot(page, 'console-winners-paid');
    await well(page);
    // One touch more for each seat that is paid.
    expect(await touched()).toBe(settled + scenario.pays.length);
    table().open();
    await list.waitFor({ state: 'detached' });
  });

  it('are not entered before the dice, and what is not known is not shown', async () => {
    const page = await opened();
    await page.getByText('Bets lie on the layout, and nothing is entered before the dice.', { exact: false }).waitFor();
    expect(await page.getByRole('region', { name: 'Enter bets' }).count()).toBe(0);
    expect(await page.getByRole('heading', { name: 'Differential' }).count()).toBe(0);
    await fixture.shot(page, 'console-winners-before');
    await well(page);
    await seatKey(page, 2).click();
    await page.getByRole('dialog', { name: 'Seat 2' }).waitFor();
  });

  it('light up, the first is chosen, and each line shows its payout in chips', async () => {
    const page = await thrown();
    // Six boxes that win, and the question about those that lose.
    expect(await led(page).getByRole('button').allInnerTexts()).toHaveLength(7);
    expect(await ledBox(page, 'Big').getAttribute('aria-pressed')).toBe('true');
    await tray(page).getByText('Big: whose chips are these? Touch a seat.').waitFor();
    await chip(page, 10_000).click();
    await page.getByText('Choose the seat first.').first().waitFor();
    await seatKey(page, 3).click();
    await chip(page, 10_000).click();
    await chip(page, 2_500).click();
    await expect.poll(() => bets(3)).toEqual([['big', 12_500]]);
    expect(command()).toEqual({ register: { seat: 3, stakes: [{ box: 'big', amount: 2_500 }] } });
    await seatKey(page, 3).getByText('125').waitFor();
    await box(page, 'single:4').click();
    await seatKey(page, 7).click();
    await chip(page, 2_500).click();
    const line = led(page).getByRole('button', { name: /^Remove: ?Seat 7 25/ });
    await line.getByText('Pay 50').waitFor();
    expect(await line.locator('.chips').innerText()).toContain('1 × 50');
    await page.getByRole('button', { name: 'Next box' }).click();
    await expect.poll(() => ledBox(page, 'Six').getAttribute('aria-pressed')).toBe('true');
    // A wrong entry is taken off by touching it.
    await box(page, 'single:4').click();
    await line.click();
    await expect.poll(() => bets(7)).toEqual([]);
    expect(command()).toEqual({ withdraw: { seat: 7, chips: 'own', stakes: [{ box: 'single:4', amount: 2_500 }] } });
    await led(page).getByText('Nothing registered yet.', { exact: false }).waitFor();
  });

  it('of a player who walked away are kept as a claim and in no sum to pay (5.3)', async () => {
    const page = await opened();
    table().close();
    table().commit([4, 4, 6]);
    for (const seat of [2, 3]) table().forSeat({ register: { seat, stakes: [{ box: 'big', amount: 10_000 }] } });
    await led(page).getByText('2 registered, pay 200').waitFor();
    table().forSeat({ 'walk-away': { seat: 3 } });
    await led(page).getByText('2 registered, pay 100').waitFor();
    await led(page).getByText('200 kept as a claim').waitFor();
    await fixture.shot(page, 'console-winners-walked-away');
    await well(page);
    table().forSeat('all-registered');
    const list = page.getByRole('region', { name: /^Pay list of round/ });
    await list.getByText('0 of 1 paid').waitFor();
    await list.getByText('200 kept as a claim').waitFor();
    expect(await list.getByRole('button').count()).toBe(1);
    await well(page);
  });

  it('are entered by number keys as well: digits, Backspace, Enter', async () => {
    const page = await thrown();
    await seatKey(page, 2).click();
    for (const key of ['3', '7', 'Backspace', '0', '0']) await page.keyboard.press(key);
    await tray(page).getByRole('button', { name: 'Enter 300' }).waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => bets(2)).toEqual([['big', 30_000]]);
    expect(await seatKey(page, 2).getAttribute('aria-pressed')).toBe('true');
    await page.keyboard.press('4');
    await page.keyboard.press('Escape');
    await tray(page).getByRole('button', { name: 'Or type the amount' }).waitFor();
  });

  it('stay over a reload', async () => {
    const page = await thrown();
    await seatKey(page, 2).click();
    await chip(page, 10_000).click();
    await expect.poll(() => bets(2)).toEqual([['big', 10_000]]);
    await page.reload();
    await led(page).getByText('1 registered, pay 100').waitFor();
    await allRegistered(page).waitFor();
  });

  it('ask for the opposite total when a box exceeds the Differential, and count pro rata (5.1.1, 1.3)', async () => {
    const page = await thrown();
    await seatKey(page, 1).click();
    for (const _ of [1, 2, 3]) await chip(page, 100_000).click();
    await page.locator('[data-missing=small]').waitFor();
    await ledBox(page, 'Small').getByText('total?').waitFor();
    expect(await allRegistered(page).isDisabled()).toBe(true);
    await allRegistered(page).getByText('Still missing: Small').waitFor();
    await fixture.shot(page, 'console-winners-opposite');
    await well(page);
    await ledBox(page, 'Small').click();
    await tray(page).getByText('What was its total?', { exact: false }).waitFor();
    await seatKey(page, 2).click();
    await page.getByText('Enter the total of this box first.').first().waitFor();
    await chip(page, 10_000).click();
    await chip(page, 10_000).click();
    await tray(page).getByRole('button', { name: 'Total 200' }).click();
    await expect.poll(command).toEqual({ 'tell-total': { box: 'small', amount: 20_000 } });
    await page.locator('[data-missing]').waitFor({ state: 'detached' });
    await ledBox(page, 'Big').click();
    await led(page).getByText('only 2,200 counts').waitFor();
    await led(page).getByText('2,200 of 3,000 counts').waitFor();
    await noneOver(page);
    expect(await allRegistered(page).isDisabled()).toBe(false);
  });

  it('take the stakes of a losing box over its maximum, as players lose pro rata too (5.1.1)', async () => {
    const page = await thrown();
    await box(page, 'sum:9').click();
    await tray(page).getByText('Over its maximum?', { exact: false }).waitFor();
    for (const key of ['5', '0', '0']) await page.keyboard.press(key);
    await page.keyboard.press('Enter');
    await led(page).getByText('Within its limits. Collect it; nothing is entered.').waitFor();
    await page.locator('[data-missing]').waitFor({ state: 'detached' });
    for (const key of ['1', '5', '0', '0']) await page.keyboard.press(key);
    await page.keyboard.press('Enter');
    await ledBox(page, 'Total sum 9').getByText('0 of 1.5k').or(ledBox(page, 'Total sum 9').getByText('0 of 1,500')).waitFor();
    await seatKey(page, 4).click();
    await chip(page, 100_000).click();
    await seatKey(page, 5).click();
    await chip(page, 50_000).click();
    await page.locator('[data-missing]').waitFor({ state: 'detached' });
    await led(page).getByRole('button', { name: /^Remove: ?Seat 4 / }).getByText('return', { exact: false }).waitFor();
    await fixture.shot(page, 'console-winners-losing');
    await well(page);
    await noneOver(page);
    await hold(allRegistered(page), () => page.locator('[data-phase=settled]').waitFor());
    await page.getByRole('button', { name: /^Seat 5 / }).getByText('return', { exact: false }).waitFor();
  });

  it('wait for approval above the limit, and are registered once approved', async () => {
    const page = await thrown();
    const { staff } = fixture.house;
    await seatKey(page, 6).click();
    for (const key of '12000') await page.keyboard.press(key);
    await page.keyboard.press('Enter');
    await led(page).getByText('Seat 6, Big, 12,000: waiting for approval.').waitFor();
    await fixture.shot(page, 'console-winners-second');
    await well(page);
    const { id, act, what } = staff.parts.approvals!.all.at(-1)!;
    expect([act, JSON.parse(what)]).toEqual(['large-registration', { cluster: { table: LIVE, number: 0, command: { register: { seat: 6, stakes: [{ box: 'big', amount: 1_200_000 }] } } } }]);
    expect(bets(6)).toEqual([]);
    // The server has it on file, so it also waits there after a reload.
    await page.reload();
    await led(page).getByText('Seat 6, Big, 12,000: waiting for approval.').waitFor();
    expect(await allRegistered(page).isDisabled()).toBe(true);
    staff.show('approvals', staff.parts.approvals!.all.map((one) => (one.id === id ? { ...one, answer: { approved: 3 } } : one)));
    await expect.poll(() => bets(6)).toEqual([['big', 1_200_000]]);
    await led(page).getByText('waiting for approval', { exact: false }).waitFor({ state: 'detached' });
  });

  it('wait for a second person also where approvals were looked up just before', async () => {
    const page = await thrown();
    let answer = () => {};
    const answered = new Promise<void>((done) => (answer = done));
    let isFirst = true;
    await page.route('**/house/approvals', async (route) => {
      if (!isFirst) return route.continue();
      isFirst = false;
      await answered;
      await route.fulfill({ json: [] });
    });
    await page.reload();
    await seatKey(page, 6).click();
    for (const key of '12000') await page.keyboard.press(key);
    await page.keyboard.press('Enter');
    await expect.poll(() => fixture.house.staff.parts.approvals!.all.length).toBe(1);
    answer();
    await led(page).getByText('waiting for approval', { exact: false }).waitFor();
  });

  it('are not registered when approval is refused, with a notice', async () => {
    const page = await thrown();
    const { staff } = fixture.house;
    await seatKey(page, 6).click();
    for (const key of '12000') await page.keyboard.press(key);
    await page.keyboard.press('Enter');
    await led(page).getByText('waiting for approval', { exact: false }).waitFor();
    staff.show('approvals', staff.parts.approvals!.all.map((one) => ({ ...one, answer: { refused: 3 } })));
    await expectNotice(page, /refused/);
    await led(page).getByText('waiting for approval', { exact: false }).waitFor({ state: 'detached' });
    expect(bets(6)).toEqual([]);
  });

  it('are handed back as they lie where the round becomes void', async () => {
    const page = await thrown();
    await seatKey(page, 2).click();
    await chip(page, 10_000).click();
    await expect.poll(() => bets(2)).toEqual([['big', 10_000]]);
    table().void('damaged-dice');
    await page.getByText('Return the chips as they lie; nothing is entered.', { exact: false }).waitFor();
    expect(await page.getByRole('region', { name: /^Pay list/ }).count()).toBe(0);
    await fixture.shot(page, 'console-winners-void');
    await well(page);
  });

  it('of a round whose result changed are registered from the film by two people', async () => {
    table().change({ registration: 'winners' });
    table().attended({ returns: [{ round: 71, unit: 100, lines: [], owed: [] }] });
    const console = await fixture.stage.staff(`console?table=${LIVE}`, 21);
    await console.getByText('Round 71: returns are open.', { exact: false }).waitFor();
    const page = await fixture.stage.staff('pit', 3);
    await page.getByRole('region', { name: 'Returns open' }).getByRole('button').click();
    const sheet = page.getByRole('dialog');
    await sheet.getByLabel('Seat').fill('2');
    await sheet.getByLabel('Player').fill('Red coat, left of the Dealer');
    await sheet.getByLabel('Box').selectOption('small');
    await sheet.getByLabel('Amount').fill('70');
    await fixture.shot(page, 'pit-film');
    expect(await spilling(page)).toEqual([]);
    expect(await faults(page)).toEqual([]);
    await sheet.getByRole('button', { name: 'Ask for approval' }).click();
    const { staff } = fixture.house;
    const approve = () => staff.show('approvals', staff.parts.approvals!.all.map((one) => (one.answer === 'waiting' ? { ...one, answer: { approved: 4 } } : one)));
    await expect.poll(() => staff.parts.approvals!.all.at(-1)?.act).toBe('correct');
    approve();
    await sheet.getByText('Red coat, left of the Dealer').waitFor();
    await sheet.getByText('70.00', { exact: true }).waitFor();
    await sheet.getByText('Seat 2 gets 70.00').waitFor();
    await sheet.getByText('Money moves when the returns are closed', { exact: false }).waitFor();
    await fixture.shot(page, 'pit-film-line');
    expect(await spilling(page)).toEqual([]);
    expect(await faults(page)).toEqual([]);
    await sheet.getByRole('button', { name: 'Remove line 1' }).click();
    await expect.poll(() => staff.parts.approvals!.all.at(-1)?.what).toContain('withdraw-from-film');
    approve();
    await sheet.getByText('Red coat, left of the Dealer').waitFor({ state: 'detached' });
    await sheet.getByText('Nothing to pay.').waitFor();
    await sheet.getByRole('button', { name: 'Round 71: everything is registered, close the returns' }).click();
    await expect.poll(() => staff.parts.approvals!.all.at(-1)?.what).toContain('close-returns');
    approve();
    await page.getByRole('region', { name: 'Returns open' }).waitFor({ state: 'detached' });
  });

  it('leave figures that need every bet out of the pit', async () => {
    table().change({ registration: 'winners' });
    const page = await fixture.stage.staff('pit', 3);
    const row = page.getByRole('row', { name: new RegExp(`Table ${LIVE}\\b`) });
    await row.getByText('winners only').waitFor();
    expect(await row.getByRole('cell').nth(3).innerText()).toBe('–');
  });

  it.each([['en', 1920, 1080, 4], ['zh-Hans', 1280, 800, 4], ['zh-Hant', 1280, 800, 5], ['en', 1280, 800, 8], ['en', 1080, 1920, 4], ['en', 820, 1180, 6]] as const)('fit in %s at %i × %i, table %i', async (language, width, height, number) => {
    const page = await thrown(scenario.dice, { width, height }, language, number);
    const laid = scenario.stakes.filter(({ box }) => table(number).layout.boxes.some((one) => one.box === box));
    for (const { seat, box: of, amount } of laid) table(number).forSeat({ register: { seat, stakes: [{ box: of, amount }] } });
    await page.locator('section button[aria-pressed=true]').first().waitFor();
    await fixture.shot(page, `console-winners-${number}-${language}-${width}`);
    await well(page);
    if (language !== 'en') expect(await leftOver(page, ['Tan Mei Lin'])).toEqual([]);
  });
});
