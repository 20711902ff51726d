// A player who plays without a pause keeps the line to the house, which beats only while it is asked for nothing.

import { expect, it } from 'vitest';
import { SILENT } from '../../src/protocol/line';
import { box } from '../browser/stage';
import { buyIn, chip, openBets, openTable, says } from './play';
import { premises } from './premises';

const at = premises();

it('is not lost while it taps for longer than a screen waits for a word of the house', async () => {
  await openTable(at(), 1);
  const dealer = await at().staff('dealer', '/console?table=1');
  let given = 0;
  const terminal = await at().terminal(1, 1, (page) =>
    page.routeWebSocket(/terminal$/, (line) => {
      const house = line.connectToServer();
      // The terminal gives its line up; the house may end one that answers too late.
      line.onClose((code, reason) => {
        given += 1;
        return house.close({ ...(code === undefined ? {} : { code }), ...(reason === undefined ? {} : { reason }) });
      });
    }),
  );
  await buyIn(dealer, 1, '2000');
  await openBets(dealer, terminal);
  await chip(terminal, '5');
  const now = () => terminal.evaluate(() => performance.now());
  const end = (await now()) + 2 * SILENT;
  for (let tap = 1; (await now()) < end; tap += 1) {
    await box(terminal, 'big').tap();
    await says(terminal, 'big', `${tap * 5}.00 bet`);
  }
  expect(given).toBe(0);
});
