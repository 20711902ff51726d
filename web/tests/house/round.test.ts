// A table in play with the program behind it: a Dealer at the console, players at two terminals, and the display on the wall.

import { describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { box, hold } from '../browser/stage';
import { expectNotice } from '../browser/notices';
import { bet, buyIn, chip, commit, conclude, meter, openBets, openTable, phase, expectBox, step, tumble } from './play';
import { Premises, premises } from './premises';

const at = premises(Premises.openImpatient);
let dealer: Page, first: Page, second: Page, wall: Page;

describe('a table in play', () => {
  it('is opened by a supervisor, and players buy in at the Dealer', async () => {
    await openTable(at(), 1);
    dealer = await at().staff('dealer', '/console?table=1');
    [first, second, wall] = await Promise.all([at().terminal(1), at().terminal(2), at().display(1)]);
    await first.getByText('Welcome. Add credits to play.').waitFor();
    await buyIn(dealer, 1, '1000');
    await buyIn(dealer, 2, '400');
    await meter(first, 'Credits', 100_000);
    await meter(second, 'Credits', 40_000);
  });

  it('plays a round: bets by touch, dice by keys, winners lit and paid (F10, F11)', async () => {
    await openBets(dealer, first, second, wall);
    await wall.getByRole('timer').waitFor();
    await chip(first, '25');
    await bet(first, 'big', '25.00');
    await bet(first, 'sum:12', '25.00');
    await bet(second, 'small', '5.00');
    await meter(first, 'Credits', 95_000);
    await meter(first, 'Bet', 5_000);
    await conclude(dealer, [2, 4, 6]);
    await expectBox(first, 'big', 'wins, paid 50.00');
    await expectBox(first, 'sum:12', 'wins, paid 200.00');
    await meter(first, 'Credits', 120_000);
    await meter(first, 'Last win', 20_000);
    await first.getByText('You won 200.00').waitFor();
    expect(await box(second, 'small').getAttribute('aria-label')).not.toContain('wins');
    await meter(second, 'Credits', 39_500);
    await wall.getByRole('img', { name: 'Dice 2 4 6, total 12' }).waitFor();
    await wall.getByRole('img', { name: /Betting layout, .*Big/ }).waitFor();
    await openBets(dealer, first, second, wall);
    await wall.getByText('Round 2').first().waitFor();
    await first.getByRole('button', { name: 'Repeat' }).tap();
    await expectBox(first, 'sum:12', '25.00 bet');
    await conclude(dealer, [1, 1, 1]);
    await meter(first, 'Credits', 115_000);
  });

  it('gives a late chip back with the reason, and one beyond a limit (3.3, 3.5)', async () => {
    await openBets(dealer, first, second);
    await chip(second, '100');
    await box(second, 'triple:6').tap();
    await expectNotice(second, /Triple Six takes at most 50\. 100 returned\./);
    await step(dealer, 'close-bets').click();
    await phase(second, 'closed');
    await box(second, 'big').tap();
    await expectNotice(second, /No more bets\. 100 returned\./);
    await expectNotice(second, /Game rules 3\./);
    await meter(second, 'Credits', 39_500);
    await meter(second, 'Bet', 0);
    await tumble(dealer);
    await commit(dealer, [6, 6, 5]);
  });

  it('returns a chip that was pending when bets closed (3.5)', async () => {
    const waiting: (() => void)[] = [];
    let isSlow = false;
    const third = await at().terminal(3, 1, (page) =>
      page.routeWebSocket(/terminal$/, (line) => {
        const house = line.connectToServer();
        line.onMessage((message) => (isSlow ? waiting.push(() => house.send(message)) : house.send(message)));
      }),
    );
    await buyIn(dealer, 3, '50');
    await openBets(dealer, third);
    await bet(third, 'small', '5.00');
    isSlow = true;
    await box(third, 'small').tap();
    await expectBox(third, 'small', '5.00 bet, 5.00 pending');
    await step(dealer, 'close-bets').click();
    await phase(third, 'closed');
    waiting.forEach((send) => send());
    await expectNotice(third, /No more bets\. 5 returned\./);
    await meter(third, 'Bet', 500);
    await tumble(dealer);
    await commit(dealer, [1, 2, 3]);
    await meter(third, 'Credits', 5_500);
    await third.context().close();
  });

  it('takes back, doubles, clears and repeats, and knows its bets after a reload (F62)', async () => {
    const press = (name: string) => first.getByRole('button', { name, exact: true }).tap();
    await openBets(dealer, first);
    await chip(first, '25');
    await bet(first, 'odd', '25.00');
    await bet(first, 'domino:12', '25.00');
    await press('Undo');
    await meter(first, 'Bet', 2_500);
    await press('Double');
    await expectBox(first, 'odd', '50.00 bet');
    await press('Clear');
    await meter(first, 'Bet', 0);
    await press('Undo');
    await expectBox(first, 'odd', '50.00 bet');
    await first.reload();
    await expectBox(first, 'odd', '50.00 bet');
    await chip(first, '5');
    await bet(first, 'odd', '55.00');
    await conclude(dealer, [1, 3, 5]);
    await expectBox(first, 'odd', 'wins, paid 110.00');
    await meter(first, 'Credits', 120_500);
    await chip(first, '25');
    await first.getByRole('button', { name: 'My games' }).click();
    await first.getByRole('dialog').getByText('110.00').waitFor();
    await first.getByRole('dialog').getByRole('img', { name: /Betting layout, .*Odd/ }).waitFor();
    await first.keyboard.press('Escape');
  });

  it('stops taking bets when the server falls silent, and says that bets stand when it is back (F20)', async () => {
    await openBets(dealer, first, second);
    await bet(first, 'small', '25.00');
    at().house.signal('SIGSTOP');
    await Promise.all([first, second].map((page) => page.getByText('Connection lost. Bets are not accepted.').waitFor()));
    await Promise.all([wall, dealer].map((page) => page.getByRole('alert').filter({ hasText: 'Connection lost' }).waitFor()));
    await box(first, 'big').tap();
    await expectNotice(first, 'This terminal is offline. 25 returned.');
    at().house.signal('SIGCONT');
    await expectNotice(first, 'Connected again. Your bets stand: 25.00.');
    await expectNotice(second, 'Connected again.');
    await expectBox(first, 'small', '25.00 bet');
    await meter(first, 'Bet', 2_500);
    await Promise.all([wall, dealer].map((page) => page.getByRole('alert').waitFor({ state: 'detached' })));
    await conclude(dealer, [1, 2, 3]);
    await meter(first, 'Credits', 123_000);
  });

  it('keeps the bets of a terminal that alone is cut off, and the Dealer sees that it is (F20)', async () => {
    await openBets(dealer, first, second);
    await bet(second, 'big', '100.00');
    await second.context().setOffline(true);
    await second.getByText('Connection lost. Bets are not accepted.').waitFor();
    await dealer.getByRole('button', { name: /^Seat 2\b.*Offline/ }).waitFor();
    await second.context().setOffline(false);
    await expectNotice(second, 'Connected again. Your bets stand: 100.00.');
    await expectBox(second, 'big', '100.00 bet');
    await conclude(dealer, [4, 5, 6]);
    await meter(second, 'Credits', 49_500);
  });

  it('voids a round: every player sees the reason and paragraph and gets everything back (5.3.2, 5.9)', async () => {
    await openBets(dealer, first, second, wall);
    await bet(first, 'big', '25.00');
    await bet(second, 'small', '100.00');
    await step(dealer, 'close-bets').click();
    await step(dealer, 'activate').click();
    await dealer.getByRole('button', { name: 'Irregularities' }).click();
    await dealer.getByRole('button', { name: /A die does not lie flat/ }).click();
    await dealer.getByText(/is void and every bet is returned in full/).waitFor();
    await hold(dealer.getByRole('button', { name: /^Void round/ }), () => phase(dealer, 'void'));
    for (const terminal of [first, second]) {
      await terminal.getByText(/is void: a die did not lie flat\. All bets are returned in full\./).waitFor();
      await terminal.getByText(/Game rules 5\.3\.2/).waitFor();
    }
    await meter(first, 'Credits', 123_000);
    await meter(second, 'Credits', 49_500);
    await wall.getByText(/is void: a die did not lie flat/).waitFor();
    await openBets(dealer, first);
    await conclude(dealer, [1, 2, 4]);
  });
});
