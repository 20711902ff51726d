// The steps of a round as people do them at the screens.

import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { box, hold } from '../browser/stage';
import type { Premises } from './premises';

/** The large button of the console while it says this step. */
export const step = (console: Page, name: string) => console.locator(`button[data-step="${name}"]`);

export const phase = (page: Page, name: string) => page.locator(`[data-phase="${name}"]`).waitFor();

/** A supervisor opens a table at the console, assigns its Dealer, and shows the configured limits. */
export async function openTable(premises: Premises, table: number): Promise<void> {
  const page = await premises.staff('pit-supervisor', `/console?table=${table}`);
  await step(page, 'open-table').click();
  await step(page, 'assign').click();
  await page.getByRole('dialog').getByRole('button', { name: /^1 / }).click();
  await step(page, 'show-limits').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Show limits' }).click();
  await step(page, 'open-bets').waitFor();
  await page.context().close();
}

/** The Dealer takes cash for credits at a terminal's seat. */
export async function buyIn(console: Page, seat: number, amount: string): Promise<void> {
  await console.getByRole('button', { name: new RegExp(`^Seat ${seat}\\b`) }).click();
  await console.getByLabel('Buy-in in cash').fill(amount);
  await console.getByRole('button', { name: 'Buy in' }).click();
  await console.getByRole('button', { name: /^Yes, take in / }).click();
  await expect.poll(() => console.getByLabel('Buy-in in cash').inputValue()).toBe('');
  await console.keyboard.press('Escape');
}

export async function openBets(console: Page, ...screens: Page[]): Promise<void> {
  await step(console, 'open-bets').click();
  await Promise.all([console, ...screens].map((page) => phase(page, 'open')));
}

/** "No more bets", three tumbles, the dice by the keyboard, and the commit. */
export async function conclude(console: Page, dice: readonly number[]): Promise<void> {
  await step(console, 'close-bets').click();
  await tumble(console);
  await commit(console, dice);
}

export async function tumble(console: Page): Promise<void> {
  await step(console, 'activate').click();
  await step(console, 'tumbled').click();
}

/** The dice by the keyboard, held until they are committed. */
export async function commit(console: Page, dice: readonly number[]): Promise<void> {
  await console.getByText('Enter the dice').waitFor();
  for (const face of dice) await console.keyboard.press(String(face));
  await hold(console.getByRole('button', { name: /^Commit/ }), () => phase(console, 'settled'));
}

/** The key of a seat of a live table, and a chip of the tray, at the console. */
export const seatKey = (console: Page, seat: number) => console.getByRole('region', { name: 'Players' }).getByRole('button', { name: new RegExp(`^Seat ${seat}\\b`) });
export const chipOf = (console: Page, amount: string) => console.getByRole('radio', { name: `Chip of ${amount}`, exact: true });

export const chip = (terminal: Page, amount: string) => terminal.getByRole('radio', { name: `Chip of ${amount}`, exact: true }).tap();

/** Touches a box, and waits until the bet is registered. */
export async function bet(terminal: Page, name: string, lies: string): Promise<void> {
  await box(terminal, name).tap();
  await expectBox(terminal, name, `${lies} bet`);
}

/** The accessible name of a box. */
export async function expectBox(terminal: Page, name: string, text: string | RegExp): Promise<void> {
  await expect.poll(() => box(terminal, name).getAttribute('aria-label')).toMatch(text);
}

export async function meter(terminal: Page, name: 'Credits' | 'Bet' | 'Last win', cents: number): Promise<void> {
  const read = terminal.locator('[data-cents]').filter({ hasText: name }).first();
  await expect.poll(() => read.getAttribute('data-cents')).toBe(String(cents));
}
