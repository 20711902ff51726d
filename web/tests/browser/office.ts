// Staff at screens of a stand-in house that has seen some play: each test leaves none of its pages open, and none may go wrong.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { Page } from 'playwright-core';
import { settled, SHOTS, Stage } from './stage';

/** What each table has won, in whole amounts. */
const WINS = [412, 830, -310, 655, 1_240, 205, 980, 377, -120, 1_510];

export class StaffStage {
  stage!: Stage;
  private readonly pages: { page: Page; wrong: string[] }[] = [];

  constructor() {
    beforeAll(async () => {
      mkdirSync(SHOTS, { recursive: true });
      this.stage = await Stage.open();
      this.play();
    });
    afterAll(() => this.stage.close());
    afterEach(async () => {
      for (const { page, wrong } of this.pages.splice(0)) {
        await page.context().close();
        expect(wrong).toEqual([]);
      }
    });
  }

  get house() {
    return this.stage.house;
  }

  async open(...how: Parameters<Stage['staff']>): Promise<Page> {
    const opened = await this.stage.staff(...how);
    this.pages.push(opened);
    return opened.page;
  }

  /** A picture, once nothing moves any more. */
  async shot(page: Page, name: string): Promise<void> {
    await page.mouse.move(0, 0);
    await settled(page);
    await page.screenshot({ path: join(SHOTS, `${name}.png`) });
  }

  /** Tables that have seen some play, and seats that need somebody. */
  private play(): void {
    this.house.tables.forEach((table, at) => {
      const bet = 1_912_500 + at * 12_300;
      table.keep({ bought_in: 410_000 + at * 5_000, bet, won: bet - 42_500 - WINS[at]! * 100, returned: 42_500, rounds: 310 + at });
      for (const seat of [1, 2, 3, 5, 6].slice(0, 5 - (at % 4))) table.sit(seat, { say: () => {} });
    });
    this.house.table(1).seat(3).view.is_locked = true;
    this.house.table(3).seat(8);
  }
}

export const tab = (page: Page, at: number) => page.getByRole('navigation').first().getByRole('button').nth(at).click();
