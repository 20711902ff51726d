// Players at terminals of a stand-in house: each test leaves none of its pages open, the house as it was, and none may go wrong.

import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { Page } from 'playwright-core';
import { box, Stage } from './stage';

export class PlayerStage {
  stage!: Stage;
  private readonly pages: { page: Page; wrong: string[] }[] = [];

  constructor() {
    beforeAll(async () => (this.stage = await Stage.open()));
    afterAll(() => this.stage.close());
    afterEach(async () => {
      this.house.isAway = false;
      this.house.delay = 0;
      for (const { page, wrong } of this.pages.splice(0)) {
        await page.context().close();
        expect(wrong).toEqual([]);
      }
    });
  }

  get house() {
    return this.stage.house;
  }

  async open(...how: Parameters<Stage['terminal']>): Promise<Page> {
    const opened = await this.stage.terminal(...how);
    this.pages.push(opened);
    return opened.page;
  }
}

/** What is said of a box. */
export const label = (page: Page, name: string) => box(page, name).getAttribute('aria-label');
