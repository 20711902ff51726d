// Pictures of the players' screens at three sizes, to be looked at.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { box, SHOTS, SIZES, Stage, watched } from '../browser/stage';

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

it.each(['phone', 'desk'] as const)('the sheets of the terminal, %s', async (name) => {
  const table = stage.house.table(3);
  const { page, wrong } = await stage.terminal(3, name === 'phone' ? 4 : 5, SIZES[name]);
  const shot = (what: string) => page.screenshot({ path: join(SHOTS, `sheet-${name}-${what}.png`) });
  table.open();
  for (const bet of ['big', 'sum:9', 'pair:113', 'three:126', 'four:6543']) await box(page, bet).click();
  await page.waitForTimeout(300);
  await shot('none');
  table.close();
  table.commit([1, 2, 6]);
  for (const sheet of ['Help', 'Settings', 'My games', 'Results', 'Favourites', 'Cash out']) {
    await page.getByRole('button', { name: new RegExp(`^${sheet}`) }).filter({ visible: true }).first().click();
    await page.waitForTimeout(500);
    await shot(sheet.toLowerCase().replace(' ', '-'));
    if (sheet === 'Cash out') {
      await page.getByRole('button', { name: /Cash out all/ }).click();
      await page.getByText('12 3456 7890 1234 5678').waitFor();
      await page.waitForTimeout(300);
      await shot('voucher');
    }
    else await page.keyboard.press('Escape');
  }
  expect(wrong).toEqual([]);
  await page.context().close();
});

it.each(Array.from({ length: 10 }, (_, at) => at + 1))('the felt of table %i', async (number) => {
  const { page } = await stage.display(number);
  const table = stage.house.table(number);
  table.open();
  table.close();
  table.commit([2, 2, 5]);
  await page.waitForTimeout(500);
  await page.locator('svg.felt').screenshot({ path: join(SHOTS, `felt-${number}.png`) });
  await page.context().close();
});

it.each(['zh-Hans', 'zh-Hant'])('the display and the front in %s, with high contrast', async (language) => {
  const { page, wrong } = await watched(await stage.context());
  await page.addInitScript((chosen) => (localStorage.setItem('taisai.language', chosen), localStorage.setItem('taisai.contrast', 'on')), language);
  const table = stage.house.table(1);
  for (const [name, path] of [['display', 'display?table=1'], ['front', '']] as const) {
    await page.goto(`${stage.address}/${path}`);
    await page.evaluate(() => document.fonts.ready);
    if (name === 'display') table.open();
    await page.waitForTimeout(700);
    await page.screenshot({ path: join(SHOTS, `${name}-${language}.png`) });
  }
  table.void('activated-early');
  expect(wrong).toEqual([]);
  await page.context().close();
});

it('a terminal that is not set up', async () => {
  const page = await (await stage.context(SIZES.phone)).newPage();
  await page.goto(`${stage.address}/terminal`);
  await page.getByRole('button', { name: 'Set up' }).waitFor();
  await page.screenshot({ path: join(SHOTS, 'terminal-phone-set-up.png') });
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
