// The player's screens in every language and size: no overflow, no accessibility fault.

import { describe, expect, it } from 'vitest';
import { LANGUAGES } from '../../src/words/languages';
import { faults, small, spilling } from './faults';
import { Fixture } from './fixture';
import { settled, SIZES } from './stage';

const fixture = new Fixture();

describe.each(LANGUAGES.map(({ language }) => language))('in %s', (language) => {
  it.each(Object.entries(SIZES))('nothing spills or is at fault, %s', async (_, size) => {
    const page = await fixture.stage.terminal(3, 33, size, { kept: { language } });
    const table = fixture.stage.house.table(3);
    table.open();
    await page.locator('[data-phase=open]').waitFor();
    await page.locator('[data-box="big"]').first().click();
    await page.locator('[data-laid="big"] .chip:not(.pending)').first().waitFor();
    expect(await spilling(page)).toEqual([]);
    expect(await small(page, 44)).toEqual([]);
    const [name, nav] = [(await page.locator('header h1').boundingBox())!, (await page.locator('header nav').boundingBox())!];
    expect(name.width).toBeGreaterThan(40);
    expect(name.x + name.width).toBeLessThanOrEqual(nav.x);
    table.close();
    table.commit([6, 6, 5]);
    await page.locator('[data-phase=settled]').waitFor();
    await page.locator('[data-laid="big"] .paid').first().waitFor();
    expect(await spilling(page)).toEqual([]);
    const words = (await import(`../../src/words/${language}.ts`)).words;
    for (const name of [words.help, words.settings, words.games, words.favourites, words.cashOut]) {
      await page.getByRole('button', { name, exact: true }).first().click();
      await page.locator('dialog[open]').waitFor();
      await settled(page);
      expect(await spilling(page), name).toEqual([]);
      expect(await small(page, 44), name).toEqual([]);
      expect(await faults(page, 'dialog[open]'), name).toEqual([]);
      await page.keyboard.press('Escape');
    }
  });

  it.each(Object.entries(SIZES))('the display and the front page neither, %s', async (_, size) => {
    for (const [path, loaded] of [['display?table=6', '[data-laid]'], ['', '.tables a']] as const) {
      const page = await fixture.stage.page(size, { kept: { language } });
      await page.goto(`${fixture.stage.address}/${path}`);
      await page.locator(loaded).first().waitFor({ state: 'attached' });
      await page.evaluate(() => document.fonts.ready);
      await settled(page);
      expect(await page.evaluate(() => document.documentElement.lang)).toBe(language);
      expect(await spilling(page), path).toEqual([]);
      expect(await small(page, 44), path).toEqual([]);
      expect(await faults(page), path).toEqual([]);
    }
  });
});
