// A player who plays without a pause keeps the line to the house, which beats only while it is asked for nothing.

import { expect, it } from 'vitest';
import { box } from '../browser/stage';
import { buyIn, chip, openBets, openTable, says } from './play';
import { premises } from './premises';

const at = premises();
const EVERY = 600;
const TAPS = 9;

it('is not lost while it taps for five seconds', async () => {
  await openTable(at(), 1);
  const dealer = await at().staff('dealer', '/console?table=1');
  const terminal = await at().terminal(1);
  await buyIn(dealer, 1, '100');
  await openBets(dealer, terminal);
  let lines = 0;
  terminal.on('websocket', () => (lines += 1));
  await chip(terminal, '5');
  for (let tap = 0; tap < TAPS; tap += 1) {
    await box(terminal, 'big').tap();
    await terminal.waitForTimeout(EVERY);
  }
  await says(terminal, 'big', '45.00 bet');
  expect(lines).toBe(0);
});
