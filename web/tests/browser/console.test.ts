// The Game Console in a real browser: a round from the first step to the commit, irregularities, and sign-in.

import { describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { faults, spilling } from './faults';
import { Fixture } from './fixture';
import { caughtUp, hold } from './stage';

const fixture = new Fixture();
const staff = (...how: Parameters<typeof fixture.stage.staff>) => fixture.stage.staff(...how);
const shot = (page: Page, name: string) => fixture.shot(page, `console-${name}`);

const step = (page: Page, name: string) => page.locator(`button[data-step="${name}"]`);

describe('the console', () => {
  it('runs a round: each step is the one after the last, and the commit is held (F10, F11)', async () => {
    const table = fixture.house.table(1);
    const player = await fixture.stage.terminal(1, 21);
    const page = await staff('console?table=1', 21);
    await shot(page, 'idle');
    await step(page, 'open-bets').click();
    await player.locator('[data-box=big]').first().click();
    await page.locator('[data-laid=big] .chip').first().waitFor();
    await shot(page, 'open');
    await step(page, 'close-bets').click();
    await step(page, 'activate').click();
    await step(page, 'tumbled').click();
    await page.getByText('Enter the dice').waitFor();
    await page.keyboard.press('2');
    await page.keyboard.press('2');
    await page.keyboard.press('Backspace');
    await page.getByRole('button', { name: 'Face 4' }).click();
    await page.keyboard.press('6');
    await page.getByText('Commit 12 · Big').waitFor();
    await shot(page, 'commit');
    await hold(page.locator('button.hold').first(), () => step(page, 'open-bets').waitFor());
    expect(table.public.latest?.dice).toEqual([2, 4, 6]);
    await player.locator('[data-phase=settled]').waitFor();
    expect(await faults(page)).toEqual([]);
    expect(await spilling(page)).toEqual([]);
  });

  it('confirms a buy-in with its amount, keeps its receipt over a reload, and has it reversed by two people', async () => {
    const player = await fixture.stage.terminal(1, 25);
    const page = await staff('console?table=1', 3);
    const seat = page.getByRole('button', { name: /^Seat 25\b/ });
    const receipt = page.getByRole('region', { name: 'Receipt 1-0-1' });
    await seat.click();
    await page.getByLabel('Buy-in in cash').fill('200');
    await page.getByRole('button', { name: 'Buy in' }).click();
    await page.getByText('Take 200.00 in cash for seat 25?').waitFor();
    await shot(page, 'buy-in');
    expect(await faults(page)).toEqual([]);
    expect(JSON.stringify(fixture.house.staff.received)).not.toContain('"buy-in"');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Buy in' }).click();
    await page.getByRole('button', { name: 'Yes, take in 200.00' }).click();
    await receipt.getByText('200.00 in cash for seat 25').waitFor();
    await page.reload();
    await seat.click();
    await shot(page, 'receipt');
    await receipt.getByRole('button', { name: 'Reverse this buy-in' }).click();
    await receipt.getByLabel('Reason for the reversal').fill('It was for seat 26');
    await receipt.getByRole('button', { name: 'Ask for approval to reverse 200.00' }).click();
    const manager = await staff('pit', 5);
    await manager.getByText('Table 1, seat 25: reverse the buy-in with receipt 1.').waitFor();
    await manager.getByText('It was for seat 26').waitFor();
    await manager.getByRole('button', { name: 'Approve' }).click();
    await receipt.getByText('Reversed. The cash was returned.').waitFor();
    expect(await receipt.getByRole('button', { name: 'Reverse this buy-in' }).count()).toBe(0);
    await player.getByText('Your buy-in of 200.00 (receipt 1) was reversed and the cash returned; your credits are now 1,000.00.').waitFor();
    expect(await spilling(page)).toEqual([]);
    expect(await spilling(player)).toEqual([]);
  });

  it('commits nothing when the button is let go too soon', async () => {
    const table = fixture.house.table(10);
    table.open();
    const page = await staff('console?table=10', 21, undefined, 'en', { isPaused: true });
    table.change({ phase: 'closed', closes_at: null, tumbles: 3 });
    await page.getByText('Enter the dice').waitFor();
    for (const face of ['2', '4', '6']) await page.keyboard.press(face);
    const button = page.locator('button.hold');
    await button.click({ trial: true });
    await page.clock.runFor(600);
    await button.click();
    await page.clock.runFor(1_000);
    await caughtUp(page);
    expect(table.phase).toBe('closed');
    await hold(button, async () => {
      await page.clock.runFor(699);
      await caughtUp(page);
      expect(table.phase).toBe('closed');
      await page.clock.runFor(1);
      await page.locator('[data-phase=settled]').waitFor();
    });
    expect(table.public.latest?.dice).toEqual([2, 4, 6]);
  });

  it('takes one step for a double tap', async () => {
    const page = await staff('console?table=9', 21, undefined, 'en', { isPaused: true });
    const opened = step(page, 'open-bets');
    await page.clock.runFor(600);
    await opened.click({ trial: true });
    await page.evaluate(() => {
      const next = () => [...document.querySelectorAll<HTMLElement>('[data-step], .also')].filter(({ dataset }) => dataset['step'] !== 'open-bets');
      new MutationObserver(() => next().forEach((button) => button.click())).observe(document.body, { subtree: true, childList: true, attributes: true, attributeFilter: ['data-step', 'disabled'] });
    });
    const before = fixture.house.staff.received.length;
    await opened.click();
    // Result is pressed as soon as it can be, and however late the answer comes.
    const next = page.locator('[data-step]:not([data-step=open-bets])');
    await expect.poll(() => next.evaluate((button: HTMLButtonElement) => button.disabled)).toBe(false);
    await caughtUp(page);
    expect(fixture.house.staff.received.slice(before)).toEqual([{ round: 'open-bets' }]);
    await page.clock.runFor(600);
    await next.click({ trial: true });
    await next.click();
    await expect.poll(() => fixture.house.staff.received.length).toBe(before + 2);
  });

  it('takes a press of a button whose words change while it is down', async () => {
    const table = fixture.house.table(10);
    const seat = table.seat(1);
    seat.view.session = null;
    const page = await staff('console?table=10', 21);
    const button = page.getByRole('button', { name: /^Seat 1\b/ });
    // Over the words, not beside them.
    await button.locator('.quiet').hover({ force: true });
    await page.mouse.down();
    table.update(seat, { session: 7 });
    await button.getByText('–').waitFor();
    await page.mouse.up();
    await page.getByRole('dialog').waitFor();
  });

  it('spells out what an irregularity leads to before it is confirmed', async () => {
    const table = fixture.house.table(8);
    table.open();
    const page = await staff('console?table=8', 21);
    await page.getByRole('button', { name: 'Irregularities' }).click();
    await page.getByRole('button', { name: /Tumbler started too early|Dice seen before/ }).click();
    await page.getByText(/is void and every bet is returned in full/).waitFor();
    await page.getByText(/Game rules 5\.5\.3, 5\.12/).first().waitFor();
    await shot(page, 'irregular');
    expect(await faults(page)).toEqual([]);
    await hold(page.locator('button.hold').first(), () => page.locator('[data-phase=void]').waitFor());
  });

  it('says whose step it is when it is not the own one', async () => {
    fixture.house.table(2).change({ dealer: 22 });
    const page = await staff('console?table=2', 21);
    await page.getByText('Waiting for Dealer 22').waitFor();
    expect(await step(page, 'open-bets').isDisabled()).toBe(true);
  });

  it('lets a supervisor open a table, assign a dealer and show limits', async () => {
    fixture.house.table(3).change({ phase: 'shut', dealer: null, limits: null });
    const page = await staff('console?table=3', 3);
    await step(page, 'open-table').click();
    await step(page, 'assign').click();
    await shot(page, 'assign');
    await page.getByRole('button', { name: /Tan Mei Lin/ }).click();
    await step(page, 'show-limits').click();
    await shot(page, 'limits');
    await page.locator('dialog button.first').click();
    await page.getByText('Waiting for Dealer 21').waitFor();
    expect(fixture.house.table(3).public.limits).not.toBeNull();
  });

  it('shows a refusal above the open sheet', async () => {
    fixture.house.table(7).open();
    // Stops the timers, so that a notice disappears only when it is pressed.
    const page = await staff('console?table=7', 3, undefined, 'en', { isPaused: true });
    fixture.house.staff.refuses = 'not-between-rounds';
    await page.getByRole('button', { name: 'Table and staff' }).click();
    await page.getByRole('button', { name: 'Announce that the table closes' }).click();
    const notice = page.locator('.notices p');
    await notice.waitFor();
    expect(await notice.evaluate((notice) => document.elementFromPoint(notice.getBoundingClientRect().x + 20, notice.getBoundingClientRect().y + 10)?.closest('.notices') !== null)).toBe(true);
    await notice.getByRole('button').click();
    await notice.waitFor({ state: 'detached' });
    expect(await page.locator('dialog').isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    expect(await page.locator('.notices').evaluate((notice) => notice.isConnected)).toBe(true);
  });

  it('shows the Differential of a live table, and rejects what is over it', async () => {
    const table = fixture.house.table(5);
    table.open();
    for (const seat of [2, 4, 7]) table.seat(seat);
    const page = await staff('console?table=5', 21);
    table.forSeat({ place: { seat: 4, chips: 'own', stakes: [{ box: 'big', amount: 90_000 }] } });
    table.seat(7).view.credits = 900_000;
    table.forSeat({ place: { seat: 7, chips: 'own', stakes: [{ box: 'big', amount: 300_000 }, { box: 'small', amount: 20_000 }] } });
    await page.getByText(/over$/).first().waitFor();
    const cuts = page.getByRole('list', { name: 'To be returned:' }).getByRole('listitem');
    expect(await cuts.allTextContents()).toEqual(['Seat 7Big1,700']);
    await shot(page, 'live');
    expect(await spilling(page)).toEqual([]);
    await page.getByRole('button', { name: 'Reject the excess' }).click();
    await cuts.first().waitFor({ state: 'detached' });
    expect(fixture.house.staff.received.at(-1)).toEqual({ cluster: { number: 0, command: 'reject-excess' } });
  });

  it('continues after a restart, and says when the connection is lost', async () => {
    const table = fixture.house.table(4);
    table.open();
    table.change({ is_held: true });
    const page = await staff('console?table=4', 21);
    await step(page, 'continue').waitFor();
    fixture.house.isAway = true;
    fixture.house.drop();
    await page.getByRole('alert').filter({ hasText: 'Connection lost' }).waitFor();
    await shot(page, 'lost');
    fixture.house.isAway = false;
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await step(page, 'continue').click();
    await step(page, 'activate').waitFor();
    expect(table.public.is_held).toBe(false);
  });

  it.each(['zh-Hans', 'zh-Hant'])('speaks %s without overflowing', async (language) => {
    const page = await staff('console?table=6', 21, { width: 1280, height: 800 }, language);
    await step(page, 'open-bets').waitFor();
    await shot(page, language);
    expect(await spilling(page)).toEqual([]);
    expect(await faults(page)).toEqual([]);
  });

  it('reports a wrong password, and asks for a new one after a one-time password', async () => {
    const page = await fixture.stage.page();
    await page.goto(`${fixture.stage.address}/console`);
    const signIn = async (password: string) => {
      await page.getByLabel('Your number').fill('10');
      await page.getByLabel('Password').fill(password);
      await page.getByRole('button', { name: 'Sign in' }).click();
    };
    await signIn('wrong');
    await page.getByText('Wrong number or password').waitFor();
    await shot(page, 'sign-in');
    expect(await faults(page)).toEqual([]);
    await signIn('secret-10');
    await page.getByRole('heading', { name: 'Choose your password' }).waitFor();
    await page.getByLabel('One-time password').fill('secret-10');
    await page.getByLabel('New password', { exact: true }).fill('a long new secret');
    await page.getByLabel('Repeat the new password').fill('another secret!!');
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByText('The two new passwords do not match.').waitFor();
    await page.getByLabel('Repeat the new password').fill('a long new secret');
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByText('Deepa Nair').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Your number').waitFor();
  });
});
