// What cannot be taken back is done once for each time that its button is held.

import { expect, it } from 'vitest';
import { StaffStage } from './office';
import { caughtUp } from './stage';

const office = new StaffStage();

it('acts once while a key stays down, and says nothing more until it is let go', async () => {
  const page = await office.open('cage', 8, undefined, 'en', { isPaused: true });
  const sent: string[] = [];
  // The house does not answer, so that the claim stays there to be paid.
  await page.route('**/api/v1/**', (route) => (route.request().method() === 'POST' ? void sent.push(route.request().url()) : route.continue()));
  await page.getByRole('row').filter({ hasText: '12,500.00' }).getByRole('button').focus();
  for (let milliseconds = 0; milliseconds < 2_000; milliseconds += 100) {
    await page.keyboard.down('Enter');
    await page.clock.runFor(100);
  }
  await caughtUp(page);
  expect(sent).toHaveLength(1);
});
