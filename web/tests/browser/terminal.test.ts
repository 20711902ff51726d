// A player at the felt: chips are placed, returned with the reason, win, and stand through a lost connection.

import { describe, expect, it } from 'vitest';
import { label, PlayerStage } from './seats';
import { box, SIZES } from './stage';
import { expectNotice } from './notices';

const seats = new PlayerStage();

describe('the terminal', () => {
  it('takes a first bet with one touch, and with three where chip and box are to be found first', async () => {
    const page = await seats.open(1, 11, SIZES.phone, { hasTouch: true, isMobile: true });
    const bets = () => seats.house.table(1).seat(11).view.bets.map(({ box, amount }) => [box, amount]);
    await page.evaluate(() => addEventListener('touchstart', () => (document.title = `${Number(document.title) + 1}`), { capture: true, passive: true }));
    const touches = async (act: () => Promise<unknown>) => {
      await page.evaluate(() => (document.title = '0'));
      await act();
      return Number(await page.title());
    };
    seats.house.table(1).open();
    await page.locator('[data-phase=open]').waitFor();
    expect(await touches(() => box(page, 'big').tap())).toBe(1);
    await expect.poll(bets).toEqual([['big', 2_500]]);
    const felt = (await page.locator('div.frame').boundingBox())!;
    const session = await page.context().newCDPSession(page);
    const finger = (type: 'touchStart' | 'touchMove' | 'touchEnd', x?: number) => session.send('Input.dispatchTouchEvent', { type, touchPoints: x === undefined ? [] : [{ x, y: felt.y + 200 }] });
    const push = async () => {
      const isStill = page.locator('div.frame').evaluate((frame) => new Promise<void>((done) => frame.addEventListener('scrollend', () => done(), { once: true })));
      await finger('touchStart', 375);
      for (let x = 360; x > 0; x -= 15) await finger('touchMove', x);
      await finger('touchEnd');
      // What a finger has set in motion rolls on for a while.
      await isStill;
    };
    const count = await touches(async () => {
      await page.getByRole('radio', { name: 'Chip of 50' }).first().tap();
      await push();
      const { x, y, width, height } = (await box(page, 'small').boundingBox())!;
      expect(x + width / 2).toBeLessThan(felt.x + felt.width);
      await page.touchscreen.tap(x + width / 2, y + height / 2);
    });
    expect(count).toBeLessThanOrEqual(3);
    await expect.poll(bets).toEqual([['big', 2_500], ['small', 5_000]]);
  });

  it('shows a chip as pending immediately, and as registered later', async () => {
    const page = await seats.open(1, 12);
    seats.house.table(1).open();
    await page.locator('[data-phase=open]').waitFor();
    seats.house.hold();
    await box(page, 'sum:9').click();
    expect(await label(page, 'sum:9')).toContain('25.00 pending');
    seats.house.release();
    await expect.poll(() => label(page, 'sum:9')).toContain('25.00 bet');
    expect(await label(page, 'sum:9')).not.toContain('pending');
  });

  it('gives a late chip back with the reason and its paragraph', async () => {
    const page = await seats.open(1, 13);
    seats.house.table(1).open();
    seats.house.table(1).close();
    await page.locator('[data-phase=closed]').waitFor();
    await box(page, 'small').click();
    await expectNotice(page, 'No more bets. 25 returned.');
    await expectNotice(page, 'Game rules 3.5');
    expect(await page.locator('[data-cents]').first().getAttribute('data-cents')).toBe('100000');
  });

  it('says why a bet over the limit was returned', async () => {
    const page = await seats.open(1, 14);
    seats.house.table(1).open();
    await page.getByRole('radio', { name: 'Chip of 500' }).click();
    await box(page, 'triple:6').click();
    await expectNotice(page, /Triple Six takes at most 200\. 500 returned\. Game rules 3\.3/);
  });

  it('stops when the connection is lost, and says that bets stand when it is back', async () => {
    const page = await seats.open(1, 15);
    seats.house.table(1).open();
    await box(page, 'big').click();
    await expect.poll(() => label(page, 'big')).toContain('bet');
    seats.house.isAway = true;
    seats.house.drop();
    await page.getByText('Connection lost. Bets are not accepted.').waitFor();
    await box(page, 'big').click();
    await expectNotice(page, 'This terminal is offline. 25 returned.');
    seats.house.isAway = false;
    await expectNotice(page, 'Connected again. Your bets stand: 25.00.');
    expect(await label(page, 'big')).toContain('25.00 bet');
  });

  it('shows notices above an open sheet', async () => {
    // Stops the timers, so that notices stay.
    const page = await seats.open(1, 28, undefined, { isPaused: true });
    const isSeen = (text: string | RegExp) => page.getByText(text).evaluate((notice) => {
      const { x, y, width, height } = notice.getBoundingClientRect();
      const seen = (notice as HTMLElement).closest('p')!;
      seen.style.pointerEvents = 'auto';
      return seen.contains(document.elementFromPoint(x + width / 2, y + height / 2)) && notice.closest('dialog[open] :is([role=status], [role=log])') !== null;
    });
    seats.house.table(1).open();
    await page.locator('[data-phase=open]').waitFor();
    seats.house.hold();
    await box(page, 'big').click();
    await expect.poll(() => seats.house.table(1).seat(28).view.bets.length).toBe(1);
    await page.getByRole('button', { name: 'Help' }).click();
    seats.house.isAway = true;
    seats.house.table(1).close();
    seats.house.table(1).seat(28).answered.clear();
    seats.house.table(1).seat(28).view = { ...seats.house.table(1).seat(28).view, bets: [], on_layout: 0, credits: 100_000 };
    seats.house.drop();
    seats.house.release();
    await page.getByText('Connection lost. Bets are not accepted.').waitFor();
    expect(await isSeen('Connection lost. Bets are not accepted.')).toBe(true);
    seats.house.isAway = false;
    await page.clock.runFor(500);
    await expectNotice(page, / 25 returned\./);
    expect(await isSeen(/ 25 returned\./)).toBe(true);
    await page.keyboard.press('Escape');
    expect(await page.locator('main [role=log]').count()).toBe(1);
  });

  it('registers once a chip whose answer was lost on the way', async () => {
    const page = await seats.open(1, 16);
    seats.house.table(1).open();
    await page.locator('[data-phase=open]').waitFor();
    seats.house.hold();
    await box(page, 'even').click();
    await expect.poll(() => seats.house.table(1).seat(16).view.bets.length).toBe(1);
    seats.house.drop();
    seats.house.release();
    await expectNotice(page, 'Connected again. Your bets stand: 25.00.');
    await expect.poll(() => label(page, 'even')).toContain('25.00 bet');
    expect(await label(page, 'even')).not.toContain('pending');
    expect(seats.house.table(1).seat(16).view.bets).toEqual([{ chips: 'own', box: 'even', amount: 2_500 }]);
  });

  it('asks for a new snapshot after a missed message', async () => {
    const page = await seats.open(1, 17);
    seats.house.table(1).open();
    await page.locator('[data-phase=open]').waitFor();
    seats.house.table(1).skip();
    seats.house.table(1).close();
    await page.locator('[data-phase=closed]').waitFor();
  });

  it('lights the winners with what is paid, and a void round gives every bet back', async () => {
    const page = await seats.open(1, 18);
    const table = seats.house.table(1);
    table.open();
    await box(page, 'big').click();
    await box(page, 'sum:13').click();
    await expect.poll(() => label(page, 'sum:13')).toContain('25.00 bet');
    table.close();
    table.commit([3, 5, 5]);
    await expect.poll(() => label(page, 'sum:13')).toContain('wins, paid 237.50');
    expect(await label(page, 'single:5')).toContain('wins');
    expect(await page.locator('[data-net]').getAttribute('data-net')).toBe('23750');
    table.open();
    await page.getByRole('button', { name: 'Repeat' }).click();
    await expect.poll(() => label(page, 'big')).toContain('25.00 bet');
    table.close();
    table.void('not-flat');
    await page.getByRole('status').getByText(/is void: a die did not lie flat\. All bets are returned in full\./).waitFor();
    await page.getByRole('status').getByText('Game rules 5.3.2').waitFor();
    expect(await page.locator('[data-net]').getAttribute('data-net')).toBe('23750');
  });

  it('shows a win net of the stakes: a smaller payout is no win', async () => {
    const page = await seats.open(1, 26);
    const table = seats.house.table(1);
    const lastWin = () => page.locator('[data-cents]').nth(2).getAttribute('data-cents');
    const play = async (stakes: [string, number][], dice: number[]) => {
      table.open();
      table.update(table.seat(26), { on_layout: stakes.reduce((sum, [, amount]) => sum + amount, 0), bets: stakes.map(([box, amount]) => ({ chips: 'own', box: box as 'big', amount })) });
      table.close();
      table.commit(dice);
    };
    await play([['big', 3_000], ['sum:9', 6_000]], [3, 5, 5]);
    await page.getByRole('status').getByText('Result −30.00').waitFor();
    await page.getByRole('status').getByText('60.00 paid for 90.00 staked').waitFor();
    expect(await page.getByText('★').count()).toBe(0);
    expect(await lastWin()).toBe('0');
    await seats.shot(page, 'terminal-no-win');
    await play([['big', 9_000], ['sum:9', 1_000]], [3, 5, 5]);
    await page.getByRole('status').getByText('★ You won 80.00').waitFor();
    await page.getByRole('status').getByText('180.00 paid for 100.00 staked').waitFor();
    expect(await lastWin()).toBe('8000');
    await seats.shot(page, 'terminal-win');
  });

  it('bets the minimum of every box with one chip of the tray (3.3)', async () => {
    const page = await seats.open(1, 27);
    const table = seats.house.table(1);
    const limits = table.public.limits!;
    table.change({ limits: { unit: 200, boxes: limits.boxes.map(({ boxes }) => ({ boxes, min: boxes === 'triple' ? 1_400 : 200, max: 200_000 })) } });
    table.open();
    await page.getByRole('radio', { name: 'Chip of 14', exact: true }).waitFor();
    await page.getByRole('radio', { name: 'Chip of 2', exact: true }).click();
    await box(page, 'big').click();
    await expect.poll(() => label(page, 'big')).toContain('2.00 bet');
    await page.getByRole('radio', { name: 'Chip of 14', exact: true }).click();
    await box(page, 'triple:6').click();
    await expect.poll(() => label(page, 'triple:6')).toContain('14.00 bet');
    await seats.shot(page, 'terminal-minimum');
    table.change({ limits });
    // A chip that is not on the tray any more is not chosen either.
    await page.getByRole('radio', { name: 'Chip of 25', exact: true, checked: true }).waitFor();
  });

  it('undoes, doubles, clears, and keeps favourites', async () => {
    const page = await seats.open(1, 19);
    const table = seats.house.table(1);
    const bets = () => table.seat(19).view.bets.map(({ box, amount }) => [box, amount]);
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
    table.open();
    await box(page, 'big').click();
    await box(page, 'domino:12').click();
    await expect.poll(bets).toEqual([['big', 2_500], ['domino:12', 2_500]]);
    await press('Undo');
    await expect.poll(bets).toEqual([['big', 2_500]]);
    await press('Double');
    await expect.poll(bets).toEqual([['big', 5_000]]);
    await press('Favourites');
    await page.getByRole('button', { name: 'Save these bets as favourite 1' }).click();
    await page.getByRole('dialog').getByText('Saved as favourite 1.').waitFor();
    await page.keyboard.press('Escape');
    await press('Clear');
    await expect.poll(bets).toEqual([]);
    await press('Undo');
    await expect.poll(bets).toEqual([['big', 5_000]]);
    await press('Favourites');
    await page.getByRole('button', { name: '50', exact: true }).click();
    await expect.poll(bets).toEqual([['big', 10_000]]);
  });

  it('shows its last games as the record has them, also after a reload', async () => {
    const page = await seats.open(1, 23);
    const table = seats.house.table(1);
    for (const dice of [[1, 2, 4], [6, 6, 5]]) {
      table.open();
      await box(page, 'big').click();
      await expect.poll(() => table.seat(23).view.bets.length).toBe(1);
      table.close();
      table.commit(dice);
      await expect.poll(() => table.seat(23).view.bets.length).toBe(0);
    }
    await page.reload();
    await page.getByRole('button', { name: 'My games' }).click();
    const sheet = page.getByRole('dialog');
    await sheet.getByText('Game 1 of 2').waitFor();
    expect(await sheet.locator('dd').allTextContents()).toEqual(['975.00', '−25.00', '50.00', '1,000.00', '+25.00']);
    await sheet.getByRole('button', { name: 'Older' }).click();
    await sheet.getByText('Game 2 of 2').waitFor();
    expect(await sheet.locator('dd').allTextContents()).toEqual(['1,000.00', '−25.00', '0.00', '975.00', '−25.00']);
    expect(await sheet.getByRole('img', { name: /^Betting layout, .*Small/ }).count()).toBe(1);
  });

  it('adds up a game that was corrected, with what was bought in since', async () => {
    const page = await seats.open(1, 31);
    const table = seats.house.table(1);
    const seat = table.seat(31);
    const bets = [{ box: 'big', chips: 'own', stake: 14_000, counted: 14_000, paid: 12_000, returned: 0, odds: null, paragraph: '4.1', outcome: 'won' }];
    seat.games = [{
      round: 70, session: 7, opened_at: 0, settled_at: 0, first_dice: [1, 2, 4], dice: [6, 6, 5], void: null, credits_before: 55_500, staked: 14_000, first_paid: 43_000, first_returned: 0, paid: 12_000, returned: 0,
      corrected: -31_000, bought_in: 10_000, cashed_out: 0, credits_after: 63_500, bets,
    }];
    await page.getByRole('button', { name: 'My games' }).click();
    const sheet = page.getByRole('dialog');
    await sheet.getByText('Corrected: first settled on 1 2 4, paying 430.00. It now pays 120.00.').waitFor();
    const rows = await sheet.locator('dl').evaluate((list) => [...list.querySelectorAll('dt')].map((name) => [name.textContent!, name.nextElementSibling!.textContent!]));
    expect(rows).toEqual([['Credits before', '555.00'], ['Stake', '−140.00'], ['Paid', '430.00'], ['Late corrections', '−310.00'], ['Bought in since', '100.00'], ['Credits after', '635.00'], ['Result', '−20.00']]);
    const amounts = rows.map(([, amount]) => Number(amount!.replace('−', '-')));
    expect(amounts.slice(0, -2).reduce((sum, amount) => sum + amount)).toBe(amounts.at(-2));
  });

  it('can repeat after the first chip of a round, and shows the last win until the next', async () => {
    const page = await seats.open(1, 24);
    const table = seats.house.table(1);
    table.open();
    await box(page, 'big').click();
    await expect.poll(() => table.seat(24).view.bets.length).toBe(1);
    table.close();
    table.commit([6, 6, 5]);
    table.open();
    await box(page, 'odd').click();
    await expect.poll(() => label(page, 'odd')).toContain('25.00 bet');
    expect(await page.locator('[data-cents]').nth(2).getAttribute('data-cents')).toBe('2500');
    await page.getByRole('button', { name: 'Repeat' }).click();
    await expect.poll(() => label(page, 'big')).toContain('25.00 bet');
  });

  it('says that a round was corrected', async () => {
    const page = await seats.open(1, 25);
    const table = seats.house.table(1);
    table.open();
    table.close();
    table.commit([1, 2, 4]);
    await page.locator('[data-phase=settled]').waitFor();
    table.change({ latest: { round: table.public.round, dice: [1, 2, 5], void: null, winners: [] } });
    await expectNotice(page, /was corrected: the dice are 1 2 5\./);
    await expectNotice(page, 'Game rules 5.5');
  });
});
