// A live table: the Dealer registers the players' bets, and the display follows.

import type { Page } from 'playwright-core';
import { it } from 'vitest';
import { box, hold } from '../browser/stage';
import { expectNotice } from '../browser/notices';
import { chipOf, commit, openBets, openTable, phase, expectBox, seatKey, step, tumble } from './play';
import { premises } from './premises';

const at = premises();

/** The Dealer registers chips of a player on Big. */
async function register(dealer: Page, seat: number, chips: string[]): Promise<void> {
  await seatKey(dealer, seat).click();
  let lies = 0;
  for (const chip of chips) {
    await chipOf(dealer, chip).click();
    await box(dealer, 'big').click();
    lies += Number(chip.replace(',', ''));
    await expectBox(dealer, 'big', new RegExp(`${lies.toLocaleString('en')}\\.00 bet$`));
  }
}

/** The difference of Big and Small. */
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

it('takes chips off, enters by box, repeats a seat, and finds the pay list again', async () => {
  const dealer = await at().staff('dealer', '/console?table=2');
  const wall = await at().display(2);
  const press = (name: string) => dealer.getByRole('button', { name, exact: true }).click();
  await openBets(dealer, wall);
  await register(dealer, 5, ['100', '100']);
  await press('Remove chip');
  await box(dealer, 'big').click();
  await expectBox(dealer, 'big', '100.00 bet');
  await press('By box');
  await box(dealer, 'small').click();
  await chipOf(dealer, '25').click();
  for (const seat of [6, 7]) await seatKey(dealer, seat).click();
  await apart(dealer, '50');
  await step(dealer, 'activate').waitFor();
  await dealer.getByRole('button', { name: 'No more bets' }).click();
  await tumble(dealer);
  await commit(dealer, [3, 5, 6]);
  await openBets(dealer, wall);
  await press('By seat');
  await seatKey(dealer, 5).click();
  await press('Repeat');
  await apart(dealer, '100');
  const round = Number((await dealer.getByText(/^Round \d+$/).first().textContent())!.slice(6)) - 1;
  const supervisor = await at().staff('pit-supervisor', '/console?table=2');
  await supervisor.getByRole('button', { name: 'Last rounds' }).click();
  await supervisor.getByRole('dialog').getByRole('button', { name: new RegExp(`^Round ${round}\\b`) }).click();
  await supervisor.getByRole('region', { name: `Pay list of round ${round}` }).getByText('Pay 100').first().waitFor();
  await dealer.getByRole('button', { name: 'No more bets' }).click();
  await tumble(dealer);
  await commit(dealer, [1, 1, 1]);
});

it('advises on boxes below the minimum, covers the dice, and corrects a known die (5.2, 5.5.3, 5.4.1)', async () => {
  const dealer = await at().staff('dealer', '/console?table=2');
  const wall = await at().display(2);
  await openBets(dealer, wall);
  await register(dealer, 2, ['5']);
  await register(dealer, 4, ['10']);
  const below = dealer.getByRole('region', { name: 'Below the minimum' });
  await below.getByText('Big 15, minimum 25').waitFor();
  await below.getByRole('button', { name: 'Player advised' }).click();
  await below.getByText('Advice recorded').waitFor();
  await below.getByRole('button', { name: 'Seat 4 withdraws 10' }).click();
  await below.getByText('Big 5, minimum 25').waitFor();
  await below.getByRole('button', { name: 'Player advised' }).waitFor();

  // The dice are tumbled under the cover; to lift it then exposes them.
  await dealer.getByRole('button', { name: 'Cover the dice' }).click();
  await tumble(dealer);
  await dealer.getByRole('button', { name: 'Uncover the dice' }).click();
  await hold(dealer.getByRole('button', { name: /^Uncover and void round/ }), () => phase(dealer, 'void'));
  await below.waitFor({ state: 'detached' });
  await dealer.getByRole('region', { name: 'Announce' }).getByText(/“Round \d+ is void: the dice were seen before “No more bets”/).waitFor();
  await wall.getByText(/Round \d+ is void: the dice were seen before/).waitFor();
  await wall.getByText('Winnings of a round that is void or corrected are taken back.').waitFor();

  await openBets(dealer, wall);
  await register(dealer, 2, ['100']);
  await dealer.getByRole('button', { name: 'No more bets' }).click();
  await tumble(dealer);
  await dealer.getByRole('button', { name: 'Irregularities' }).click();
  await dealer.getByRole('button', { name: 'Play is interrupted' }).click();
  await dealer.getByRole('dialog').getByRole('button', { name: 'Face 4' }).click();
  await hold(dealer.locator('dialog button.hold'), () => dealer.getByText(/^Known: 4\. Enter all three/).waitFor());
  const supervisor = await at().staff('pit-supervisor', '/console?table=2');
  const manager = await at().staff('pit-manager', '/pit');
  await supervisor.getByRole('button', { name: 'Irregularities' }).click();
  await supervisor.getByRole('button', { name: 'A known die was reported wrong' }).click();
  await supervisor.getByRole('dialog').getByRole('button', { name: 'Face 5' }).click();
  await supervisor.getByLabel('Reason').fill('The five was read as a four');
  await supervisor.getByRole('button', { name: 'Ask for approval' }).click();
  await manager.getByText('Table 2: the dice known at the interruption are 5.').waitFor();
  await manager.getByRole('button', { name: 'Approve' }).click();
  await expectNotice(supervisor, 'Approved and applied.');
  await dealer.getByText(/^Known: 5\./).waitFor();
  await commit(dealer, [5, 3, 6]);
  await wall.getByRole('img', { name: 'Dice 5 3 6, total 14' }).waitFor();
});
