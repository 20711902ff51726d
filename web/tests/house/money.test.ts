// Money in transit while a page reloads, a connection is lost or the program is killed: nothing is lost or done twice, and the screen
// says so.

import type { Page, Route, WebSocketRoute } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { hold } from '../browser/stage';
import { buyIn, meter, openTable } from './play';
import { premises } from './premises';

const at = premises();
const NUMBER = /\b\d{2}(?: \d{4}){4}\b/;
let dealer: Page, first: Page, second: Page, cage: Page, pit: Page;

/** Whether messages of the server reach the terminals. */
let isDeaf = false;
const deafened = (page: Page) =>
  page.routeWebSocket(/\/terminal/, (line: WebSocketRoute) => {
    const house = line.connectToServer();
    line.onMessage((message) => house.send(message));
    house.onMessage((message) => void (isDeaf || line.send(message)));
  });

const card = (page: Page, kind: string) => page.locator(`[data-card=${kind}]`);
const voucherNumber = async (page: Page) => (await page.getByText(NUMBER).first().textContent())!.match(NUMBER)![0];
const have = (page: Page) => page.getByRole('button', { name: 'I have it', exact: true });
const voucher = (...texts: (string | RegExp)[]) => texts.reduce((row, hasText) => row.filter({ hasText }), cage.getByRole('region', { name: 'Vouchers' }).first().getByRole('row'));
const claim = (page: Page, hasText: string) => page.getByRole('region', { name: 'Hand-pays' }).first().getByRole('row').filter({ hasText });

/** Kills and restarts the process, and waits until the terminal and these staff pages have noticed both. */
async function restart(...staff: Page[]): Promise<void> {
  const lost = [first, ...staff].map((page) => page.getByText(/^!?Connection lost\./));
  await at().house.kill();
  await Promise.all(lost.map((notice) => notice.waitFor()));
  isDeaf = false;
  await at().house.restart();
  await Promise.all(lost.map((notice) => notice.waitFor({ state: 'detached' })));
}

/** Up to the confirmation of the cash-out. */
async function askToCashOut(terminal: Page, how: string | RegExp): Promise<void> {
  await terminal.getByRole('button', { name: 'Cash out', exact: true }).click();
  await terminal.getByRole('button', { name: how }).click();
}

async function pay(number: string): Promise<void> {
  await cage.getByLabel('Validation number').fill(number);
  await cage.getByRole('button', { name: 'Redeem', exact: true }).click();
}

async function sell(amount: string): Promise<void> {
  await cage.getByLabel('Amount', { exact: true }).fill(amount);
  await cage.getByRole('button', { name: 'Cash received: issue voucher' }).click();
}

async function approve(what: string | RegExp): Promise<void> {
  const request = pit.getByRole('region', { name: 'To approve' }).getByRole('listitem').filter({ hasText: what });
  await request.getByRole('button', { name: 'Approve' }).click();
  await request.waitFor({ state: 'detached' });
}

/** The server carries out the next matching command, and its reply is lost. */
async function loseAnswer(like: string): Promise<void> {
  let isLost = false;
  await cage.unroute('**/house/commands');
  await cage.route('**/house/commands', async (route: Route) => {
    if (isLost || !route.request().postData()!.includes(like)) return route.continue();
    isLost = true;
    await route.fetch();
    await route.abort('connectionreset');
  });
}

describe('at a terminal', () => {
  it('a cash-out stands as it was over a reload at each step (F42)', async () => {
    await openTable(at(), 1);
    dealer = await at().staff('dealer', '/console?table=1');
    cage = await at().staff('cashier', '/cage');
    pit = await at().staff('pit-supervisor', '/pit');
    [first, second] = await Promise.all([at().terminal(1, 1, deafened), at().terminal(2, 1, deafened)]);
    await buyIn(dealer, 1, '123.50');
    await meter(first, 'Credits', 12_350);
    await askToCashOut(first, 'Cash out all 123.50 to a voucher');
    await first.getByRole('button', { name: 'Yes, cash out 123.50' }).waitFor();
    await first.reload();
    await meter(first, 'Credits', 12_350);
    expect(await first.locator('[data-card]').count()).toBe(0);

    isDeaf = true;
    await askToCashOut(first, 'Cash out all 123.50 to a voucher');
    await first.getByRole('button', { name: 'Yes, cash out 123.50' }).click();
    await first.getByText('Sending…').waitFor();
    await voucher('123.50', 'not confirmed').waitFor();
    isDeaf = false;
    await first.reload();
    await card(first, 'voucher').getByText(/^Do you have your voucher for 123\.50, number …\d{4}\?$/).waitFor();
    await meter(first, 'Credits', 0);
    await first.getByRole('button', { name: 'Show it with a new number' }).click();
    const dead = await voucherNumber(first);
    await first.reload();
    await card(first, 'voucher').getByText(`number …${dead.slice(-4)}`).waitFor();
    expect(await first.getByText(NUMBER).count()).toBe(0);
    await first.getByRole('button', { name: 'Show it with a new number' }).click();
    const number = await voucherNumber(first);
    expect(number).not.toBe(dead);
    await have(first).click();
    await first.locator('dialog').waitFor({ state: 'detached' });
    await expect.poll(() => first.locator('[data-card]').count()).toBe(0);
    await pay(dead);
    await cage.getByText(/Reissued on .* this number no longer works/).waitFor();
    await pay(number);
    await cage.getByText('Pay out 123.50 in cash').waitFor();
    await expect.poll(() => voucher('123.50', 'valid').count()).toBe(0);
  });

  it('a cash-out that the process is killed under is one voucher afterwards', async () => {
    await buyIn(dealer, 1, '80');
    await meter(first, 'Credits', 8_000);
    isDeaf = true;
    await askToCashOut(first, 'Cash out all 80.00 to a voucher');
    await first.getByRole('button', { name: 'Yes, cash out 80.00' }).click();
    await voucher('80.00', 'not confirmed').waitFor();
    await restart();
    await card(first, 'voucher').getByText('Do you have your voucher for 80.00').waitFor();
    await meter(first, 'Credits', 0);
    await first.getByRole('button', { name: 'Show it with a new number' }).click();
    await voucherNumber(first);
    await have(first).click();
    await first.locator('dialog').waitFor({ state: 'detached' });
    await expect.poll(() => voucher('80.00', 'valid').count()).toBe(1);
  });

  it('what is too large for a voucher is a claim that outlives the process, is taken, paid and read once', async () => {
    await buyIn(dealer, 1, '6000');
    await buyIn(dealer, 1, '6000');
    await meter(first, 'Credits', 1_200_000);
    await askToCashOut(first, 'Cash out all 12,000.00 to a voucher');
    await first.getByRole('button', { name: 'Yes, cash out 12,000.00' }).click();
    await first.getByText('The amount is too large for a voucher.').waitFor();
    await first.getByRole('button', { name: 'Call an attendant to pay you' }).click();
    await first.getByRole('button', { name: 'Yes, cash out 12,000.00' }).click();
    const open = card(first, 'claim');
    await open.getByText(/^An attendant will pay you 12,000\.00\. Claim \d+\.$/).waitFor();
    await restart();
    await open.getByText('Waiting for an attendant.').waitFor();
    await open.getByRole('button', { name: 'Take it back as credits' }).click();
    await meter(first, 'Credits', 1_200_000);
    await open.waitFor({ state: 'detached' });
    await askToCashOut(first, 'Call an attendant to pay you');
    await first.getByRole('button', { name: 'Yes, cash out 12,000.00' }).click();
    await open.getByText('Waiting for an attendant.').waitFor();

    const attendant = await at().staff('attendant', '/cage');
    await claim(attendant, '12,000.00').getByRole('button', { name: 'I will pay this' }).click();
    await open.getByText('An attendant is on the way.').waitFor();
    expect(await open.getByRole('button').count()).toBe(0);
    await restart(attendant);
    await open.getByText('An attendant is on the way.').waitFor();
    await claim(attendant, 'is paying this').waitFor();
    await hold(claim(attendant, '12,000.00').getByRole('button', { name: 'Hold to pay' }), () => card(first, 'paid').waitFor());
    await claim(attendant, '12,000.00').waitFor({ state: 'detached' });
    await first.reload();
    await card(first, 'paid').getByText('An attendant paid you 12,000.00.').waitFor();
    await first.getByRole('button', { name: 'I have read this' }).click();
    await first.locator('[data-card]').waitFor({ state: 'detached' });
    await meter(first, 'Credits', 0);
  });

  it('a voucher whose redemption got no answer is credited once', async () => {
    await sell('250');
    const number = await voucherNumber(cage);
    await cage.getByRole('button', { name: 'Handed over' }).click();
    await second.getByRole('button', { name: 'Money' }).click();
    await second.getByLabel('Number on the voucher').fill(number);
    isDeaf = true;
    await second.getByRole('button', { name: 'Add credits' }).click();
    await voucher('250.00', 'paid').waitFor();
    await second.getByText('Sending…').waitFor();
    await at().house.kill();
    await second.getByText('Connection lost. Bets are not accepted.').waitFor();
    isDeaf = false;
    await at().house.restart();
    await second.getByText('The credits are being added.').waitFor();
    await meter(second, 'Credits', 25_000);
    await second.getByLabel('Number on the voucher').fill(number);
    await second.getByRole('button', { name: 'Add credits' }).click();
    await second.getByText('This voucher was already paid.').waitFor();
    await second.reload();
    await meter(second, 'Credits', 25_000);
  });
});

describe('at the cage', () => {
  it('an approved sale and its re-issue are carried out from the list after a reload', async () => {
    await sell('6000');
    await cage.getByText('Sell a voucher for 6,000.00.').waitFor();
    await cage.reload();
    await approve('Sell a voucher for 6,000.00.');
    await cage.getByRole('button', { name: 'Apply now' }).click();
    const lost = await voucherNumber(cage);
    await cage.reload();
    await voucher('6,000.00', 'not confirmed').getByRole('button', { name: 'Reissue' }).click();
    await cage.getByText(/^Reissue voucher № \d+\./).waitFor();
    await cage.reload();
    await approve('Reissue voucher');
    await cage.getByRole('button', { name: 'Apply now' }).click();
    const number = await voucherNumber(cage);
    expect(number).not.toBe(lost);
    await cage.getByRole('button', { name: 'Handed over' }).click();
    await cage.locator('dialog').waitFor({ state: 'detached' });
    await pay(lost);
    await cage.getByText(/Reissued on .* this number no longer works/).waitFor();
    await pay(number);
    await cage.getByText('Pay out 6,000.00 in cash').waitFor();
  });

  it('an approved void is carried out after a reload with the number that it was approved for, and with no other', async () => {
    await sell('90');
    const number = await voucherNumber(cage);
    await cage.getByRole('button', { name: 'Handed over' }).click();
    await cage.locator('dialog').waitFor({ state: 'detached' });
    await cage.getByLabel('Validation number').fill(number);
    await cage.getByText('Void a voucher').click();
    await cage.getByLabel('Reason').fill('Torn');
    await cage.getByRole('button', { name: 'Void this voucher' }).click();
    await cage.getByText('Void a voucher; its amount becomes a claim.').waitFor();
    await cage.reload();
    await approve('Void a voucher');
    await cage.getByText('Enter the voucher number to apply this.').waitFor();
    await cage.getByLabel('Validation number').fill('12 3456 7890 1234 5678');
    await cage.getByRole('button', { name: 'Apply now' }).click();
    await cage.getByText('This has not been approved yet.').waitFor();
    await cage.getByLabel('Validation number').fill(number);
    await cage.getByRole('button', { name: 'Apply now' }).click();
    await claim(cage, '90.00').waitFor();
    await voucher('90.00', 'void').waitFor();
  });

  it('a sale, a request and a redemption whose answers were lost are on file, named with their amounts, and done once', async () => {
    await loseAnswer('"sell"');
    await sell('310');
    await cage.getByText(/^!?Already issued: № \d+, 310\.00, …\d{4}\./).waitFor();
    await loseAnswer('request-approval');
    await voucher('310.00', 'not confirmed').getByRole('button', { name: 'Reissue' }).click();
    await approve('Reissue voucher');
    const number = await voucherNumber(cage);
    await cage.getByRole('button', { name: 'Handed over' }).click();
    await cage.locator('dialog').waitFor({ state: 'detached' });
    await expect.poll(() => voucher('310.00').count()).toBe(2);
    await loseAnswer('"redeem"');
    await pay(number);
    await cage.getByText('Pay out 310.00 in cash').waitFor();
    await expect.poll(() => voucher('310.00', 'valid').count()).toBe(0);
  });

  it('a sale during a kill is named, and carried out once after the restart', async () => {
    await at().house.kill();
    await sell('420');
    const unanswered = cage.getByRole('dialog', { name: 'No reply from the server' });
    await unanswered.getByText('We could not confirm “Sell a voucher for 420.00”.').waitFor();
    await at().house.restart();
    await voucherNumber(cage);
    await unanswered.waitFor({ state: 'detached' });
    await cage.getByRole('button', { name: 'Handed over' }).click();
    await expect.poll(() => voucher('420.00', 'valid').count()).toBe(1);
  });
});
