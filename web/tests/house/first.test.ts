// The first start: the front page explains every screen, each loads, people choose their passwords, and terminals find their seats.

import { describe, expect, it } from 'vitest';
import { numberOf, passwordOf, premises } from './premises';

const at = premises();

describe('a new casino', () => {
  it('names every screen at its own address', async () => {
    const page = await at().page('/');
    await page.getByRole('heading', { name: 'Fountain House' }).waitFor();
    for (const screen of ['terminal', 'console', 'display', 'pit', 'cage', 'audit']) expect(await page.locator(`a[href="/${screen}"]`).count(), screen).toBe(1);
    for (const table of [1, 2, 3]) await page.getByRole('link', { name: `Table ${table}` }).waitFor();
  });

  it.each([
    ['/', 'Tables'],
    ['/terminal', 'Set up this terminal'],
    ['/display', 'Table closed'],
    ['/console', 'Game Console'],
    ['/pit', 'Pit'],
    ['/cage', 'Cage'],
    ['/audit', 'Audit'],
  ])('serves %s whole, with its fonts, and nothing that its own policy forbids', async (path, text) => {
    const page = await at().page(path);
    await page.getByText(text, { exact: true }).first().waitFor();
    await page.waitForLoadState('networkidle');
    const found = await page.evaluate(async () => {
      await document.fonts.ready;
      return [...document.fonts].filter(({ status }) => status === 'error').length;
    });
    expect(found).toBe(0);
  });

  it('lets a person in with the one-time password, once, to choose one of their own', async () => {
    const page = await at().page('/pit');
    const given = at().house.passwords.get(numberOf('pit-manager'))!;
    await at().signIn(page, 'pit-manager', given);
    await page.getByRole('heading', { name: 'Choose your password' }).waitFor();
    await at().choosePassword(page, 'pit-manager');
    await page.getByText('Pit Manager').first().waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await at().signIn(page, 'pit-manager', given);
    await page.getByText('Wrong number or password').waitFor();
    await at().signIn(page, 'pit-manager', passwordOf('pit-manager'));
    await page.getByRole('row', { name: /Table 1/ }).waitFor();
  });

  it('sets a terminal up by its link, at the table and seat that it stands at, and knows it again', async () => {
    const page = await at().terminal(1, 3);
    await page.getByText('Table 3 · Terminal 1').waitFor();
    await page.reload();
    await page.getByText('Table 3 · Terminal 1').waitFor();
    const first = await at().terminal(2);
    await first.getByText('Table 1 · Terminal 2').waitFor();
  });
});
