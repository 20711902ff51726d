// The pit in a real browser: all tables, what needs a person, and two people in two browsers who correct a result.

import { describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { faults, spilling } from './faults';
import { Fixture } from './fixture';
import { caughtUp, hold, settled } from './stage';
import { expectNotice } from './notices';

const fixture = new Fixture();
const staff = (...how: Parameters<typeof fixture.stage.staff>) => fixture.stage.staff(...how);
const shot = (page: Page, name: string) => fixture.shot(page, name);
const tab = (page: Page, name: string) => page.getByRole('navigation').getByRole('button', { name }).click();

describe('the pit', () => {
  it('shows all tables and what needs a person', async () => {
    fixture.house.table(1).open();
    fixture.house.table(7).change({ is_interrupted: true });
    const page = await staff('pit', 3);
    await page.locator('tbody tr:not(.stale)').nth(9).waitFor();
    await page.getByText('Large win, terminal locked').waitFor();
    await shot(page, 'pit-tables');
    expect(await faults(page)).toEqual([]);
    expect(await spilling(page)).toEqual([]);
  });

  it('says in readable text which tables are offline', async () => {
    const page = await staff('pit', 3);
    await page.locator('tbody tr:not(.stale)').nth(9).waitFor();
    const alerts = page.getByRole('region', { name: 'Alerts' });
    await alerts.getByText('Large win, terminal locked').waitFor();
    const before = await alerts.boundingBox();
    fixture.house.isAway = true;
    fixture.house.drop();
    await page.locator('tbody tr.stale').nth(9).waitFor();
    await page.getByRole('alert').getByText('Connection lost.').waitFor();
    await settled(page);
    await shot(page, 'pit-offline');
    expect(await alerts.boundingBox(), 'the notice moves nothing under a finger').toEqual(before);
    expect(await faults(page)).toEqual([]);
    fixture.house.isAway = false;
    await page.locator('tbody tr:not(.stale)').nth(9).waitFor();
  });

  it('does not let readers acknowledge an alert', async () => {
    const page = await staff('pit', 9);
    await page.getByRole('region', { name: 'Alerts' }).getByText('Large win, terminal locked').waitFor();
    expect(await page.getByRole('button', { name: /acknowledge/i }).count()).toBe(0);
  });

  it('keeps who acknowledged an alert, for everyone and after a reload (F32)', async () => {
    const [page, other] = [await staff('pit', 3), await staff('pit', 5, undefined, 'zh-Hans')];
    const alerts = page.getByRole('region', { name: 'Alerts' });
    const first = alerts.getByRole('listitem').first();
    await first.getByText('Large win, terminal locked').waitFor();
    let go = () => {};
    const isPressedTwice = new Promise<void>((done) => (go = done));
    await page.route('**/house/commands', (route) => isPressedTwice.then(() => route.continue()));
    for (const _ of [1, 2]) await first.getByRole('button', { name: 'Acknowledge', exact: true }).click();
    go();
    const noted = alerts.getByRole('listitem').filter({ hasText: /Acknowledged by .+, \d\d:\d\d/ });
    await noted.filter({ hasText: 'Large win, terminal locked' }).waitFor();
    expect(await alerts.getByRole('listitem').last().textContent()).toContain('Large win, terminal locked');
    expect(await noted.getByRole('button').count()).toBe(0);
    expect(fixture.house.staff.received.filter((one) => JSON.stringify(one).includes('acknowledge'))).toEqual([{ acknowledge: { event: 41 } }]);
    await other.getByRole('listitem').filter({ hasText: /\d\d:\d\d 已确认/ }).waitFor();
    expect(await faults(other)).toEqual([]);
    expect(await spilling(other)).toEqual([]);
    await page.reload();
    await noted.filter({ hasText: 'Large win, terminal locked' }).waitFor();
    await shot(page, 'pit-noted');
    expect(await faults(page)).toEqual([]);
    expect(await spilling(page)).toEqual([]);
    await hold(alerts.getByRole('button', { name: 'Acknowledge all' }), () => noted.nth(4).waitFor());
    await alerts.getByRole('button', { name: 'Clear the lock' }).click();
    await alerts.getByText('Vouchers unlocked').waitFor();
    expect(await alerts.getByRole('button', { name: 'Clear the lock' }).count()).toBe(0);
  });

  it('accepts that someone else acknowledged an alert a moment before', async () => {
    const [page, other] = [await staff('pit', 3), await staff('pit', 5)];
    const alert = (of: Page) => of.getByRole('region', { name: 'Alerts' }).getByRole('listitem').filter({ hasText: 'Vouchers unlocked' });
    let go = () => {};
    const isNoted = new Promise<void>((done) => (go = done));
    await page.route('**/house/commands', (route) => isNoted.then(() => route.continue()));
    await alert(page).getByRole('button', { name: 'Acknowledge', exact: true }).click();
    await alert(other).getByRole('button', { name: 'Acknowledge', exact: true }).click();
    await alert(other).filter({ hasText: 'Acknowledged by' }).waitFor();
    const answered = page.waitForResponse('**/house/commands');
    go();
    await (await answered).finished();
    await caughtUp(page);
    await alert(page).filter({ hasText: await alert(other).getByText('Acknowledged by').innerText() }).waitFor();
    expect(await page.evaluate(() => window.allNotices)).toEqual([]);
  });

  it('corrects a result with two people in two browsers, asking for the password again (F12, F51)', async () => {
    const table = fixture.house.table(2);
    const first = await staff('pit', 3);
    const second = await staff('pit', 5);
    await first.getByRole('button', { name: /Act Table 2/ }).click();
    await first.locator('dialog').getByLabel('Round').fill('73');
    for (const face of [2, 4, 6]) await first.locator('dialog').getByRole('button', { name: `Face ${face}` }).click();
    await first.locator('dialog').getByLabel('Reason').fill('The two was read as a three');
    await shot(first, 'pit-correct');
    expect(await faults(first)).toEqual([]);
    fixture.house.staff.asksAgain = true;
    await first.getByRole('button', { name: 'Ask for approval' }).click();
    await second.getByText('Table 2, round 73: settle again by the dice 2 4 6.').waitFor();
    await shot(second, 'pit-approve');
    expect(await faults(second)).toEqual([]);
    await second.getByRole('button', { name: 'Approve' }).click();
    await first.getByRole('heading', { name: 'Confirm it is you' }).waitFor();
    await shot(first, 'staff-again');
    await first.locator('dialog input[type=password]').fill('secret-3');
    await first.getByRole('button', { name: 'Continue' }).click();
    await expectNotice(first, 'Approved and applied.');
    expect(table.public.latest).toMatchObject({ round: 73, dice: [2, 4, 6] });
  });

  it('moves the money of a ruling when a second person has witnessed it (5.14)', async () => {
    const table = fixture.house.table(2);
    table.attended({ unwitnessed: [{ round: 73, by: 5, why: 'The film shows 2 4 6', stands: { settled: [2, 4, 6] }, paid: { settled: [3, 4, 6] } }] });
    const [maker, page] = [await staff('pit', 5), await staff('pit', 3)];
    const rulings = (of: Page) => of.getByRole('region', { name: 'Rulings to witness' });
    await rulings(maker).getByText('Until then, paid as: 3 4 6 (13)').waitFor();
    expect(await rulings(maker).getByRole('button').count()).toBe(0);
    await rulings(page).getByText('2 4 6 (12)').waitFor();
    await shot(page, 'pit-witness');
    expect(await faults(page)).toEqual([]);
    expect(await spilling(page)).toEqual([]);
    await hold(rulings(page).getByRole('button', { name: 'Witness and move the money' }), () => rulings(page).waitFor({ state: 'detached' }));
    await expectNotice(page, 'Witnessed. The money has moved.');
    expect(fixture.house.staff.received).toContainEqual({ round: { witness: { round: 73, seen: { settled: [2, 4, 6] } } } });
  });

  it('puts a chip reader on file for a table, with a second person', async () => {
    const page = await staff('pit', 11);
    await tab(page, 'Terminals');
    await page.getByRole('row', { name: /191 Chip reader table 2/ }).waitFor();
    await page.getByLabel('Kind').selectOption('Chip reader');
    expect(await page.getByLabel('Seat').count()).toBe(0);
    await page.getByLabel('Device number').fill('901');
    await page.getByLabel('Table', { exact: true }).fill('4');
    expect(await faults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Ask for approval' }).click();
    const kind = { 'chip-reader': { cluster: { table: 4, number: 0 } } };
    await expect.poll(() => JSON.stringify(fixture.house.staff.received)).toContain(JSON.stringify(JSON.stringify({ house: { enrol: { device: 901, kind } } })).slice(1, -1));
  });

  it('draws win against theoretical, the dice watch and the terminals', async () => {
    const page = await staff('pit', 3);
    await tab(page, 'Results');
    await page.locator('canvas').waitFor();
    await shot(page, 'pit-results');
    expect(await faults(page)).toEqual([]);
    expect(await spilling(page)).toEqual([]);
    await tab(page, 'Dice watch');
    await page.getByText('Measure these dice.').first().waitFor();
    await shot(page, 'pit-dice');
    await tab(page, 'Terminals');
    await shot(page, 'pit-devices');
    expect(await faults(page)).toEqual([]);
    await tab(page, 'Tables');
    await page.getByRole('button', { name: /Act Table 4/ }).click();
    await page.getByRole('button', { name: 'Limits', exact: true }).click();
    await shot(page, 'pit-limits');
    expect(await faults(page)).toEqual([]);
  });

  it('shows results of the current gaming day, and of all days on request (F70)', async () => {
    const page = await staff('pit', 3);
    const drop = page.getByRole('row').nth(1).getByRole('cell').nth(4);
    const days = page.getByRole('group', { name: 'Results' });
    await expect.poll(() => drop.textContent()).toBe('410');
    expect(await days.getByRole('button', { name: 'Today' }).getAttribute('aria-pressed')).toBe('true');
    await days.getByRole('button', { name: 'All days' }).click();
    await expect.poll(() => drop.textContent()).toBe('4,100');
    await days.getByRole('button', { name: 'Today' }).click();
    await expect.poll(() => drop.textContent()).toBe('410');
  });

  it('says so where the results that were chosen do not come', async () => {
    const page = await staff('pit', 3);
    await page.locator('tbody tr:not(.stale)').nth(9).waitFor();
    await page.route('**/reports/results?**', (route) => route.fulfill({ status: 409, json: { refused: { code: 'too-slow', paragraphs: [], sentence: '' } } }));
    await page.getByRole('group', { name: 'Results' }).getByRole('button', { name: 'All days' }).click();
    await expectNotice(page, 'No reply in time.');
  });

  it('keeps the heading of results until others arrive, and does not translate names', async () => {
    const page = await staff('pit', 3);
    await tab(page, 'Results');
    const heading = page.locator('thead th').first();
    await page.getByRole('rowheader').first().waitFor();
    let go = () => {};
    const isAsked = new Promise<void>((done) => (go = done));
    await page.route('**/reports/results?by=dealer**', (route) => isAsked.then(() => route.continue()));
    await page.getByRole('button', { name: 'Dealer', exact: true }).click();
    expect(await heading.textContent()).toBe('Day');
    go();
    await page.getByRole('rowheader', { name: 'no dealer' }).waitFor();
    expect(await heading.textContent()).toBe('Dealer');
  });

  it('adds the players who are not listed', async () => {
    fixture.house.table(8).unlisted = 40;
    const page = await staff('pit', 3);
    await page.getByRole('row').filter({ hasText: 'Table 8' }).getByText('0+40').waitFor();
  });

  it('shows results by box of a table, in the reader’s language', async () => {
    const page = await staff('pit', 3, undefined, 'zh-Hans');
    await tab(page, '业绩');
    await page.getByRole('button', { name: '投注格', exact: true }).click();
    await page.getByRole('rowheader', { name: '围六' }).waitFor();
    await page.getByRole('rowheader', { name: '总和 4' }).waitFor();
    await page.getByRole('combobox').selectOption('2');
    await expect.poll(() => page.getByRole('rowheader').count()).toBe(fixture.house.table(2).layout.boxes.length);
    await shot(page, 'pit-boxes');
    expect(await faults(page)).toEqual([]);
    expect(await spilling(page)).toEqual([]);
  });

  it('reloads the dice watch after a round until it gets a reply, without a person’s act', async () => {
    const page = await staff('pit', 3);
    await tab(page, 'Dice watch');
    const throws = page.getByRole('row').filter({ hasText: 'Table 9' }).getByRole('cell').nth(1);
    await throws.waitFor();
    const before = Number(await throws.textContent());
    const modes: (string | undefined)[] = [];
    page.on('request', (request) => void (request.url().endsWith('dice-watch') && modes.push(request.headers()['taisai-unattended'])));
    const table = fixture.house.table(9);
    table.open();
    table.close();
    let isAway = true;
    await page.route('**/dice-watch', (route) => (isAway ? ((isAway = false), route.fulfill({ status: 409, json: {} })) : route.continue()));
    table.commit([1, 2, 4]);
    await expect.poll(async () => Number(await throws.textContent())).toBe(before + 17);
    expect(new Set(modes)).toEqual(new Set(['yes']));
  });

  it('sends no limits with a typing error in them, and leads to what is missing', async () => {
    const page = await staff('pit', 3);
    await page.getByRole('button', { name: /Act Table 4/ }).click();
    await page.getByRole('button', { name: 'Limits', exact: true }).click();
    const [most, why] = [page.locator('dialog td input').nth(1), page.locator('dialog .why input')];
    await most.fill('10O');
    const show = page.locator('dialog form .first');
    await show.click();
    await page.getByText('Small, Maximum is not an amount such as 1,000 or 25.50.').waitFor();
    expect(await most.evaluate((input) => input === document.activeElement)).toBe(true);
    await most.fill('100');
    await show.click();
    expect(await why.evaluate((input) => input === document.activeElement)).toBe(true);
    expect(fixture.house.staff.received.filter((one) => JSON.stringify(one).includes('show-limits'))).toEqual([]);
    await why.fill('Busy evening');
    await show.click();
    await page.locator('dialog').waitFor({ state: 'detached' });
    expect(JSON.stringify(fixture.house.staff.received.at(-1))).toContain('"max":10000');
  });

  it('sets whole limits with a line for the rest, a Differential of 0, and none in the early edition (3.3)', async () => {
    const table = fixture.house.table(4);
    table.change({ limits: { unit: 100, boxes: [{ boxes: 'big', min: 2_500, max: 500_000 }], rest: { min: 1_000, max: 100_000 }, differential: 0 } });
    const page = await staff('pit', 3);
    await page.getByRole('button', { name: /Act Table 4/ }).click();
    await page.getByRole('button', { name: 'Limits', exact: true }).click();
    expect(await page.getByLabel('Differential').inputValue()).toBe('0');
    const least = page.getByLabel('All other boxes, Minimum');
    await least.fill('');
    await page.getByLabel('Separate limits for').selectOption({ label: 'Total sum 4' });
    await page.getByLabel('Total sum 4, Maximum').fill('50');
    await page.getByLabel('Total sum 4, Minimum').fill('5');
    await page.getByLabel('Reason').fill('Quiet morning');
    await page.getByRole('button', { name: 'Apply limits' }).click();
    await page.getByText('All other boxes, Minimum is missing.').waitFor();
    expect(await least.evaluate((input) => input === document.activeElement && input.getAttribute('aria-invalid') === 'true')).toBe(true);
    await shot(page, 'pit-limits-missing');
    expect(await faults(page)).toEqual([]);
    expect(JSON.stringify(fixture.house.staff.received)).not.toContain('Quiet morning');
    await least.fill('10');
    await page.getByRole('button', { name: 'Apply limits' }).click();
    await page.locator('dialog').waitFor({ state: 'detached' });
    expect(table.public.limits).toEqual({ unit: 100, boxes: [{ boxes: 'big', min: 2_500, max: 500_000 }, { boxes: 'sum:4', min: 500, max: 5_000 }], rest: { min: 1_000, max: 100_000 }, differential: 0 });
    await page.getByRole('button', { name: /Act Table 7/ }).click();
    await page.getByRole('button', { name: 'Limits', exact: true }).click();
    expect(await page.getByLabel('Differential').count()).toBe(0);
  });

  it('voids by a ruling that an irregularity binds, where the game has it (5.5, 5.14)', async () => {
    const page = await staff('pit', 5);
    await page.getByRole('button', { name: /Act Table 4/ }).click();
    await page.getByRole('button', { name: 'Ruling' }).click();
    await page.locator('dialog select').first().selectOption({ label: 'Void a round' });
    const fact = page.getByLabel('Irregularity that binds the ruling');
    expect(await fact.locator('option').allTextContents()).toEqual(['None', 'Fewer than three tumbles', 'A die does not lie flat', 'Dice seen before “No more bets”']);
    await fact.selectOption({ label: 'A die does not lie flat' });
    await page.getByLabel('Reason').fill('Seen on film');
    await shot(page, 'pit-ruling');
    await hold(page.locator('dialog button.hold'), () => page.locator('dialog').waitFor({ state: 'detached' }));
    expect(fixture.house.staff.received.at(-1)).toMatchObject({ round: { rule: { ruling: { void: { fact: 'not-flat' } }, why: 'Seen on film' } } });
  });

  it('suggests a round and its limits also where the table is known later than its sheet, and then keeps to them', async () => {
    const page = await staff('pit', 5);
    let show = () => {};
    const isShown = new Promise<void>((done) => (show = done));
    await page.routeWebSocket(/tables\/4\/console/, (screen) => {
      const house = screen.connectToServer();
      house.onMessage((message) => void isShown.then(() => screen.send(message)));
    });
    await page.reload();
    await page.getByRole('button', { name: /Act Table 4/ }).click();
    await page.getByRole('button', { name: 'Void by law' }).click();
    await page.getByLabel('Reason').fill('The tumbler had stopped');
    const round = page.getByLabel('Round', { exact: true });
    expect(await round.inputValue()).toBe('');
    show();
    await expect.poll(() => round.inputValue()).toMatch(/^\d+$/);
    const first = await round.inputValue();
    await round.fill('');
    await caughtUp(page);
    expect(await round.inputValue()).toBe('');
    await round.fill(first);
    await page.getByRole('button', { name: 'Ask for approval' }).click();
    await page.locator('dialog').waitFor({ state: 'detached' });
  });

  it.each(['zh-Hans', 'zh-Hant'])('speaks %s without overflowing', async (language) => {
    const page = await staff('pit', 3, { width: 1280, height: 800 }, language);
    await page.locator('tbody tr:not(.stale)').nth(9).waitFor();
    await shot(page, `pit-${language}`);
    expect(await spilling(page)).toEqual([]);
    expect(await faults(page)).toEqual([]);
  });
});

it.each([['pit', 3, 'tables'], ['console?table=2', 21, 'layout'], ['pit', 3, 'sources']] as const)('%s loads once the server answers again: person %i, %s', async (screen, person, path) => {
  const page = await staff(screen, person);
  let isAway = true;
  await page.route(`**/${path}`, (route) => (isAway ? ((isAway = false), route.fulfill({ status: 409, json: {} })) : route.continue()));
  await page.evaluate(() => sessionStorage.clear());
  await page.reload();
  await page.locator('tbody tr, [data-phase]').first().waitFor();
  expect(isAway).toBe(false);
});
