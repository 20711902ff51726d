// Faults of a page: accessibility rules, and text that does not fit.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Page } from 'playwright-core';

const AXE = readFileSync(resolve(import.meta.dirname, '../../node_modules/axe-core/axe.min.js'), 'utf8');
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** What a reader with needs would stumble over, on the page or in a part of it. */
export async function faults(page: Page, part = 'html'): Promise<string[]> {
  // It is large: a page takes it once.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE);
  return page.evaluate(async ({ tags, part }) => {
    const axe = (globalThis as any).axe;
    const { violations } = await axe.run(part, { runOnly: { type: 'tag', values: tags }, resultTypes: ['violations'] });
    return violations.map(({ id, nodes }: any) => `${id}: ${nodes.map(({ target, any }: any) => `${target} ${any[0]?.message ?? ''}`).slice(0, 3).join(' | ')}`);
  }, { tags: TAGS, part });
}

/** Texts that do not fit where they stand. */
export function spilling(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const wrong: string[] = [];
    if (document.documentElement.scrollWidth > innerWidth + 1) wrong.push(`the page is ${document.documentElement.scrollWidth} wide`);
    for (const element of document.querySelectorAll<HTMLElement>('button, h1, h2, h3, p, dt, dd, th, td, span, b, label, li')) {
      const style = getComputedStyle(element);
      const isCut = style.overflowX !== 'visible' && style.textOverflow !== 'ellipsis' && !element.classList.contains('unseen') && !element.classList.contains('strip');
      const isButton = element.tagName === 'BUTTON' && !element.classList.contains('strip');
      if ((isCut || isButton) && element.scrollWidth > element.clientWidth + 1) wrong.push(`${element.tagName} ${element.className}: ${element.textContent?.trim()}`);
      const { right, left, width } = element.getBoundingClientRect();
      if (width > 0 && !element.closest('.unseen, .strip, .frame, .scrolls') && (right > innerWidth + 1 || left < -1)) wrong.push(`${element.tagName} lies outside: ${element.textContent?.trim()}`);
    }
    return [...new Set(wrong)];
  });
}

/** Controls that a finger would miss: smaller than `least` in one direction. A box to tick is as large as its label. */
export function small(page: Page, least: number): Promise<string[]> {
  return page.evaluate((least) => {
    const wrong: string[] = [];
    for (const control of document.querySelectorAll<HTMLElement>('button, input, select, textarea, summary, a[href]')) {
      const touched = control.matches('input[type=checkbox]') ? (control.closest('label') ?? control) : control;
      const { width, height } = touched.getBoundingClientRect();
      if (width > 1 && (width < least - 0.5 || height < least - 0.5)) wrong.push(`${control.tagName} ${control.getAttribute('aria-label') ?? control.textContent?.trim()}: ${Math.round(width)} × ${Math.round(height)}`);
    }
    return [...new Set(wrong)];
  }, least);
}

/** Lists that are wider than their place. */
export function scrolling(page: Page): Promise<string[]> {
  return page.evaluate(() => [...document.querySelectorAll<HTMLElement>('.scrolls')].filter((list) => list.scrollWidth > list.clientWidth + 1).map((list) => `${list.getAttribute('aria-label')}: ${list.scrollWidth} in ${list.clientWidth}`));
}

/** English that was left on a page in Chinese: words in letters, save what is marked as English, as nobody's language (what a person wrote)
 * or as a name that is not translated, what felts print in both, hashes, and the names given. */
export function leftOver(page: Page, names: readonly string[]): Promise<string[]> {
  return page.evaluate((names) => {
    const isSpared = (element: Element) => element.closest('[lang]')!.getAttribute('lang')!.startsWith('zh') === false || element.closest('[translate=no], code, noscript') !== null || element.matches('.felt text, .felt tspan');
    const english = (text: string) => /[a-z]{3}/i.test(names.reduce((rest, name) => rest.replaceAll(name, ''), text).replace(/\b[0-9a-f]{12,}\b/g, ''));
    const wrong: string[] = [];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode()) if (english(text.textContent!) && !isSpared(text.parentElement!)) wrong.push(text.textContent!.trim());
    for (const element of document.body.querySelectorAll('[aria-label], [title], [placeholder], [alt]'))
      for (const name of ['aria-label', 'title', 'placeholder', 'alt']) if (english(element.getAttribute(name) ?? '') && !isSpared(element)) wrong.push(`${name}: ${element.getAttribute(name)}`);
    return [...new Set(wrong)];
  }, names);
}
