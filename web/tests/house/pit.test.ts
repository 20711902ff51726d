// What takes more than a Dealer: an interrupted round, a large win, a hand-pay, and a terminal that is set up again.

import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { hold } from '../browser/stage';
import { expectNotice } from '../browser/notices';
import { bet, buyIn, chip, conclude, meter, openBets, openTable, phase, step, tumble } from './play';
import { premises } from './premises';

const at = premises();
let dealer: Page, first: Page, pit: Page;
const tab = (name: string) => pit.getByRole('navigation').getByRole('button', { name, exact: true }).click();

describe('a pit', () => {
  it('has an interrupted round concluded by a ruling of the Shift Manager (5.1, 5.10)', async () => {
    await openTable(at(), 1);
    dealer = await at().staff('dealer', '/console?table=1');
    first = await at().terminal(1);
    await buyIn(dealer, 1, '1000');
    await openBets(dealer, first);
    await bet(first, 'big', '5.00');
    await step(dealer, 'close-bets').click();
    await tumble(dealer);
    await dealer.getByRole('button', { name: 'Irregularities' }).click();
    const sheet = dealer.getByRole('dialog');
    await sheet.getByRole('button', { name: /Play is interrupted/ }).click();
    for (const face of [5, 5]) await sheet.getByRole('button', { name: `Face ${face}` }).click();
    await hold(dealer.getByRole('button', { name: 'Report the interruption' }), () => sheet.waitFor({ state: 'detached' }));
    await first.getByText('Play is interrupted. Your bets stand until a ruling is made.').waitFor();
    pit = await at().staff('shift-manager', '/pit');
    await pit.getByRole('button', { name: /Act Table 1/ }).click();
    await pit.getByRole('button', { name: 'Ruling', exact: true }).click();
    await pit.getByRole('combobox', { name: 'Ruling' }).selectOption({ label: 'Settle the interrupted round by these dice' });
    for (const face of [5, 5, 4]) await pit.getByRole('dialog').getByRole('button', { name: `Face ${face}` }).click();
    await pit.getByLabel('Reason').fill('The third die is on film');
    await hold(pit.getByRole('button', { name: /^Rule/ }), () => pit.getByRole('dialog').waitFor({ state: 'detached' }));
    await phase(first, 'result');
    await meter(first, 'Credits', 99_500);
    const supervisor = await at().staff('pit-supervisor', '/pit');
    const rulings = supervisor.getByRole('region', { name: 'Rulings to witness' });
    await hold(rulings.getByRole('button', { name: 'Witness and move the money' }), () => rulings.waitFor({ state: 'detached' }));
    await phase(first, 'settled');
    await meter(first, 'Credits', 100_500);
  });

  it('locks a terminal after a large win until an attendant has seen to it (F33)', async () => {
    await openBets(dealer, first);
    await chip(first, '500');
    await bet(first, 'any-triple', '500.00');
    await conclude(dealer, [2, 2, 2]);
    await first.getByText('Large win: this terminal is locked').waitFor();
    await pit.getByText('Large win, terminal locked').waitFor();
    const attendant = await at().staff('attendant', '/console?table=1');
    await attendant.getByRole('button', { name: /^Seat 1\b.*Locked/ }).click();
    await attendant.getByRole('button', { name: 'Clear the lock' }).click();
    await first.getByText('Large win: this terminal is locked').waitFor({ state: 'detached' });
  });

  it('keeps who acknowledged the alert, for later visitors (F32)', async () => {
    const alert = (page: Page) => page.getByRole('region', { name: 'Alerts' }).getByRole('listitem').filter({ hasText: 'Large win, terminal locked' });
    await alert(pit).getByRole('button', { name: 'Acknowledge', exact: true }).click();
    const noted = { hasText: /Acknowledged by .+, \d\d:\d\d/ };
    await alert(pit).filter(noted).waitFor();
    await pit.reload();
    await alert(pit).filter(noted).waitFor();
    const auditor = await at().staff('auditor', '/pit');
    await alert(auditor).filter(noted).waitFor();
  });

  it('pays credits by hand that are too many for a voucher (F43)', async () => {
    const credits = Number(await first.locator('[data-cents]').filter({ hasText: 'Credits' }).first().getAttribute('data-cents'));
    expect(credits).toBeGreaterThan(1_000_000);
    await first.getByRole('button', { name: 'Cash out' }).click();
    await first.getByRole('button', { name: 'Call an attendant to pay you' }).click();
    await first.getByRole('button', { name: /^Yes, cash out/ }).click();
    const card = first.locator('[data-card=claim]');
    await card.getByText(/An attendant will pay you .* Claim 1./).waitFor();
    await first.reload();
    await card.getByText('Waiting for an attendant.').waitFor();
    await meter(first, 'Credits', 0);
    const cage = await at().staff('cashier', '/cage');
    const claims = cage.getByRole('region', { name: 'Hand-pays' });
    const row = claims.getByRole('row', { name: /cash-out table 1, seat 1/ });
    await row.getByRole('button', { name: 'I will pay this' }).click();
    await card.getByText('An attendant is on the way.').waitFor();
    await row.getByText(/ is paying this$/).waitFor();
    await hold(row.getByRole('button', { name: 'Hold to pay' }), () => claims.getByText('No payments due.').waitFor());
    await first.locator('[data-card=paid]').getByRole('button', { name: 'I have read this' }).click();
    await first.locator('[data-card]').waitFor({ state: 'detached' });
  });

  it('shows win against theoretical, the dice and the terminals', async () => {
    await tab('Results');
    await pit.locator('canvas').waitFor();
    await tab('Dice watch');
    await pit.getByText('No sign of bias.').first().waitFor();
    await tab('Terminals');
    await expect.poll(() => pit.getByRole('row').count()).toBe(7);
    await tab('Tables');
    await pit.getByRole('row', { name: /Table 1 .* Settled/ }).waitFor();
  });

  it('sets a terminal up again with an approved set-up code', async () => {
    const administrator = await at().staff('administrator', '/pit');
    await administrator.getByRole('navigation').getByRole('button', { name: 'Terminals' }).click();
    await administrator.getByRole('row', { name: /^1 .*seat 1/ }).getByRole('button', { name: 'New set-up code' }).click();
    await pit.getByText('New set-up code for device 1.').waitFor();
    await pit.getByRole('button', { name: 'Approve' }).click();
    const code = (await administrator.getByRole('dialog').locator('output').textContent())!;
    const other = await at().page('/terminal');
    await other.getByRole('textbox').fill(code);
    await other.getByRole('button', { name: 'Set up' }).click();
    await other.getByText('Table 1 · Terminal 1').waitFor();
    await first.getByText('This terminal is not recognised.').waitFor();
    await expectNotice(administrator, 'Approved and applied.');
  });
});
