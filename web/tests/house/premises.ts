// A running program and its browsers: people at screens, terminals at seats, displays. Each has its own browser context, and any page
// error fails the test.

import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, expect } from 'vitest';
import { contextOf, launch, SHOTS, SIZES, watched, type PublicTableFeed } from '../browser/stage';
import { House, IMPATIENT, TABLES } from './program';

/** The first people by role, in the order of their numbers. */
const FIRST = ['dealer', 'second-dealer', 'pit-supervisor', 'pit-manager', 'shift-manager', 'casino-manager', 'attendant', 'cashier', 'auditor', 'administrator'] as const;
export type Post = (typeof FIRST)[number];

export const numberOf = (post: Post) => FIRST.indexOf(post) + 1;
export const passwordOf = (post: Post) => `the password of the ${post}`;

/** The browser's own errors about a server that is away or refuses. The screen reports them itself. */
const TOLD = /net::ERR_(CONNECTION|INTERNET|EMPTY_RESPONSE|ADDRESS)|status of 409/;

export class Premises {
  private readonly opened: PublicTableFeed[] = [];
  private readonly own = new Set<Post>();
  signIns = 0;

  private constructor(
    readonly house: House,
    private readonly browser: Browser,
  ) {}

  static async open(): Promise<Premises> {
    return Premises.around(await House.found(TABLES));
  }

  /** With a server that soon closes silent connections. */
  static async openImpatient(): Promise<Premises> {
    return Premises.around(await House.found(TABLES, IMPATIENT));
  }

  static async around(house: House): Promise<Premises> {
    const browser = await launch().catch(async (error: unknown) => {
      await house.close();
      throw error;
    });
    return new Premises(house, browser);
  }

  /** Opens a page, without the motion that takes a third of the processor's time; `before` may set up routes first. */
  async page(path: string, more: object = {}, before?: (page: Page) => Promise<void>): Promise<Page> {
    const context = await contextOf(this.browser, { viewport: SIZES.desk, reducedMotion: 'reduce', ...more });
    const one = await watched(context);
    this.opened.push(one);
    await before?.(one.page);
    await one.page.goto(new URL(path, this.house.address).href);
    return one.page;
  }

  /** A person signed in at a screen. The first time replaces the one-time password. */
  async staff(post: Post, path: string): Promise<Page> {
    const page = await this.page(path);
    const isFirst = !this.own.has(post);
    await this.signIn(page, post, isFirst ? this.house.passwords.get(numberOf(post))! : passwordOf(post));
    if (isFirst) await this.choosePassword(page, post);
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    return page;
  }

  async signIn(page: Page, post: Post, password: string): Promise<void> {
    this.signIns += 1;
    await page.getByLabel('Your number').fill(String(numberOf(post)));
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
  }

  async choosePassword(page: Page, post: Post): Promise<void> {
    await page.getByLabel('One-time password').fill(this.house.passwords.get(numberOf(post))!);
    await page.getByLabel('New password', { exact: true }).fill(passwordOf(post));
    await page.getByLabel('Repeat the new password').fill(passwordOf(post));
    await page.getByRole('button', { name: 'Set password' }).click();
    this.own.add(post);
  }

  /** A Player Terminal, set up by the link that the first start printed. */
  async terminal(seat: number, table = 1, before?: (page: Page) => Promise<void>): Promise<Page> {
    const page = await this.page(this.house.links.get(`${table}/${seat}`)!, { hasTouch: true }, before);
    await page.locator('[data-box]').first().waitFor();
    return page;
  }

  async display(table: number): Promise<Page> {
    const page = await this.page(`/display?table=${table}`);
    await page.locator('[data-phase]').waitFor();
    return page;
  }

  /** Page errors since the last call. */
  wrong(): string[] {
    return this.opened.flatMap(({ wrong }) => wrong.splice(0)).filter((line) => !TOLD.test(line));
  }

  async picture(): Promise<void> {
    const pages = this.opened.map(({ page }) => page).filter((page) => !page.isClosed());
    for (const [at, page] of pages.entries()) await page.screenshot({ path: join(SHOTS, `failed-${at}.png`) });
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.house.close();
  }
}

/** Premises for the tests of a file: fails on page errors, verifies the record at the end, and on failure prints the log and keeps a
 * picture of every page. */
export function premises(open: () => Promise<Premises> = Premises.open): () => Premises {
  let opened: Premises | null = null;
  beforeEach(async ({ onTestFailed }) => {
    opened ??= await open();
    onTestFailed(async () => {
      console.error(`the server's log:\n${opened?.house.log}`);
      await opened?.picture();
    });
  });
  afterEach(() => expect(opened?.wrong()).toEqual([]));
  afterAll(async () => {
    try {
      await opened?.house.audit();
    } finally {
      await opened?.close();
    }
  });
  return () => opened!;
}
