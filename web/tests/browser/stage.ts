// A mock server, a browser, and terminals that are set up in it.

import { existsSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Locator, type Page } from 'playwright-core';
import { history } from '../../mock/dealer';
import { MockHouse } from '../../mock/house';
import { EVENT_TIMEOUT } from '../timeouts';

const ROOT = resolve(import.meta.dirname, '../..');
export const SHOTS = resolve(ROOT, 'shots');
export const SIZES = { phone: { width: 390, height: 844 }, desk: { width: 1280, height: 800 }, wall: { width: 1920, height: 1080 } };

type Size = { width: number; height: number };

/** As root, Chromium runs without its sandbox; none of its own connections are wanted. */
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

/** The one that is named by CHROMIUM, or else the one without windows of its own where it is there: it takes half the time. It is looked
 * for where `.ci/chromium` looks. */
const NAMED = process.env['CHROMIUM'];
const CHROMIUM = (NAMED ? [NAMED] : ['chromium-headless-shell', 'chromium']).flatMap(onPath).find((path) => existsSync(path)) ?? NAMED;

function onPath(name: string): string[] {
  return name.includes('/') ? [name] : process.env['PATH']!.split(delimiter).map((folder) => join(folder, name));
}

export const launch = () => chromium.launch({ ...(CHROMIUM && { executablePath: CHROMIUM }), args: FLAGS });

interface HowOpened extends BrowserContextOptions {
  /** Time stands still on the page, and passes only by `page.clock.runFor`. Requests, sockets and animations go on. */
  isPaused?: boolean;
}

interface PageOpened extends HowOpened {
  /** What the browser has kept from before: settings, by their names. */
  kept?: Record<string, string>;
}

/** A page, and what went wrong on it. */
export interface PublicTableFeed {
  page: Page;
  wrong: string[];
}

export class Stage {
  private readonly contexts: BrowserContext[] = [];
  private readonly watched: PublicTableFeed[] = [];

  private constructor(
    readonly house: MockHouse,
    readonly address: string,
    readonly browser: Browser,
  ) {}

  static async open(): Promise<Stage> {
    const house = new MockHouse(resolve(ROOT, 'dist'));
    house.tables.forEach((table) => table.remember(history(73)));
    const browser = await launch();
    return new Stage(house, await house.listen(), browser);
  }

  /** Closes every page, and gives what went wrong on those that were watched. */
  async leave(): Promise<string[]> {
    const wrong = this.watched.splice(0).flatMap(({ wrong }) => wrong);
    await Promise.all(this.contexts.splice(0).map(leave));
    return wrong;
  }

  async close(): Promise<void> {
    await this.leave();
    await this.browser.close();
    await this.house.close();
  }

  async context(size: Size = SIZES.desk, { isPaused = false, ...more }: HowOpened = {}): Promise<BrowserContext> {
    const context = await contextOf(this.browser, { viewport: size, ...more });
    this.contexts.push(context);
    if (isPaused) await pauseClock(context);
    return context;
  }

  /** An empty page of its own; what goes wrong on it is given by `leave`. */
  async page(size?: Size, { kept = {}, ...how }: PageOpened = {}): Promise<Page> {
    const opened = await watched(await this.context(size, how));
    await opened.page.addInitScript((kept) => Object.entries(kept).forEach(([name, value]) => localStorage.setItem(`taisai.${name}`, value)), kept);
    this.watched.push(opened);
    return opened.page;
  }

  /** A terminal at a seat of a table. */
  async terminal(table: number, seat: number, size?: Size, how?: PageOpened): Promise<Page> {
    const page = await this.page(size, how);
    await page.goto(`${this.address}/terminal#device=${table * 100 + seat}&code=SEAT-${table * 100 + seat}`);
    await page.locator('[data-box]').first().waitFor();
    await page.evaluate(() => document.fonts.ready);
    return page;
  }

  /** A staff screen with a person signed in. */
  async staff(screen: string, person: number, size?: Size, language = 'en', how?: PageOpened): Promise<Page> {
    const page = await this.page(size, { kept: { language }, ...how });
    await page.context().addCookies([{ name: 'taisai', value: this.house.staff.signedIn(person), url: this.address }]);
    await page.goto(`${this.address}/${screen}`);
    await page.locator('header .person').waitFor();
    await page.evaluate(() => document.fonts.ready);
    return page;
  }

  async display(table: number, size?: Size): Promise<Page> {
    const page = await this.page(size);
    await page.goto(`${this.address}/display?table=${table}`);
    await page.locator('[data-laid]').first().waitFor({ state: 'attached' });
    await page.evaluate(() => document.fonts.ready);
    return page;
  }
}

export async function contextOf(browser: Browser, how: BrowserContextOptions): Promise<BrowserContext> {
  const context = await browser.newContext({ locale: 'en-SG', ...how });
  context.setDefaultTimeout(EVENT_TIMEOUT);
  return context;
}

/** Time stands still on its pages, and passes only by `page.clock.runFor`. */
export async function pauseClock(context: BrowserContext): Promise<void> {
  // The clock can be stopped at a later time only.
  const now = Date.now();
  await context.clock.install({ time: now - 3_600_000 });
  await context.clock.pauseAt(now);
}

/** Closes a context. What a test put in the way of requests may still be answering them, and would fail after the test. */
async function leave(context: BrowserContext): Promise<void> {
  await Promise.all(context.pages().map((page) => page.unrouteAll({ behavior: 'ignoreErrors' })));
  await context.close();
}

export async function watched(context: BrowserContext): Promise<PublicTableFeed> {
  const page = await context.newPage();
  await page.addInitScript(remember);
  const wrong: string[] = [];
  page.on('pageerror', (error) => wrong.push(String(error)));
  page.on('console', (message) => {
    // The browser's own errors about lost connections and refusals, a closed table's layout among them: the screen reports them itself.
    const refused = message.location().url.endsWith('/layout') ? /status of (40[139]|503)/ : /status of 40[139]/;
    if (message.type() === 'error' && !message.text().includes('WebSocket') && !refused.test(message.text())) wrong.push(message.text());
  });
  return { page, wrong };
}

declare global {
  interface Window {
    allNotices: string[];
  }
}

/** Has a page remember all that it tells for some seconds only: a test on a busy machine could come too late to read it. */
function remember(): void {
  const seen = new WeakSet<Element>();
  window.allNotices = [];
  new MutationObserver(() => {
    for (const line of document.querySelectorAll('[role=log] p')) {
      if (seen.has(line)) continue;
      seen.add(line);
      window.allNotices.push(line.textContent!.replace(/\s+/g, ' ').trim());
    }
  }).observe(document, { subtree: true, childList: true });
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

/** Holds a button, once it may be pressed and lies still, until what it does is done. */
export async function hold(button: Locator, isDone: () => Promise<unknown>): Promise<void> {
  const { mouse } = button.page();
  await button.click({ trial: true });
  await button.hover();
  await mouse.down();
  await isDone();
  await mouse.up();
}

/** Everything that the page was sent, or has asked for, until now has arrived. */
export async function caughtUp(page: Page): Promise<void> {
  await page.evaluate(() => fetch('/api/v1/house').then((answer) => answer.text()));
}
