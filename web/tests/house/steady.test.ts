// A player who plays without a pause stays connected: the server sends heartbeats only while it sends nothing else.

import { expect, it } from 'vitest';
import { SILENCE_TIMEOUT_MS } from '../../src/protocol/connection';
import { box, pauseClock } from '../browser/stage';
import { buyIn, chip, openBets, openTable, expectBox } from './play';
import { premises } from './premises';

const at = premises();

/** How much time passes on the terminal alone after each tap: in all more than a screen waits for a message. */
const EVERY = 600;
const TAPS = Math.ceil((2 * SILENCE_TIMEOUT_MS) / EVERY);

it('stays connected while it taps longer than the silence timeout', async () => {
  await openTable(at(), 1);
  const dealer = await at().staff('dealer', '/console?table=1');
  let given = 0;
  const terminal = await at().terminal(1, 1, async (page) => {
    await pauseClock(page.context());
    await page.routeWebSocket(/terminal$/, (line) => {
      const house = line.connectToServer();
      // The terminal closes its connection; the server may close one that answers too late.
      line.onClose((code, reason) => {
        given += 1;
        return house.close({ ...(code === undefined ? {} : { code }), ...(reason === undefined ? {} : { reason }) });
      });
    });
  });
  await buyIn(dealer, 1, '2000');
  await openBets(dealer, terminal);
  await chip(terminal, '5');
  for (let tap = 1; tap <= TAPS; tap += 1) {
    await box(terminal, 'big').tap();
    await expectBox(terminal, 'big', `${tap * 5}.00 bet`);
    await terminal.clock.runFor(EVERY);
  }
  expect(given).toBe(0);
});
