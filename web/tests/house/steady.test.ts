// A player who plays without a pause keeps the line to the house, which beats only while it is asked for nothing.

import { expect, it } from 'vitest';
import { SILENCE_TIMEOUT_MS } from '../../src/protocol/connection';
import { box, pauseClock } from '../browser/stage';
import { buyIn, chip, openBets, openTable, expectBox } from './play';
import { premises } from './premises';

const at = premises();

/** Time passes on the terminal only, by so much after each tap: in all, for longer than a screen waits for a word of the house. */
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
      // The terminal gives its line up; the house may end one that answers too late.
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
