// A live table: the Dealer registers what players lay on the felt, and the display follows.

import type { Page } from 'playwright-core';
import { it } from 'vitest';
import { commit, openBets, openTable, step, tumble } from './play';
import { premises } from './premises';

const at = premises();

/** The Dealer registers chips of a player on Big. */
async function register(dealer: Page, seat: number, chips: string[]): Promise<void> {
  await dealer.getByRole('button', { name: new RegExp(`^Seat ${seat}\\b`) }).click();
  const sheet = dealer.getByRole('dialog');
  for (const chip of chips) {
    await sheet.getByRole('radio', { name: `Chip of ${chip}`, exact: true }).click();
    await sheet.locator('[data-box=big]').first().click();
    await sheet.getByRole('status').filter({ hasText: `Big ${chip}` }).waitFor();
  }
  await dealer.keyboard.press('Escape');
}

/** How far Big and Small are apart. */
const apart = (dealer: Page, amount: string) => dealer.getByRole('meter', { name: `${amount} apart, at most 5,000` }).waitFor();

it('plays rounds of Tai Sai on console and display, within the Differential (5.1)', async () => {
  await openTable(at(), 2);
  const dealer = await at().staff('dealer', '/console?table=2');
  const wall = await at().display(2);
  await openBets(dealer, wall);
  await register(dealer, 2, ['100']);
  await apart(dealer, '100');
  await tumble(dealer);
  await step(dealer, 'close-bets').click();
  await commit(dealer, [3, 5, 6]);
  await wall.getByRole('img', { name: 'Dice 3 5 6, total 14' }).waitFor();
  await wall.getByRole('img', { name: /Betting layout, .*Big/ }).waitFor();
  await openBets(dealer, wall);
  await register(dealer, 3, ['5,000', '1,000']);
  await apart(dealer, '6,000');
  await dealer.getByRole('button', { name: 'Reject the excess' }).click();
  await apart(dealer, '5,000');
  await dealer.getByRole('button', { name: 'No more bets' }).click();
  await tumble(dealer);
  await commit(dealer, [1, 1, 1]);
  await wall.getByText('Triple').first().waitFor();
});
