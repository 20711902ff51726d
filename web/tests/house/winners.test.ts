// A live table that registers winners: the Dealer registers and pays after the dice, a killed server has lost nothing of it, a second person
// approves what is large, and a late void is made good from the film.

import type { Page } from 'playwright-core';
import { it } from 'vitest';
import { box, hold } from '../browser/stage';
import { openBets, openTable, phase, seatKey, tumble } from './play';
import { Premises, premises } from './premises';
import { House } from './program';

const TABLE = `
[[table]]
number = 1
game = "tai-sai"
layout = "C"
seats = 7
registration = "winners"
[table.limits]
unit = 500
differential = 500_000
rest = { min = 500, max = 1_000_000 }
boxes = [
    { boxes = "big", min = 2_500, max = 2_000_000 },
    { boxes = "small", min = 2_500, max = 2_000_000 },
]
`;

const at = premises(async () => Premises.around(await House.found(TABLE)));
const led = (dealer: Page) => dealer.getByRole('region', { name: 'Winning boxes' });
const payList = (dealer: Page) => dealer.getByRole('region', { name: /^Pay list of round/ });
const chip = (dealer: Page, amount: string) => dealer.getByRole('button', { name: `Chip of ${amount}`, exact: true }).click();
const settle = async (dealer: Page) => {
  await led(dealer).getByRole('button', { name: /^Is a losing box over/ }).click();
  await hold(dealer.getByRole('button', { name: /^All registered/ }), () => phase(dealer, 'settled'));
};

/** A round opens, and closes before anything is entered. */
async function openAndClose(dealer: Page, ...screens: Page[]): Promise<void> {
  await openBets(dealer, ...screens);
  await dealer.getByText('This table registers winners only').waitFor();
  await dealer.getByRole('button', { name: 'No more bets' }).click();
  await phase(dealer, 'closed');
}

/** The dice, up to the boxes that win. */
async function throwDice(dealer: Page, dice: readonly number[]): Promise<void> {
  await tumble(dealer);
  await dealer.getByText('Enter the dice').waitFor();
  for (const face of dice) await dealer.keyboard.press(String(face));
  await hold(dealer.getByRole('button', { name: /^Commit/ }), () => led(dealer).waitFor());
}

it('leads the Dealer through the winners, also after a kill, and shows the pay list until the next round', async () => {
  await openTable(at(), 1);
  const dealer = await at().staff('dealer', '/console?table=1');
  const wall = await at().display(1);
  await openAndClose(dealer, wall);
  await throwDice(dealer, [4, 4, 6]);
  await wall.getByRole('img', { name: 'Dice 4 4 6, total 14' }).waitFor();
  await box(dealer, 'big').click();
  await seatKey(dealer, 2).click();
  await chip(dealer, '100');
  await led(dealer).getByText('1 registered, pay 100').waitFor();
  await box(dealer, 'sum:14').click();
  await seatKey(dealer, 5).click();
  for (const key of '25') await dealer.keyboard.press(key);
  await dealer.keyboard.press('Enter');
  await led(dealer).getByText('2 registered, pay 400').waitFor();
  await at().house.kill();
  await at().house.restart();
  await led(dealer).getByText('2 registered, pay 400').waitFor();
  await box(dealer, 'double:4').click();
  await seatKey(dealer, 5).click();
  await chip(dealer, '25');
  await led(dealer).getByText('3 registered').waitFor();
  await led(dealer).getByRole('button', { name: /^Remove: ?Seat 5 25/ }).click();
  await led(dealer).getByText('2 registered, pay 400').waitFor();
  await settle(dealer);
  for (const [seat, pay] of [[2, 100], [5, 300]]) {
    const key = payList(dealer).getByRole('button', { name: new RegExp(`^Seat ${seat} `) });
    await key.getByText(`Pay ${pay}`, { exact: true }).waitFor();
    await key.click();
  }
  await payList(dealer).getByText('2 of 2 paid').waitFor();
  await openAndClose(dealer, wall);
  await payList(dealer).waitFor({ state: 'detached' });
});

it('asks for the opposite total and for a second person, whom the Supervisor is', async () => {
  const dealer = await at().staff('dealer', '/console?table=1');
  const supervisor = await at().staff('pit-supervisor', '/pit');
  await throwDice(dealer, [4, 4, 6]);
  await box(dealer, 'big').click();
  await seatKey(dealer, 3).click();
  for (const key of '12000') await dealer.keyboard.press(key);
  await dealer.keyboard.press('Enter');
  await led(dealer).getByText('waiting for approval', { exact: false }).waitFor();
  await supervisor.getByText('Table 1, seat 3: register 12,000.00 on Big.').waitFor();
  await supervisor.getByRole('button', { name: 'Approve' }).click();
  await dealer.getByText('Still missing: Small').waitFor();
  await box(dealer, 'small').click();
  for (const key of '5000') await dealer.keyboard.press(key);
  await dealer.keyboard.press('Enter');
  await dealer.getByRole('button', { name: /^All registered/ }).getByText('First say whether a losing box is over its limit').waitFor();
  await box(dealer, 'big').click();
  await led(dealer).getByText('10,000 of 12,000 counts').waitFor();
  await settle(dealer);
  await payList(dealer).getByRole('button', { name: /^Seat 3 / }).getByText('Pay 10,000').waitFor();
});

it('makes a late void good from the film, by two people', async () => {
  const manager = await at().staff('pit-manager', '/pit');
  const supervisor = await at().staff('pit-supervisor', '/pit');
  const approve = async (what: RegExp) => {
    await manager.getByText(what).waitFor();
    await manager.getByRole('button', { name: 'Approve' }).click();
  };
  await supervisor.getByRole('button', { name: /Table 1/ }).click();
  const sheet = supervisor.getByRole('dialog');
  await sheet.getByRole('button', { name: 'Void by law' }).click();
  await sheet.getByLabel('Reason').fill('The tumbler had stopped by itself');
  await sheet.getByRole('button', { name: 'Ask for approval' }).click();
  await approve(/round 2: void/);
  await supervisor.getByRole('region', { name: 'Returns open' }).getByRole('button').click();
  await sheet.getByLabel('Seat').fill('4');
  await sheet.getByLabel('Player').fill('Red coat');
  await sheet.getByLabel('Box').selectOption('small');
  await sheet.getByLabel('Amount').fill('70');
  await sheet.getByRole('button', { name: 'Ask for approval' }).click();
  await approve(/register 70\.00 on Small from the film/);
  await sheet.getByText('Red coat').waitFor();
  await sheet.getByLabel('Seat').fill('5');
  await sheet.getByLabel('Player').fill('Blue coat');
  await sheet.getByLabel('Box').selectOption('small');
  await sheet.getByLabel('Amount').fill('50');
  await sheet.getByRole('button', { name: 'Ask for approval' }).click();
  await approve(/register 50\.00 on Small from the film/);
  await sheet.getByText('Seat 5 gets 50.00').waitFor();
  await sheet.getByRole('button', { name: 'Remove line 2' }).click();
  await approve(/remove line 2/);
  await sheet.getByText('Blue coat').waitFor({ state: 'detached' });
  await sheet.getByText('Seat 4 gets 70.00').waitFor();
  await sheet.getByRole('button', { name: /close the returns/ }).click();
  await approve(/close the returns/);
  await supervisor.getByRole('region', { name: 'Returns open' }).waitFor({ state: 'detached' });
});
