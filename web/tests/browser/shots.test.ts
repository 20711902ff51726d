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
