// A demonstration: whoever opens the display sees a table in play at once.

import { expect, it } from 'vitest';
import { Premises, premises } from './premises';
import { House } from './program';

const at = premises(async () => Premises.around(await House.demonstrate()));

it('shows a table in play within five seconds of being ready', async () => {
  await expect.poll(() => fetch(`${at().house.address}/readyz`).then(({ ok }) => ok), { timeout: 30_000 }).toBe(true);
  const ready = performance.now();
  const wall = await at().page('/display');
  const inPlay = ['open', 'closing', 'closed', 'result', 'settled'].map((phase) => `[data-phase=${phase}]`);
  await wall.locator(inPlay.join()).waitFor({ timeout: 5_000 });
  console.log(`a table in play ${Math.round(performance.now() - ready)} ms after the house was ready`);
  await wall.getByRole('timer').waitFor();
  await wall.getByText('Training').first().waitFor();
  const [seconds] = /\d+/.exec((await wall.getByRole('timer').getAttribute('aria-label'))!)!;
  await expect.poll(async () => Number(/\d+/.exec((await wall.getByRole('timer').getAttribute('aria-label'))!)?.[0]), { timeout: 30_000 }).toBeLessThan(Number(seconds));
  await at().house.kill();
});
