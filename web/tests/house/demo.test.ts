// The demonstration: the display shows a table in play right away.

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
  // A note in the simulated acceptor of a terminal is credits there (F86).
  const terminal = await at().terminal(1);
  const credits = async () => Number(await terminal.locator('[data-cents]').filter({ hasText: 'Credits' }).first().getAttribute('data-cents'));
  await expect.poll(credits).toBeGreaterThan(0);
  const had = await credits();
  await terminal.getByRole('button', { name: 'Cash out', exact: true }).tap();
  await terminal.getByRole('dialog').getByRole('button', { name: /^Insert 50/ }).tap();
  await terminal.getByText('Credits added.').waitFor();
  await expect.poll(credits).toBe(had + 5_000);
  await at().house.kill();
});
