// A demonstration: whoever opens the display sees a table in play at once.

import { expect, it } from 'vitest';
import { Premises, premises } from './premises';
import { House } from './program';

const at = premises(async () => Premises.around(await House.demonstrate()));

it('shows a table in play, and its time running down', async () => {
  await expect.poll(() => fetch(`${at().house.address}/readyz`).then(({ ok }) => ok)).toBe(true);
  const wall = await at().page('/display');
  const inPlay = ['open', 'closing', 'closed', 'result', 'settled'].map((phase) => `[data-phase=${phase}]`);
  await wall.locator(inPlay.join()).waitFor();
  await wall.getByText('Training').first().waitFor();
  const left = async () => Number(/\d+/.exec((await wall.getByRole('timer').getAttribute('aria-label'))!)?.[0]);
  // A round may end and the next one begin between two readings: each is compared with the one before it.
  let before = NaN;
  const isLower = async () => {
    const now = await left();
    const wasHigher = now < before;
    before = now;
    return wasHigher;
  };
  await expect.poll(isLower).toBe(true);
  await at().house.kill();
});
