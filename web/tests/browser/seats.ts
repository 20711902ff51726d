// Players at terminals of the mock server.

import type { Page } from 'playwright-core';
import { Fixture } from './fixture';
import { box, type Stage } from './stage';

export class PlayerStage extends Fixture {
  open(...how: Parameters<Stage['terminal']>): Promise<Page> {
    return this.stage.terminal(...how);
  }
}

/** The accessible name of a box. */
export const label = (page: Page, name: string) => box(page, name).getAttribute('aria-label');
