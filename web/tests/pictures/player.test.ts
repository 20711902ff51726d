// Pictures of the players' screens at three sizes, to be looked at.

import { expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { Fixture } from '../browser/fixture';
import { label } from '../browser/seats';
import { box, settled, SHOTS, SIZES } from '../browser/stage';

const fixture = new Fixture();
const shot = (page: Page, name: string) => fixture.shot(page, name);

/** Bets at a terminal, until all of them are registered. */
async function bet(page: Page, ...boxes: string[]): Promise<void> {
  await page.locator('[data-phase=open]').waitFor();
  for (const one of boxes) await box(page, one).click();
  for (const one of boxes) await expect.poll(() => label(page, one)).toMatch(/ bet$/);
}

/** The amounts of a page whose time stands still have counted up to what they are. */
const counted = (page: Page) => page.clock.runFor(1_000);

for (const [name, size] of Object.entries(SIZES)) {
  it(`the terminal, ${name}`, async () => {
    const { house } = fixture;
    const table = house.table(1);
    const page = await fixture.stage.terminal(1, Object.keys(SIZES).indexOf(name) + 1, size, { isPaused: true });
    table.open(36);
    await bet(page, 'big', 'big', 'sum:9', 'single:3', 'domino:14', 'triple:2', 'double:5');
    house.hold();
    for (const one of ['four:6543', 'big']) {
      await box(page, one).click();
      await expect.poll(() => label(page, one)).toContain('pending');
    }
    await shot(page, `terminal-${name}-bets`);
    house.drop();
    house.release();
    await page.getByText('Connection lost').waitFor();
    await page.clock.runFor(500);
    await page.locator('[data-kind=back]').waitFor();
    await shot(page, `terminal-${name}-back`);
    // What was told is not in the next picture.
    await page.reload();
    await page.locator('[data-phase=open]').waitFor();
    table.close();
    table.commit([3, 5, 5]);
    await page.locator('[data-phase=settled]').waitFor();
    await counted(page);
    await shot(page, `terminal-${name}-won`);
    table.open(20);
    await page.locator('[data-phase=open]').waitFor();
    house.isAway = true;
    house.drop();
    await page.getByText('Connection lost').waitFor();
    await shot(page, `terminal-${name}-offline`);
  });

  it(`the display, ${name}`, async () => {
    const table = fixture.house.table(8);
    const page = await fixture.stage.display(8, size);
    table.open(30);
    await page.locator('[data-phase=open]').waitFor();
    await shot(page, `display-${name}-open`);
    table.close();
    table.commit([2, 4, 4]);
    await page.locator('[data-phase=settled]').waitFor();
    await shot(page, `display-${name}-result`);
  });

  it(`the front, ${name}`, async () => {
    const page = await fixture.stage.page(size);
    await page.goto(fixture.stage.address);
    await page.getByRole('link').nth(6).waitFor();
    await shot(page, `front-${name}`);
  });
}

it.each(['phone', 'desk'] as const)('the sheets of the terminal, %s', async (name) => {
  const table = fixture.house.table(3);
  const page = await fixture.stage.terminal(3, name === 'phone' ? 4 : 5, SIZES[name]);
  table.open();
  await bet(page, 'big', 'sum:9', 'pair:113', 'three:126', 'four:6543');
  await shot(page, `sheet-${name}-none`);
  table.close();
  table.commit([1, 2, 6]);
  await page.locator('[data-phase=settled]').waitFor();
  for (const sheet of ['Help', 'Settings', 'My games', 'Results', 'Favourites', 'Cash out']) {
    await page.getByRole('button', { name: new RegExp(`^${sheet}`) }).filter({ visible: true }).first().click();
    await page.locator('dialog[open]').waitFor();
    await shot(page, `sheet-${name}-${sheet.toLowerCase().replace(' ', '-')}`);
    if (sheet === 'Cash out') {
      await page.getByRole('button', { name: /Cash out all/ }).click();
      await page.getByRole('button', { name: /^Yes, cash out/ }).click();
      await page.getByText(/^\d\d( \d{4}){4}$/).waitFor();
      await shot(page, `sheet-${name}-voucher`);
    }
    else await page.keyboard.press('Escape');
  }
});

it.each(Array.from({ length: 10 }, (_, at) => at + 1))('the felt of table %i', async (number) => {
  const page = await fixture.stage.display(number);
  const table = fixture.house.table(number);
  table.open();
  table.close();
  table.commit([2, 2, 5]);
  await page.locator('[data-phase=settled]').waitFor();
  await settled(page);
  await page.locator('svg.felt').screenshot({ path: `${SHOTS}/felt-${number}.png` });
});

it.each(['zh-Hans', 'zh-Hant'])('the display and the front in %s, with high contrast', async (language) => {
  const page = await fixture.stage.page(undefined, { kept: { language, contrast: 'on' } });
  await page.goto(`${fixture.stage.address}/display?table=1`);
  await page.locator('[data-laid]').first().waitFor({ state: 'attached' });
  fixture.house.table(1).open();
  await page.locator('[data-phase=open]').waitFor();
  await page.evaluate(() => document.fonts.ready);
  await shot(page, `display-${language}`);
  await page.goto(fixture.stage.address);
  await page.getByRole('link').nth(6).waitFor();
  await page.evaluate(() => document.fonts.ready);
  await shot(page, `front-${language}`);
});

it('a terminal that is not set up', async () => {
  const page = await fixture.stage.page(SIZES.phone);
  await page.goto(`${fixture.stage.address}/terminal`);
  await page.getByRole('button', { name: 'Set up' }).waitFor();
  await shot(page, 'terminal-phone-set-up');
});

const OTHERS: { name: string; table: number; size: { width: number; height: number }; kept: Record<string, string> }[] = [
  { name: 'zh-Hans', table: 6, size: SIZES.desk, kept: { language: 'zh-Hans' } },
  { name: 'zh-Hant-phone', table: 4, size: SIZES.phone, kept: { language: 'zh-Hant' } },
  { name: 'high-contrast', table: 2, size: SIZES.desk, kept: { contrast: 'on' } },
  { name: 'phone-lying', table: 1, size: { width: 844, height: 390 }, kept: {} },
  { name: 'tablet-standing', table: 5, size: { width: 820, height: 1180 }, kept: {} },
];

it.each(OTHERS)('the terminal in other settings: $name', async ({ name, table: number, size, kept }) => {
  const table = fixture.house.table(number);
  const page = await fixture.stage.terminal(number, 6, size, { isPaused: true, kept });
  table.open();
  await page.locator('[data-phase=open]').waitFor();
  for (const one of ['big', 'sum:9', 'single:3']) await box(page, one).click();
  await expect.poll(() => table.seat(6).view.bets.length).toBe(3);
  await page.locator('.chip.pending').waitFor({ state: 'detached' });
  await shot(page, `terminal-${name}-bets`);
  table.close();
  table.commit([3, 5, 5]);
  await page.locator('[data-phase=settled]').waitFor();
  await counted(page);
  await shot(page, `terminal-${name}-won`);
});

it('the display, lost', async () => {
  const page = await fixture.stage.display(6);
  fixture.house.isAway = true;
  fixture.house.drop();
  await page.getByRole('alert').waitFor();
  await shot(page, 'display-desk-lost');
  fixture.house.isAway = false;
  await page.getByRole('alert').waitFor({ state: 'detached' });
});
