// The way from `make run` to a first bet, as the README says it: two people sign in, and the first player gets credits for cash (F86).

import { expect, it } from 'vitest';
import { bet, buyIn, chip, meter, openBets, openTable } from './play';
import { Premises, premises } from './premises';
import { House } from './program';

const at = premises(async () => Premises.around(await House.usual()));

it('takes two sign-ins', async () => {
  const terminal = await at().terminal(1);
  await terminal.getByRole('button', { name: 'Money' }).first().tap();
  const sheet = terminal.getByRole('dialog');
  await sheet.getByText('Pay an attendant here, or go to the cage.').waitFor();
  expect(await sheet.getByRole('button', { name: /^Insert/ }).count(), 'a real house has no simulated note acceptor').toBe(0);
  await terminal.keyboard.press('Escape');
  await openTable(at(), 1);
  const dealer = await at().staff('dealer', '/console?table=1');
  await buyIn(dealer, 1, '100');
  await openBets(dealer, terminal);
  await chip(terminal, '10');
  await bet(terminal, 'big', '10.00');
  await meter(terminal, 'Credits', 9_000);
  expect(at().signIns).toBe(2);
  await at().house.audit();
});
