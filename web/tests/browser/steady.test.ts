// A player who plays without a pause: the house, which beats only while it is asked for nothing, is not taken for lost.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { box, Stage } from './stage';

/** More often than the house beats, for longer than a screen waits for a word of it. */
const EVERY = 600;
const TAPS = 9;

let stage: Stage;
beforeAll(async () => (stage = await Stage.open()));
afterAll(() => stage.close());

it('keeps its line while the player taps for five seconds', async () => {
  const { page, wrong } = await stage.terminal(1, 41);
  let lines = 0;
  page.on('websocket', () => (lines += 1));
  stage.house.table(1).open();
  await page.locator('[data-phase=open]').waitFor();
  for (let tap = 0; tap < TAPS; tap += 1) {
    await box(page, 'big').click();
    await page.waitForTimeout(EVERY);
  }
  await expect.poll(() => box(page, 'big').getAttribute('aria-label')).toContain('225.00 bet');
  expect(await page.getByText('Connection lost').count()).toBe(0);
  expect(lines).toBe(0);
  expect(wrong).toEqual([]);
});
