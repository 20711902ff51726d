// A stand-in house, a browser, and terminals that are set up in it.

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { chromium, type Browser, type BrowserContext, type Locator, type Page } from 'playwright-core';
import { history } from '../../mock/dealer';
import { MockHouse } from '../../mock/house';

const ROOT = resolve(import.meta.dirname, '../..');
export const SHOTS = resolve(ROOT, 'shots');
export const SIZES = { phone: { width: 390, height: 844 }, desk: { width: 1280, height: 800 }, wall: { width: 3840, height: 2160 } };

/** As root, Chromium runs without its sandbox; none of its own connections are wanted. */
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

/** The one without windows of its own, where it is there: it takes half the time. */
const CHROMIUM = process.env['CHROMIUM'] ?? ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((path) => existsSync(path));

export const launch = () => chromium.launch({ ...(CHROMIUM && { executablePath: CHROMIUM }), args: FLAGS });

export class Stage {
  private constructor(
    readonly house: MockHouse,
    readonly address: string,
    readonly browser: Browser,
  ) {}

  static async open(): Promise<Stage> {
    const house = new MockHouse(resolve(ROOT, 'dist'));
    house.tables.forEach((table) => table.remember(history(73)));
    const address = await house.listen();
    return new Stage(house, address, await launch());
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.house.close();
  }

  async context(size: { width: number; height: number } = SIZES.desk, more: object = {}): Promise<BrowserContext> {
    return this.browser.newContext({ viewport: size, locale: 'en-SG', ...more });
  }

  /** A terminal at a seat of a table; what goes wrong on the page fails the test that looks at `wrong`. */
  async terminal(table: number, seat: number, size = SIZES.desk, more: object = {}): Promise<{ page: Page; wrong: string[] }> {
    const context = await this.context(size, more);
    const { page, wrong } = await watched(context);
    await page.goto(`${this.address}/terminal#device=${table * 100 + seat}&code=SEAT-${table * 100 + seat}`);
    await page.locator('[data-box]').first().waitFor();
    await page.evaluate(() => document.fonts.ready);
    return { page, wrong };
  }

  /** A staff screen with somebody signed in at it. */
  async staff(screen: string, person: number, size = SIZES.desk, language = 'en'): Promise<{ page: Page; wrong: string[] }> {
    const { page, wrong } = await watched(await this.context(size));
    await page.addInitScript((chosen) => localStorage.setItem('taisai.language', chosen), language);
    await page.goto(`${this.address}/${screen}`);
    await page.locator('input[autocomplete=username]').fill(String(person));
    await page.locator('input[type=password]').fill(`secret-${person}`);
    await page.locator('button.first').click();
    await page.locator('header .person').waitFor();
    await page.evaluate(() => document.fonts.ready);
    return { page, wrong };
  }

  async display(table: number, size = SIZES.desk): Promise<{ page: Page; wrong: string[] }> {
    const { page, wrong } = await watched(await this.context(size));
    await page.goto(`${this.address}/display?table=${table}`);
    await page.locator('[data-laid]').first().waitFor({ state: 'attached' });
    await page.evaluate(() => document.fonts.ready);
    return { page, wrong };
  }
}

export async function watched(context: BrowserContext): Promise<{ page: Page; wrong: string[] }> {
  const page = await context.newPage();
  const wrong: string[] = [];
  page.on('pageerror', (error) => wrong.push(String(error)));
  page.on('console', (message) => {
    // A line that breaks, and what the house refuses, is told by the screen itself.
    if (message.type() === 'error' && !message.text().includes('WebSocket') && !/status of 40[139]/.test(message.text())) wrong.push(message.text());
  });
  return { page, wrong };
}

/** The area of a box, the first where there are two. */
export const box = (page: Page, name: string) => page.locator(`[data-box="${name}"]`).first();

/** Nothing moves any more, save what never ends. */
export async function settled(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const moving = document.getAnimations().filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity);
    await Promise.all(moving.map(({ finished }) => finished.catch(() => {})));
  });
}

/** Holds a button until it acts. */
export async function hold(page: Page, button: Locator): Promise<void> {
  await button.hover();
  await page.mouse.down();
  await page.locator('button.held').waitFor();
  await page.locator('button.held').waitFor({ state: 'detached' });
  await page.mouse.up();
}
