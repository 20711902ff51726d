// A real casino that may play a changed game: a pay table other than the approved one is marked from the felt to the voucher.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { buyIn, meter, openTable } from './play';
import { Premises, premises } from './premises';
import { House } from './program';

const NOT_APPROVED = 'Game NOT APPROVED';
const folder = mkdtempSync(join(tmpdir(), 'taisai-games-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Table 1 plays a game with another pay table under the approved name, table 2 the approved one. */
function tables(): string {
  const approved = readFileSync(resolve(import.meta.dirname, '../../../games/sic-bo-etg.toml'), 'utf8');
  const changed = approved.replaceAll('64 to 1', '62 to 1');
  expect(changed).not.toBe(approved);
  writeFileSync(join(folder, 'changed.toml'), changed);
  const table = (number: number, game: string) => `\n[[table]]\nnumber = ${number}\ngame = "${game}"\nlayout = "B"\nterminals = 1\n[table.limits]\nunit = 500\nrest = { min = 500, max = 200_000 }\n`;
  return `unapproved_games = "allow"\n${table(1, join(folder, 'changed.toml'))}${table(2, 'sic-bo-etg')}`;
}

const at = premises(async () => Premises.around(await House.found(tables())));

it('is marked on the screens of its table, and on vouchers of the casino', async () => {
  expect(at().house.log).toContain('NOT APPROVED');
  await openTable(at(), 1);
  const dealer = await at().staff('dealer', '/console?table=1');
  const [terminal, other] = await Promise.all([at().terminal(1), at().terminal(1, 2)]);
  const screens = [terminal, dealer, await at().display(1), await at().page('/'), await at().staff('pit-supervisor', '/pit'), await at().staff('auditor', '/audit')];
  for (const page of screens) await page.getByText(NOT_APPROVED, { exact: true }).first().waitFor();
  expect(await other.getByText(NOT_APPROVED).count()).toBe(0);
  await buyIn(dealer, 1, '50');
  await meter(terminal, 'Credits', 5_000);
  await terminal.getByRole('button', { name: 'Cash out' }).click();
  await terminal.getByRole('button', { name: 'Cash out all 50.00 to a voucher' }).click();
  await terminal.getByRole('button', { name: 'Yes, cash out 50.00' }).click();
  await terminal.locator('dialog article').getByText(NOT_APPROVED).waitFor();
  await terminal.frameLocator('iframe').locator('body').getByText(NOT_APPROVED).waitFor({ state: 'attached' });
  await terminal.getByRole('button', { name: 'I have it', exact: true }).click();
});
