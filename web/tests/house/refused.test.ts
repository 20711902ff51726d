// A live table whose profile refuses excess when it is entered and keeps winnings: the Dealer says what became of the chips (5.1), and no
// screen says that anything is taken back (F81).

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { box } from '../browser/stage';
import { chipOf, commit, openBets, openTable, expectBox, seatKey, step, tumble } from './play';
import { Premises, premises } from './premises';
import { House, TABLES } from './program';

const folder = mkdtempSync(join(tmpdir(), 'taisai-profile-'));
const profile = join(folder, 'refuse.toml');
const usual = readFileSync(resolve(import.meta.dirname, '../../../profiles/singapore.toml'), 'utf8');
writeFileSync(profile, usual.replace('name = "singapore"', 'name = "refuse"').replace('excess = "show"', 'excess = "refuse"').replace('winnings = "taken-back"', 'winnings = "kept"'));
afterAll(() => rmSync(folder, { recursive: true }));

const at = premises(async () => Premises.around(await House.found(`profile = ${JSON.stringify(profile)}\n${TABLES}`)));

it('registers refused chips as they lie, and apportions them (5.1, 5.1.1)', async () => {
  await openTable(at(), 2);
  const dealer = await at().staff('dealer', '/console?table=2');
  const wall = await at().display(2);
  await openBets(dealer, wall);
  expect(await wall.getByText('taken back').count()).toBe(0);
  await seatKey(dealer, 3).click();
  await chipOf(dealer, '5,000').click();
  await box(dealer, 'big').click();
  await expectBox(dealer, 'big', '5,000.00 bet');
  await chipOf(dealer, '1,000').click();
  await box(dealer, 'big').click();
  const refused = dealer.getByRole('region', { name: /^Not accepted/ });
  await refused.getByText('Seat 3 · Big 1,000').waitFor();
  await refused.getByText('Big: room for 0').waitFor();
  await refused.getByRole('button', { name: /^Still on layout/ }).click();
  await expectBox(dealer, 'big', '6,000.00 bet');
  await dealer.getByRole('meter', { name: '6,000 apart, at most 5,000' }).waitFor();
  await tumble(dealer);
  await step(dealer, 'close-bets').click();
  await commit(dealer, [3, 5, 6]);
});
