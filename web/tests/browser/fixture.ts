// A mock server and a browser for the tests of a file. After each test it closes the pages, resets the server and fails on any page
// error, so no test cleans up.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { Page } from 'playwright-core';
import { settled, SHOTS, Stage } from './stage';

export class Fixture {
  private opened: Stage | null = null;

  constructor(prepare: (stage: Stage) => void = () => {}) {
    beforeAll(async () => {
      mkdirSync(SHOTS, { recursive: true });
      this.opened = await Stage.open();
      prepare(this.opened);
    });
    afterEach(async () => {
      this.house.reset();
      expect(await this.stage.leave()).toEqual([]);
    });
    afterAll(() => this.opened?.close());
  }

  get stage(): Stage {
    return this.opened!;
  }

  get house() {
    return this.stage.house;
  }

  /** A picture, once nothing moves any more. */
  async shot(page: Page, name: string): Promise<void> {
    await page.mouse.move(0, 0);
    await settled(page);
    await page.screenshot({ path: join(SHOTS, `${name}.png`) });
  }
}
