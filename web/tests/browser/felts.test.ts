// Every layout at terminal and display: drawn whole, reached and played by keyboard, in every language, without a fault.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LANGUAGES } from '../../src/words/languages';
import { SIZES, Stage, watched } from './stage';

let stage: Stage;
beforeAll(async () => (stage = await Stage.open()));
afterAll(() => stage.close());

const AXE = readFileSync(resolve(import.meta.dirname, '../../node_modules/axe-core/axe.min.js'), 'utf8');
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** What a reader with needs would stumble over. */
async function faults(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  return page.evaluate(async (tags) => {
    const axe = (globalThis as any).axe;
    const { violations } = await axe.run(document, { runOnly: { type: 'tag', values: tags } });
    return violations.map(({ id, nodes }: any) => `${id}: ${nodes.map(({ target, any }: any) => `${target} ${any[0]?.message ?? ''}`).slice(0, 3).join(' | ')}`);
  }, TAGS);
}

/** Texts that do not fit where they stand. */
function spilling(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const wrong: string[] = [];
    if (document.documentElement.scrollWidth > innerWidth + 1) wrong.push(`the page is ${document.documentElement.scrollWidth} wide`);
    for (const element of document.querySelectorAll<HTMLElement>('button, h1, h2, h3, p, dt, dd, th, td, span, b, label, li')) {
      const style = getComputedStyle(element);
      const isCut = style.overflowX !== 'visible' && style.textOverflow !== 'ellipsis' && !element.classList.contains('unseen') && !element.classList.contains('strip');
      const isButton = element.tagName === 'BUTTON' && !element.classList.contains('strip');
      if ((isCut || isButton) && element.scrollWidth > element.clientWidth + 1) wrong.push(`${element.tagName} ${element.className}: ${element.textContent?.trim()}`);
      const { right, left, width } = element.getBoundingClientRect();
      if (width > 0 && !element.closest('.unseen, .strip, .frame') && (right > innerWidth + 1 || left < -1)) wrong.push(`${element.tagName} lies outside: ${element.textContent?.trim()}`);
    }
    return [...new Set(wrong)];
  });
}

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
    const { page, wrong } = await stage.terminal(6, 33, size);
    const table = stage.house.table(6);
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

  it('the display and the front page neither', async () => {
    for (const path of ['display?table=6', '']) {
      const { page, wrong } = await watched(await stage.context());
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
