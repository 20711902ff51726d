// The record as an auditor reads it: searches events, draws a round, verifies the record while the program runs, and checks evidence of a
// round on its own.

import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { bet, buyIn, conclude, openBets, openTable } from './play';
import { premises } from './premises';

const at = premises();
let auditor: Page;
const tab = (name: string) => auditor.getByRole('navigation').getByRole('button', { name }).click();

describe('the audit', () => {
  it('finds what happened', async () => {
    await openTable(at(), 1);
    const dealer = await at().staff('dealer', '/console?table=1');
    const terminal = await at().terminal(3);
    await buyIn(dealer, 3, '100');
    await openBets(dealer, terminal);
    await bet(terminal, 'big', '5.00');
    await bet(terminal, 'sum:12', '5.00');
    await conclude(dealer, [2, 4, 6]);
    auditor = await at().staff('auditor', '/audit');
    await auditor.getByRole('combobox', { name: 'Kind' }).selectOption({ label: 'Limits shown' });
    await auditor.getByRole('button', { name: 'Search' }).click();
    await expect.poll(() => auditor.getByRole('row').count()).toBe(2);
    await auditor.getByRole('row', { name: /Limits shown 1 .*Configured limits/ }).waitFor();
  });

  it('draws a round as it looked, each bet with its paragraph', async () => {
    await tab('Rounds');
    await auditor.getByRole('button', { name: 'Open 1' }).click();
    await auditor.getByRole('img', { name: 'Dice 2 4 6, total 12' }).waitFor();
    await auditor.getByRole('img', { name: /Betting layout, .*Big/ }).waitFor();
    await auditor.getByRole('row', { name: /^3 .*12.* 5\.00 .* 7 40\.00 / }).waitFor();
    await auditor.getByRole('row', { name: /Committed the result · 2 4 6/ }).waitFor();
  });

  it('gives evidence of a round that proves itself with the public key alone', async () => {
    const [download] = await Promise.all([auditor.waitForEvent('download'), auditor.getByText('Download evidence').click()]);
    const file = join(at().house.folder, 'round.evidence');
    await download.saveAs(file);
    const key = at().house.taisai('audit', 'key', 'data').trim();
    expect(at().house.taisai('audit', 'verify-evidence', file, '--key', key)).toMatch(/2 4 6|round 1/i);
  });

  it('verifies the whole record while the program runs', async () => {
    await tab('Verify the record');
    await auditor.getByRole('button', { name: 'Start' }).click();
    await auditor.getByText('The record is intact; no problems found.').waitFor();
    const progress = auditor.getByRole('progressbar');
    expect(await progress.getAttribute('value')).toBe(await progress.getAttribute('max'));
    await auditor.getByRole('status').filter({ hasText: 'Done' }).waitFor();
  });
});
