// What cannot be taken back is done once for each time that its button is held.

import { expect, it } from 'vitest';
import { StaffStage } from './office';

const office = new StaffStage();

it('acts once while a key stays down, and says nothing more until it is let go', async () => {
  const page = await office.open('cage', 8);
  const sent: string[] = [];
  // The house takes its time, so that the claim stays there to be paid.
  await page.route('**/api/v1/**', (route) => (route.request().method() === 'POST' ? void sent.push(route.request().url()) : route.continue()));
  await page.getByRole('row').filter({ hasText: '12,500.00' }).getByRole('button').focus();
  const down = async (milliseconds: number) => {
    for (const until = Date.now() + milliseconds; Date.now() < until; ) {
      await page.keyboard.down('Enter');
      await page.waitForTimeout(40);
    }
  };
  await down(2_000);
  expect(sent).toHaveLength(1);
  await page.keyboard.up('Enter');
});
