// Every layout at terminal and display: drawn whole, reached and played by keyboard, in every language, without a fault.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LANGUAGES } from '../../src/words/languages';
import { faults, spilling } from './faults';
import { SIZES, Stage, watched } from './stage';

let stage: Stage;
beforeAll(async () => (stage = await Stage.open()));
afterAll(() => stage.close());

describe.each(Array.from({ length: 10 }, (_, at) => at + 1))('the felt of table %i', (number) => {
  it('is drawn with every area, and every one is reached and played by keyboard', async () => {
    const table = stage.house.table(number);
    const { page, wrong } = await stage.terminal(number, 31);
    expect(await page.locator('[data-box]').count()).toBe(table.layout.areas.length);
    table.open();
    await page.locator('[data-phase=open]').waitFor();
    table.tell(table.seat(31), { credits: 100_000_000 });
    await page.locator('[data-box][tabindex="0"]').focus();
    // From each area the arrow keys lead on: a walk over all of them, the nearest not yet seen first.
    const reached = await page.evaluate(() => {
      const areas = [...document.querySelectorAll<SVGGElement>('[data-box]')];
      const seen = new Set<Element>();
      const walk = (from: SVGGElement) => {
        const open = [from];
        while (open.length > 0) {
          const here = open.pop()!;
          if (seen.has(here)) continue;
          seen.add(here);
          for (const key of ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown']) {
            here.focus();
            here.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
            if (document.activeElement instanceof SVGGElement) open.push(document.activeElement);
          }
        }
      };
      walk(document.activeElement as SVGGElement);
      return [areas.length, seen.size];
    });
    expect(reached[1]).toBe(reached[0]);
    for (const name of [table.layout.areas[0]!.box, table.layout.areas.at(-1)!.box]) {
      await page.locator(`[data-box="${name}"]`).first().focus();
      await page.keyboard.press('Enter');
      await expect.poll(() => table.seat(31).view.bets.map(({ box }) => box)).toContain(name);
    }
    expect(wrong).toEqual([]);
    await page.context().close();
    table.void('ruling');
  });

  it('has no accessibility fault at the terminal, in play', async () => {
    const table = stage.house.table(number);
    const { page } = await stage.terminal(number, 32);
    table.open();
    await page.locator('[data-box="small"]').first().click();
    expect(await faults(page)).toEqual([]);
    table.close();
    table.commit([1, 2, 4]);
    await page.waitForTimeout(600);
    expect(await faults(page)).toEqual([]);
    await page.context().close();
  });
});

describe.each(LANGUAGES.map(({ language }) => language))('in %s', (language) => {
  it.each(Object.entries(SIZES))('nothing spills or is at fault, %s', async (_, size) => {
    const { page, wrong } = await stage.terminal(3, 33, size);
    const table = stage.house.table(3);
    await page.evaluate((language) => localStorage.setItem('taisai.language', language), language);
    await page.reload();
    await page.locator('[data-box]').first().waitFor();
    table.open();
    await page.locator('[data-box="big"]').first().click();
    await page.waitForTimeout(300);
    expect(await spilling(page)).toEqual([]);
    table.close();
    table.commit([6, 6, 5]);
    await page.waitForTimeout(300);
    expect(await spilling(page)).toEqual([]);
    const words = (await import(`../../src/words/${language}.ts`)).words;
    for (const name of [words.help, words.settings, words.games, words.favourites, words.cashOut]) {
      await page.getByRole('button', { name, exact: true }).first().click();
      await page.waitForTimeout(250);
      expect(await spilling(page), name).toEqual([]);
      expect(await faults(page), name).toEqual([]);
      await page.keyboard.press('Escape');
    }
    expect(wrong).toEqual([]);
    await page.context().close();
  });

  it.each(Object.entries(SIZES))('the display and the front page neither, %s', async (_, size) => {
    for (const path of ['display?table=6', '']) {
      const { page, wrong } = await watched(await stage.context(size));
      await page.addInitScript((language) => localStorage.setItem('taisai.language', language), language);
      await page.goto(`${stage.address}/${path}`);
      await page.waitForTimeout(700);
      expect(await page.evaluate(() => document.documentElement.lang)).toBe(language);
      expect(await spilling(page), path).toEqual([]);
      expect(await faults(page), path).toEqual([]);
      expect(wrong).toEqual([]);
      await page.context().close();
    }
  });
});
