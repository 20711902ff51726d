// Pictures of every screen at three sizes, to be looked at.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { box, SHOTS, SIZES, Stage, watched } from './stage';

let stage: Stage;
beforeAll(async () => {
  mkdirSync(SHOTS, { recursive: true });
  stage = await Stage.open();
});
afterAll(() => stage.close());

for (const [name, size] of Object.entries(SIZES)) {
  it(`the terminal, ${name}`, async () => {
    const table = stage.house.table(1);
    const { page, wrong } = await stage.terminal(1, Object.keys(SIZES).indexOf(name) + 1, size);
    const shot = (what: string) => page.screenshot({ path: join(SHOTS, `terminal-${name}-${what}.png`) });
    table.open(36);
    for (const bet of ['big', 'big', 'sum:9', 'single:3', 'domino:14', 'triple:2', 'double:5']) {
      await box(page, bet).click();
    }
    stage.house.delay = 60_000;
    await box(page, 'four:6543').click();
    await box(page, 'big').click();
    await page.waitForTimeout(400);
    await shot('bets');
    stage.house.delay = 0;
    stage.house.drop();
    await page.locator('[data-kind=back]').waitFor();
    await page.waitForTimeout(300);
    await shot('back');
    table.close();
    await page.waitForTimeout(6_200);
    table.commit([3, 5, 5]);
    await page.waitForTimeout(1_200);
    await shot('won');
    table.open(20);
    await page.waitForTimeout(300);
    stage.house.isAway = true;
    stage.house.drop();
    await page.waitForTimeout(400);
    await shot('offline');
    stage.house.isAway = false;
    table.close();
    table.commit([1, 2, 3]);
    expect(wrong).toEqual([]);
    await page.context().close();
  });

  it(`the display, ${name}`, async () => {
    const table = stage.house.table(8);
    const { page, wrong } = await stage.display(8, size);
    const shot = (what: string) => page.screenshot({ path: join(SHOTS, `display-${name}-${what}.png`) });
    table.open(30);
    await page.waitForTimeout(500);
    await shot('open');
    table.close();
    table.commit([2, 4, 4]);
    await page.waitForTimeout(900);
    await shot('result');
    expect(wrong).toEqual([]);
    await page.context().close();
  });

  it(`the front, ${name}`, async () => {
    const { page, wrong } = await watched(await stage.context(size));
    await page.goto(stage.address);
    await page.getByRole('link').nth(6).waitFor();
    await page.waitForTimeout(300);
    await page.screenshot({ path: join(SHOTS, `front-${name}.png`) });
    expect(wrong).toEqual([]);
    await page.context().close();
  });
}

it('the sheets of the terminal', async () => {
  const table = stage.house.table(3);
  const { page, wrong } = await stage.terminal(3, 5);
  table.open();
  for (const bet of ['big', 'sum:9', 'pair:113', 'three:126', 'four:6543']) await box(page, bet).click();
  await page.waitForTimeout(300);
  await page.screenshot({ path: join(SHOTS, 'terminal-layout-C.png') });
  table.close();
  table.commit([1, 2, 6]);
  for (const name of ['Help', 'Settings', 'My games', 'Results', 'Favourites', 'Cash out']) {
    await page.getByRole('button', { name, exact: true }).first().click();
    await page.waitForTimeout(400);
    await page.screenshot({ path: join(SHOTS, `sheet-${name.toLowerCase().replace(' ', '-')}.png`) });
    if (name === 'Cash out') {
      await page.getByRole('button', { name: /Cash out all/ }).click();
      await page.getByText('12 3456 7890 1234 5678').waitFor();
      await page.waitForTimeout(300);
      await page.screenshot({ path: join(SHOTS, 'sheet-voucher.png') });
    }
    await page.keyboard.press('Escape');
  }
  expect(wrong).toEqual([]);
  await page.context().close();
});

const OTHERS = [
  { name: 'zh-Hans', table: 6, size: SIZES.desk, kept: { language: 'zh-Hans' } },
  { name: 'zh-Hant-phone', table: 4, size: SIZES.phone, kept: { language: 'zh-Hant' } },
  { name: 'high-contrast', table: 2, size: SIZES.desk, kept: { contrast: 'on' } },
  { name: 'phone-lying', table: 1, size: { width: 844, height: 390 }, kept: {} },
  { name: 'tablet-standing', table: 5, size: { width: 820, height: 1180 }, kept: {} },
];

it.each(OTHERS)('the terminal otherwise: $name', async ({ name, table: number, size, kept }) => {
  const table = stage.house.table(number);
  const { page, wrong } = await stage.terminal(number, 6, size);
  await page.evaluate((kept) => Object.entries(kept).forEach(([key, value]) => localStorage.setItem(`taisai.${key}`, value)), kept as Record<string, string>);
  await page.reload();
  await page.locator('[data-box]').first().waitFor();
  table.open();
  for (const bet of ['big', 'sum:9', 'single:3']) await box(page, bet).click();
  await page.waitForTimeout(300);
  await page.screenshot({ path: join(SHOTS, `terminal-${name}-bets.png`) });
  table.close();
  table.commit([3, 5, 5]);
  await page.waitForTimeout(1_300);
  await page.screenshot({ path: join(SHOTS, `terminal-${name}-won.png`) });
  expect(wrong).toEqual([]);
  await page.context().close();
});

it('the display, lost', async () => {
  const { page } = await stage.display(6);
  stage.house.isAway = true;
  stage.house.drop();
  await page.getByRole('alert').waitFor();
  await page.waitForTimeout(300);
  await page.screenshot({ path: join(SHOTS, 'display-desk-lost.png') });
  stage.house.isAway = false;
  await page.getByRole('alert').waitFor({ state: 'detached' });
  await page.context().close();
});
