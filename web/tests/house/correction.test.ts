// A result that was read wrongly: one person asks, another approves at a screen of their own, and what players have follows.

import { expect, it } from 'vitest';
import { told } from '../browser/told';
import { bet, buyIn, conclude, meter, openBets, openTable, says } from './play';
import { premises } from './premises';

const at = premises();

it('corrects a result with two people in two browsers, and credits follow (F12)', async () => {
  await openTable(at(), 1);
  const dealer = await at().staff('dealer', '/console?table=1');
  const [first, second, wall] = await Promise.all([at().terminal(1), at().terminal(2), at().display(1)]);
  await buyIn(dealer, 1, '100');
  await buyIn(dealer, 2, '100');
  await openBets(dealer, first, second);
  await bet(first, 'big', '5.00');
  await bet(second, 'small', '5.00');
  await conclude(dealer, [3, 4, 6]);
  await meter(first, 'Credits', 10_500);
  await meter(second, 'Credits', 9_500);

  const supervisor = await at().staff('pit-supervisor', '/pit');
  const manager = await at().staff('shift-manager', '/pit');
  await supervisor.getByRole('button', { name: /Act Table 1/ }).click();
  const sheet = supervisor.getByRole('dialog');
  await sheet.getByLabel('Round').fill('1');
  for (const face of [3, 4, 2]) await sheet.getByRole('button', { name: `Face ${face}` }).click();
  await sheet.getByLabel('Why').fill('The two was read as a six');
  await sheet.getByRole('button', { name: 'Ask for approval' }).click();
  await manager.getByText('Table 1, round 1: settle again by the dice 3 4 2.').waitFor();
  await manager.getByText('The two was read as a six').waitFor();
  await meter(first, 'Credits', 10_500);
  await manager.getByRole('button', { name: 'Approve' }).click();
  await told(supervisor, 'Approved and carried out.');

  for (const terminal of [first, second]) await told(terminal, /Round 1 was corrected: the dice are 3 4 2\./);
  await meter(first, 'Credits', 9_500);
  await meter(second, 'Credits', 10_500);
  await wall.getByRole('img', { name: 'Dice 3 4 2, total 9' }).waitFor();
  await says(second, 'small', 'wins');
  await manager.getByText('Correction').first().waitFor();
  expect(await manager.getByRole('button', { name: 'Approve' }).count()).toBe(0);
});
