// The program is killed in the middle of a round and restarted on the same port: screens reconnect, bets stand, and the Dealer continues
// the round.

import { expect, it } from 'vitest';
import { expectNotice } from '../browser/notices';
import { bet, buyIn, commit, conclude, meter, openBets, openTable, expectBox, step, tumble } from './play';
import { premises } from './premises';

const at = premises();

it('goes on with the same round and the same bets after it was killed (F20, F21)', async () => {
  await openTable(at(), 1);
  const dealer = await at().staff('dealer', '/console?table=1');
  const [first, second, wall] = await Promise.all([at().terminal(1), at().terminal(2), at().display(1)]);
  await buyIn(dealer, 1, '100');
  await buyIn(dealer, 2, '100');
  await openBets(dealer, first, second, wall);
  await bet(first, 'big', '5.00');
  await bet(first, 'big', '10.00');
  await bet(second, 'small', '5.00');
  await at().house.kill();
  for (const page of [first, second]) await page.getByText('Connection lost. Bets are not accepted.').waitFor();
  for (const page of [dealer, wall]) await page.getByRole('alert').filter({ hasText: 'Connection lost' }).waitFor();
  await at().house.restart();
  await expectNotice(first, 'Connected again. Your bets stand: 10.00.');
  await expectNotice(second, 'Connected again. Your bets stand: 5.00.');
  for (const page of [first, second, wall]) await page.getByText('Play is paused.').waitFor();
  await expectBox(first, 'big', '10.00 bet');
  await meter(first, 'Credits', 9_000);
  await step(dealer, 'continue').click();
  await bet(second, 'small', '10.00');
  await conclude(dealer, [1, 2, 3]);
  await meter(first, 'Credits', 9_000);
  await meter(second, 'Credits', 11_000);

  // Once more when the dice are tumbled and not entered.
  await openBets(dealer, first, second, wall);
  await bet(first, 'big', '5.00');
  await step(dealer, 'close-bets').click();
  await tumble(dealer);
  await dealer.getByText('Enter the dice').waitFor();
  await at().house.kill();
  await at().house.restart();
  await expectNotice(first, 'Connected again. Your bets stand: 5.00.');
  await step(dealer, 'continue').click();
  await commit(dealer, [6, 5, 4]);
  await meter(first, 'Credits', 9_500);
  await wall.getByRole('img', { name: 'Dice 6 5 4, total 15' }).waitFor();
  expect(at().house.taisai('audit', 'show', 'data', '--table', '1', '--round', '2')).toContain('6 5 4');
});
