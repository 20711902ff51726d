// A wrong result: one person asks for a correction, another approves at their own screen, and the players' money follows.

import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { hold } from '../browser/stage';
import { expectNotice } from '../browser/notices';
import { bet, buyIn, conclude, meter, openBets, openTable, expectBox } from './play';
import { premises } from './premises';

const at = premises();

/** A supervisor asks to correct a round of table 1. */
async function askToCorrect(supervisor: Page, round: number, dice: readonly number[], why: string): Promise<void> {
  await supervisor.getByRole('button', { name: /Act Table 1/ }).click();
  const sheet = supervisor.getByRole('dialog');
  await sheet.getByLabel('Round').fill(String(round));
  for (const face of dice) await sheet.getByRole('button', { name: `Face ${face}` }).click();
  await sheet.getByLabel('Reason').fill(why);
  await sheet.getByRole('button', { name: 'Ask for approval' }).click();
}

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
  await askToCorrect(supervisor, 1, [3, 4, 2], 'The two was read as a six');
  await manager.getByText('Table 1, round 1: settle again by the dice 3 4 2.').waitFor();
  await manager.getByText('The two was read as a six').waitFor();
  await meter(first, 'Credits', 10_500);
  await manager.getByRole('button', { name: 'Approve' }).click();
  await expectNotice(supervisor, 'Approved and applied.');

  for (const terminal of [first, second]) await expectNotice(terminal, /Round 1 was corrected: the dice are 3 4 2\./);
  await meter(first, 'Credits', 9_500);
  await meter(second, 'Credits', 10_500);
  await wall.getByRole('img', { name: 'Dice 3 4 2, total 9' }).waitFor();
  await expectBox(second, 'small', 'wins');
  await manager.getByText('Correction').first().waitFor();
  expect(await manager.getByRole('button', { name: 'Approve' }).count()).toBe(0);

  // Each player sees the change until it is read, also after a reload, and never again.
  const isRead = (page: Page) => page.getByRole('button', { name: 'I have read this' });
  await first.reload();
  await first.getByText('10.00 was taken back; your credits are now 95.00.').waitFor();
  await second.getByText('10.00 was paid to you; your credits are now 105.00.').waitFor();
  await isRead(first).click();
  await isRead(first).waitFor({ state: 'detached' });
  await first.reload();
  await meter(first, 'Credits', 9_500);
  expect(await isRead(first).count()).toBe(0);
  await first.getByRole('button', { name: 'My games' }).click();
  const amounts = () => first.getByRole('dialog').locator('dd').allTextContents();
  await expect.poll(amounts).toEqual(['100.00', '−5.00', '10.00', '−10.00', '95.00', '−5.00']);
});

it('two people reverse a buy-in, and the player is notified', async () => {
  const supervisor = await at().staff('pit-supervisor', '/console?table=1');
  const player = await at().terminal(5);
  await buyIn(supervisor, 5, '200');
  await meter(player, 'Credits', 20_000);
  await supervisor.getByRole('button', { name: /^Seat 5\b/ }).click();
  const receipt = supervisor.getByRole('region', { name: /^Receipt 1-0-\d+$/ });
  await receipt.getByRole('button', { name: 'Reverse this buy-in' }).click();
  await receipt.getByLabel('Reason for the reversal').fill('It was for seat 4');
  await receipt.getByRole('button', { name: 'Ask for approval to reverse 200.00' }).click();
  const manager = await at().staff('shift-manager', '/pit');
  await manager.getByText(/^Table 1, seat 5: reverse the buy-in with receipt \d+\.$/).waitFor();
  await manager.getByRole('button', { name: 'Approve' }).click();
  await receipt.getByText('Reversed. The cash was returned.').waitFor();
  await meter(player, 'Credits', 0);
  await player.getByText(/^Your buy-in of 200\.00 \(receipt \d+\) was reversed/).waitFor();
  await manager.getByText('A buy-in was reversed').first().waitFor();
});

it('moves the money of a ruling when a second person has witnessed it (5.14)', async () => {
  const dealer = await at().staff('dealer', '/console?table=1');
  const player = await at().terminal(4);
  await buyIn(dealer, 4, '100');
  await openBets(dealer, player);
  const round = Number(await dealer.getByText(/^Round \d+$/).first().textContent().then((text) => text!.replace(/\D/g, '')));
  await bet(player, 'big', '5.00');
  await conclude(dealer, [3, 4, 6]);
  await meter(player, 'Credits', 10_500);
  const [manager, supervisor] = [await at().staff('shift-manager', '/pit'), await at().staff('pit-supervisor', '/pit')];
  await manager.getByRole('button', { name: /Act Table 1/ }).click();
  const sheet = manager.getByRole('dialog');
  await sheet.getByRole('button', { name: 'Ruling' }).click();
  await sheet.getByLabel('Ruling').selectOption('void');
  await sheet.getByRole('textbox', { name: 'Round' }).fill(String(round));
  await sheet.getByLabel('Reason').fill('The lights went out');
  await hold(sheet.getByRole('button', { name: /^Rule/ }), () => sheet.waitFor({ state: 'detached' }));
  const rulings = supervisor.getByRole('region', { name: 'Rulings to witness' });
  await rulings.getByText('Until then, paid as: 3 4 6 (13)').waitFor();
  await meter(player, 'Credits', 10_500);
  await hold(rulings.getByRole('button', { name: 'Witness and move the money' }), () => rulings.waitFor({ state: 'detached' }));
  await meter(player, 'Credits', 10_000);
});

it('shows a player both figures of a set-off until they are read', async () => {
  const dealer = await at().staff('dealer', '/console?table=1');
  const player = await at().terminal(3);
  await buyIn(dealer, 3, '5');
  const first = Number(await dealer.getByText(/^Round \d+$/).first().textContent().then((text) => text!.replace(/\D/g, ''))) + 1;
  await openBets(dealer, player);
  await bet(player, 'big', '5.00');
  await conclude(dealer, [3, 4, 6]);
  await meter(player, 'Credits', 1_000);
  await openBets(dealer, player);
  await bet(player, 'big', '5.00');
  await bet(player, 'big', '10.00');
  await conclude(dealer, [1, 1, 2]);
  await meter(player, 'Credits', 0);

  const supervisor = await at().staff('pit-supervisor', '/pit');
  const manager = await at().staff('shift-manager', '/pit');
  const approve = async (round: number) => {
    await manager.getByText(`Table 1, round ${round}: settle again`).waitFor();
    await manager.getByRole('button', { name: 'Approve' }).click();
  };
  const figures = (name: string, amount: string) => player.locator('dt').filter({ hasText: name }).locator('+ dd').filter({ hasText: amount }).waitFor();
  await askToCorrect(supervisor, first, [1, 2, 3], 'The one was read as a six');
  await approve(first);
  await figures(`Owed by you for round ${first}`, '10.00');
  await figures('You still owe', '10.00');
  await player.getByRole('button', { name: 'I have read this' }).click();
  await askToCorrect(supervisor, first + 1, [6, 6, 5], 'The sixes were read as ones');
  await approve(first + 1);
  await figures(`Owed to you for round ${first + 1}`, '20.00');
  await figures(`You owed for round ${first}, set off`, '10.00');
  await figures('Added to your credits', '10.00');
  await meter(player, 'Credits', 1_000);
});
