// A live table: the Dealer registers what players lay on the felt, and the display follows.

import { it } from 'vitest';
import { commit, openBets, openTable, step, tumble } from './play';
import { premises } from './premises';

const at = premises();

it('plays a round of Tai Sai on console and display', async () => {
  await openTable(at(), 2);
  const dealer = await at().staff('dealer', '/console?table=2');
  const wall = await at().display(2);
  await openBets(dealer, wall);
  await dealer.getByRole('button', { name: /^Seat 2\b/ }).click();
  const seat = dealer.getByRole('dialog');
  await seat.getByRole('radio', { name: 'Chip of 100', exact: true }).click();
  await seat.locator('[data-box=big]').first().click();
  await seat.locator('[data-laid=big] text').first().waitFor();
  await dealer.keyboard.press('Escape');
  await dealer.getByRole('meter', { name: '100 apart, at most 5,000' }).waitFor();
  await tumble(dealer);
  await step(dealer, 'close-bets').click();
  await commit(dealer, [3, 5, 6]);
  await wall.getByRole('img', { name: 'Dice 3 5 6, total 14' }).waitFor();
  await wall.getByRole('img', { name: /Betting layout, .*Big/ }).waitFor();
  await openBets(dealer, wall);
  await dealer.getByRole('button', { name: 'No more bets' }).click();
  await tumble(dealer);
  await commit(dealer, [1, 1, 1]);
  await wall.getByText('Triple').first().waitFor();
});
