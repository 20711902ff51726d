// A terminal beside its play: it is set up, known again, takes money in and gives it out.

import { describe, expect, it } from 'vitest';
import { label, PlayerStage } from './seats';
import { box, caughtUp } from './stage';

const seats = new PlayerStage();

describe('the terminal', () => {
  it('is known again after a reload, and counts its commands on', async () => {
    const page = await seats.open(1, 20);
    seats.house.table(1).open();
    await box(page, 'odd').click();
    await expect.poll(() => label(page, 'odd')).toContain('bet');
    await page.reload();
    await expect.poll(() => label(page, 'odd')).toContain('25.00 bet');
    await box(page, 'odd').click();
    await expect.poll(() => label(page, 'odd')).toContain('50.00 bet');
  });

  it('sells credits for a voucher, and cashes out to one', async () => {
    const page = await seats.open(1, 21);
    await page.getByRole('button', { name: 'Cash out' }).click();
    await page.getByLabel('Number on the voucher').fill('99 0000 0000 0000 0000');
    await page.getByRole('button', { name: 'Add credits' }).click();
    await page.getByText('There is no such voucher. Please check the number.').waitFor();
    await page.getByLabel('Number on the voucher').fill('12 0000 0000 0000 0000');
    await page.getByRole('button', { name: 'Add credits' }).click();
    await page.getByText('Voucher accepted. The credits are being added.').waitFor();
    await page.getByRole('button', { name: 'Cash out all 1,500.00 to a voucher' }).click();
    await page.getByText('You get a voucher for 1,500.00, and your session ends.').waitFor();
    await page.getByRole('button', { name: 'Yes, cash out 1,500.00' }).click();
    await page.getByText('12 3456 7890 1234 5678').waitFor();
    await page.getByText('VOID – training').waitFor();
    for (const _ of ['once', 'again', 'and again']) await page.keyboard.press('Escape');
    // A browser that closes it tells so a moment later, and then it is shown again.
    await page.locator('dialog[open]').getByText('12 3456 7890 1234 5678').waitFor();
    await page.mouse.click(5, 5);
    await caughtUp(page);
    await page.locator('dialog[open]').getByText('12 3456 7890 1234 5678').waitFor();
    await page.getByRole('button', { name: 'I have it' }).click();
    await page.getByText('Welcome. Add credits to play.').waitFor();
  });

  it('hides the favourites of the player before', async () => {
    const page = await seats.open(1, 29);
    const kept = () => page.evaluate(() => localStorage.getItem('taisai.favourites'));
    seats.house.table(1).open();
    await box(page, 'big').click();
    await page.getByRole('button', { name: 'Favourites' }).click();
    await page.getByRole('button', { name: 'Save these bets as favourite 1' }).click();
    await page.keyboard.press('Escape');
    seats.house.table(1).void('ruling');
    await page.reload();
    await page.locator('[data-box]').first().waitFor();
    expect(await kept()).toContain('big');
    await page.getByRole('button', { name: 'Cash out' }).click();
    await page.getByRole('button', { name: /Cash out all/ }).click();
    await page.getByRole('button', { name: /^Yes, cash out/ }).click();
    await page.getByRole('button', { name: 'I have it' }).click();
    await expect.poll(kept).toBeNull();
    // A terminal that was not there when the session ended.
    await page.evaluate(() => localStorage.setItem('taisai.favourites', '{}'));
    await page.evaluate(() => localStorage.setItem('taisai.session', '{"session":7,"since":1}'));
    await page.reload();
    await expect.poll(kept).toBeNull();
  });

  it('shows time and result after an hour', async () => {
    const page = await seats.open(1, 22);
    await page.evaluate(() => localStorage.setItem('taisai.session', JSON.stringify({ session: 7, since: Date.now() - 3_661_000 })));
    await page.reload();
    await page.getByRole('heading', { name: 'You have played for 1:01.' }).waitFor();
    await page.getByRole('button', { name: 'Continue playing' }).click();
    await page.getByText('You have played for').waitFor({ state: 'detached' });
    // The next player came while the terminal was offline.
    seats.house.isAway = true;
    seats.house.drop();
    await page.evaluate(() => localStorage.setItem('taisai.session', JSON.stringify({ session: 8, since: Date.now() - 3_781_000 })));
    seats.house.table(1).seat(22).view.session = 8;
    seats.house.isAway = false;
    await page.getByRole('heading', { name: 'You have played for 1:03.' }).waitFor();
  });

  it('closes the open favourites of the player before', async () => {
    const page = await seats.open(1, 23);
    seats.house.table(1).open();
    await box(page, 'big').click();
    await page.getByRole('button', { name: 'Favourites' }).click();
    await page.getByRole('button', { name: 'Save these bets as favourite 1' }).click();
    const kept = page.locator('dialog').getByText('Big 25', { exact: true });
    await kept.waitFor();
    seats.house.isAway = true;
    seats.house.drop();
    seats.house.table(1).seat(23).view.session = 8;
    seats.house.isAway = false;
    await kept.waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'Favourites' }).waitFor();
  });

  it('is set up by its link, and the link opens it again once the code is used', async () => {
    const context = await seats.stage.context();
    const page = await context.newPage();
    for (const _ of ['first', 'again']) {
      await page.goto('about:blank');
      await page.goto(`${seats.stage.address}/terminal#device=326&code=ONCE-326`);
      await page.getByText('Table 3 · Terminal 26').waitFor();
    }
    const other = await (await seats.stage.context()).newPage();
    await other.goto(`${seats.stage.address}/terminal#device=326&code=ONCE-326`);
    await other.getByText('The code is wrong, used or expired.').waitFor();
  });

  it('is not set up with a wrong code', async () => {
    const context = await seats.stage.context();
    const page = await context.newPage();
    await page.goto(`${seats.stage.address}/terminal`);
    await page.getByLabel(/enter its code/).fill('WRONG');
    await page.getByRole('button', { name: 'Set up' }).click();
    await page.getByText('The code is wrong, used or expired.').waitFor();
  });

  it.each([
    ['makes no such key', () => Object.assign(SubtleCrypto.prototype, { generateKey: () => Promise.reject(new DOMException('', 'NotSupportedError')) }), /is too old for a terminal/],
    ['stores nothing', () => Object.assign(IDBFactory.prototype, { open: () => { throw new DOMException('', 'SecurityError'); } }), /does not store data/],
  ])('says so where the browser %s, and spends no code', async (_, breaks, why) => {
    const context = await seats.stage.context();
    const page = await context.newPage();
    await page.addInitScript(breaks);
    await page.goto(`${seats.stage.address}/terminal#device=327&code=ONCE-327`);
    await page.getByRole('alert').getByText(why).waitFor();
    await page.getByRole('button', { name: 'Set up' }).click();
    await page.getByRole('alert').getByText(why).waitFor();
    expect(seats.house.isEnrolled(327)).toBe(false);
  });
});
