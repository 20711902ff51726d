// Notices, which a screen shows for some seconds only.

import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Waits until a page has shown a notice since it was loaded, even if it is gone by now. */
export async function expectNotice(page: Page, text: string | RegExp): Promise<void> {
  const wanted = typeof text === 'string' ? expect.stringContaining(text) : expect.stringMatching(text);
  await expect.poll(() => page.evaluate(() => window.allNotices)).toContainEqual(wanted);
}
