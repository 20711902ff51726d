// A player who taps without a pause stays connected, although the server sends heartbeats only while nothing is asked.

import { expect, it } from 'vitest';
import { SILENCE_TIMEOUT_MS } from '../../src/protocol/connection';
import { label, PlayerStage } from './seats';
import { box } from './stage';

const seats = new PlayerStage();

/** More often than the heartbeat, for longer than the silence timeout. */
const EVERY = 600;
const TAPS = 9;

it('stays connected while the player taps, and disconnects when the server falls silent', async () => {
  const page = await seats.open(1, 41, undefined, { isPaused: true });
  seats.house.isBeating = false;
  let lines = 0;
  page.on('websocket', () => (lines += 1));
  seats.house.table(1).open();
  await page.locator('[data-phase=open]').waitFor();
  for (let tap = 1; tap <= TAPS; tap += 1) {
    await box(page, 'big').click();
    await expect.poll(() => label(page, 'big')).toContain(`${tap * 25}.00 bet`);
    await page.clock.runFor(EVERY);
  }
  expect(EVERY * TAPS).toBeGreaterThan(SILENCE_TIMEOUT_MS);
  expect(await page.getByText('Connection lost').count()).toBe(0);
  expect(lines).toBe(0);
  // Not a moment longer: the terminal would be connected again.
  await page.clock.runFor(SILENCE_TIMEOUT_MS - EVERY);
  await page.getByText('Connection lost').waitFor();
});
