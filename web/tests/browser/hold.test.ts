// What cannot be taken back is done once for each time that its button is held.

import { expect, it } from 'vitest';
import { StaffStage } from './staffStage';
import { caughtUp } from './stage';
import { expectNotice } from './notices';

const staffStage = new StaffStage();

it('acts once while a key stays down, and says nothing more until it is let go', async () => {
  const page = await staffStage.open('cage', 8, undefined, 'en', { isPaused: true });
  const paid = () => staffStage.house.staff.received.filter((command) => JSON.stringify(command).includes('pay-claim')).length;
  const button = page.getByRole('row').filter({ hasText: '12,500.00' }).getByRole('button').last();
  const hold = async (milliseconds: number) => {
    // It is disabled and loses the focus while a request is under way.
    await expect.poll(() => button.isEnabled()).toBe(true);
    await button.focus();
    for (let held = 0; held < milliseconds; held += 100) {
      await page.keyboard.down('Enter');
      await page.clock.runFor(100);
    }
    await caughtUp(page);
  };
  // The claim stays there to be paid.
  staffStage.house.staff.refuses = 'hand-pay-limit';
  await hold(700);
  await expectNotice(page, /./);
  await hold(1_000);
  expect(paid()).toBe(1);
  await page.keyboard.up('Enter');
  await hold(700);
  expect(paid()).toBe(2);
});
