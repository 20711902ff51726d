// What the console of a live table asks of the Dealer: boxes below the minimum, refused chips, the cover, and voids to be announced.

import { describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { faults, leftOver, small, spilling } from './faults';
import { Fixture } from './fixture';
import { hold } from './stage';

const fixture = new Fixture();
const staff = (...how: Parameters<typeof fixture.stage.staff>) => fixture.stage.staff(...how);
const lastCommand = () => fixture.house.staff.received.at(-1);
const region = (page: Page, name: string | RegExp) => page.getByRole('region', { name });

/** Nothing spills, everything can be touched and read. */
async function well(page: Page): Promise<void> {
  expect(await spilling(page)).toEqual([]);
  expect(await small(page, 64)).toEqual([]);
  expect(await faults(page)).toEqual([]);
}

const place = (table: number, seat: number, box: 'big' | 'small' | 'sum:9', amount: number) => fixture.house.table(table).forSeat({ place: { seat, chips: 'own', stakes: [{ box, amount }] } });

describe('the console of a live table', () => {
  it('lists boxes below the minimum with their players, and records the advice (5.2)', async () => {
    const table = fixture.house.table(8);
    table.open();
    place(8, 2, 'big', 1_000);
    place(8, 4, 'big', 500);
    const page = await staff('console?table=8', 21);
    const below = region(page, 'Below the minimum');
    await below.getByText('Big 15, minimum 25').waitFor();
    await below.getByText('The player may add or withdraw until “No more bets”.').waitFor();
    await fixture.shot(page, 'console-below');
    await well(page);
    await below.getByRole('button', { name: 'Player advised' }).click();
    await below.getByText('Advice recorded').waitFor();
    expect(lastCommand()).toEqual({ cluster: { number: 0, command: { advise: { box: 'big' } } } });
    // Another total needs another advice.
    await below.getByRole('button', { name: 'Seat 4 withdraws 5' }).click();
    await below.getByText('Big 10, minimum 25').waitFor();
    await below.getByRole('button', { name: 'Player advised' }).waitFor();
    await page.locator('button[data-step=close-bets]').click();
    await below.waitFor({ state: 'detached' });
  });

  it('asks what became of chips that were refused, with the room under the Differential (5.1)', async () => {
    const table = fixture.house.table(9);
    table.refusesExcess = true;
    table.open();
    table.seat(3).view.credits = 900_000;
    table.seat(5).view.credits = 900_000;
    place(9, 5, 'small', 30_000);
    place(9, 5, 'big', 180_000);
    const page = await staff('console?table=9', 21);
    const refuse = async () => {
      await page.getByRole('button', { name: /^Seat 3/ }).click();
      await page.getByRole('radio', { name: 'Chip of 1,000', exact: true }).click();
      await page.locator('[data-box=big]').first().click();
      await region(page, /Not accepted/).getByText('Seat 3 · Big 1,000').waitFor();
    };
    await refuse();
    await region(page, /Not accepted/).getByText('Big: room for 500').waitFor();
    await fixture.shot(page, 'console-refused');
    await well(page);
    await page.getByRole('button', { name: 'Returned to player' }).click();
    await region(page, /Not accepted/).waitFor({ state: 'detached' });
    expect(lastCommand()).toMatchObject({ cluster: { command: { place: { seat: 3 } } } });
    await refuse();
    await region(page, /Not accepted/).getByRole('button', { name: /^Still on layout/ }).click();
    await region(page, /Not accepted/).waitFor({ state: 'detached' });
    expect(lastCommand()).toEqual({ cluster: { number: 0, command: { 'place-excess': { seat: 3, chips: 'own', stakes: [{ box: 'big', amount: 100_000 }] } } } });
    await page.getByText(/over$/).first().waitFor();
  });

  it('covers the dice, and asks before it exposes them (5.5.3)', async () => {
    const table = fixture.house.table(4);
    const page = await staff('console?table=4', 21);
    await page.getByRole('button', { name: 'Cover the dice' }).click();
    await page.getByRole('button', { name: 'Uncover the dice' }).click();
    await page.getByRole('button', { name: 'Cover the dice' }).click();
    table.open();
    await page.locator('button[data-step=activate]').click();
    await page.locator('button[data-step=tumbled]').waitFor();
    await page.getByRole('button', { name: 'Uncover the dice' }).click();
    await page.getByText(/uncovering exposes them. Round \d+ becomes void/).waitFor();
    await fixture.shot(page, 'console-uncover');
    await well(page);
    expect(table.phase).toBe('open');
    await hold(page.locator('dialog button.hold'), () => page.locator('[data-phase=void]').waitFor());
    expect(lastCommand()).toEqual({ round: 'uncover' });
    const announce = region(page, 'Announce');
    await announce.getByText(new RegExp(`“Round ${table.public.round} is void: the dice were seen before`)).waitFor();
    await fixture.shot(page, 'console-announce');
    await announce.getByRole('button', { name: 'Announced' }).click();
    await announce.waitFor({ state: 'detached' });
  });

  it('gives the words for a void by law of an earlier round, and cites the law (F80, F82)', async () => {
    const table = fixture.house.table(6);
    const page = await staff('console?table=6', 21);
    const wall = await fixture.stage.display(6);
    await page.locator('button[data-step=open-bets]').waitFor();
    table.change({ latest: { round: 60, dice: null, void: 'malfunction' } });
    await region(page, 'Announce').getByText('“Round 60 is void: equipment malfunction. All bets of this round are returned in full.”').waitFor();
    await region(page, 'Announce').getByText('law: equipment malfunction').waitFor();
    await wall.getByText('Round 60 is void: equipment malfunction. All bets are returned in full.').waitFor();
    await wall.getByText('law: equipment malfunction').waitFor();
    await well(page);
    await fixture.shot(wall, 'display-void');
    table.open();
    await region(page, 'Announce').waitFor({ state: 'detached' });
  });

  it('concludes an interrupted round by the dice that are read, and lets a supervisor correct a known one (5.4.1)', async () => {
    const table = fixture.house.table(10);
    table.open();
    table.change({ phase: 'closed', closes_at: null, tumbles: 3 });
    const page = await staff('console?table=10', 21);
    await page.getByRole('button', { name: 'Irregularities' }).click();
    await page.getByRole('button', { name: 'Play is interrupted' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Face 4' }).click();
    await hold(page.locator('dialog button.hold'), () => page.getByText(/^Known: 4\. Enter all three/).waitFor());
    const supervisor = await staff('console?table=10', 3);
    await supervisor.getByRole('button', { name: 'Irregularities' }).click();
    await supervisor.getByRole('button', { name: 'A known die was reported wrong' }).click();
    await supervisor.getByText('Reported: 4').waitFor();
    await supervisor.getByRole('dialog').getByRole('button', { name: 'Face 5' }).click();
    await supervisor.getByLabel('Reason').fill('The five was read as a four');
    await fixture.shot(supervisor, 'console-known');
    await well(supervisor);
    await supervisor.getByRole('button', { name: 'Ask for approval' }).click();
    const manager = await staff('pit', 5);
    await manager.getByText('Table 10: the dice known at the interruption are 5.').waitFor();
    await manager.getByRole('button', { name: 'Approve' }).click();
    await page.getByText(/^Known: 5\./).waitFor();
    expect(fixture.house.staff.received).toContainEqual({ round: { 'correct-known': { known: [5], why: 'The five was read as a four' } } });
    for (const face of ['5', '1', '2']) await page.keyboard.press(face);
    await hold(page.getByRole('button', { name: /^Commit/ }), () => page.locator('[data-phase=settled]').waitFor());
    expect(fixture.house.staff.received.slice(-2)).toEqual([{ round: { 'at-rest': { faces: [5, 1, 2] } } }, { round: { commit: { dice: [5, 1, 2] } } }]);
  });

  it('has two people inspect a dice set that was found damaged (5.6)', async () => {
    fixture.house.table(7).attended({ damaged_sets: [4] });
    const page = await staff('console?table=7', 3);
    await page.getByRole('button', { name: 'Table and staff' }).click();
    const inspected = page.getByRole('button', { name: /^Dice set 4 inspected/ });
    await inspected.scrollIntoViewIfNeeded();
    await fixture.shot(page, 'console-inspect');
    await well(page);
    await inspected.click();
    const manager = await staff('pit', 5);
    await manager.getByText('Table 7: dice set 4 was inspected and may be used again.').waitFor();
    await manager.getByRole('button', { name: 'Approve' }).click();
    await inspected.waitFor({ state: 'detached' });
    expect(fixture.house.staff.received).toContainEqual({ round: { inspect: { dice_set: 4 } } });
  });

  it.each(['zh-Hans', 'zh-Hant'])('says all of it in %s', async (language) => {
    const table = fixture.house.table(8);
    table.refusesExcess = true;
    table.open();
    place(8, 2, 'sum:9', 500);
    table.change({ latest: { round: 60, dice: null, void: 'damaged-dice' } });
    const page = await staff('console?table=8', 21, undefined, language);
    table.change({ latest: { round: 61, dice: null, void: 'damaged-dice' } });
    await page.locator('aside section').nth(2).waitFor();
    await fixture.shot(page, `console-live-${language}`);
    await well(page);
    expect(await leftOver(page, ['Tan Mei Lin'])).toEqual([]);
  });
});
