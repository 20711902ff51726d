// A terminal beside its play: it is set up, known again, takes money in and gives it out.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { box, Stage } from './stage';

let stage: Stage;
const pages: { page: Page; wrong: string[] }[] = [];
const terminal = async (...how: Parameters<Stage['terminal']>) => {
  const opened = await stage.terminal(...how);
  pages.push(opened);
  return opened.page;
};

beforeAll(async () => (stage = await Stage.open()));
afterAll(() => stage.close());
afterEach(async () => {
  stage.house.isAway = false;
  stage.house.delay = 0;
  for (const { page, wrong } of pages.splice(0)) {
    await page.context().close();
    expect(wrong).toEqual([]);
  }
});

const label = (page: Page, name: string) => box(page, name).getAttribute('aria-label');

describe('the terminal', () => {
  it('is known again after a reload, and counts its commands on', async () => {
    const page = await terminal(1, 20);
    stage.house.table(1).open();
    await box(page, 'odd').click();
    await expect.poll(() => label(page, 'odd')).toContain('bet');
    await page.reload();
    await expect.poll(() => label(page, 'odd')).toContain('25.00 bet');
    await box(page, 'odd').click();
    await expect.poll(() => label(page, 'odd')).toContain('50.00 bet');
    stage.house.table(1).void('ruling');
  });

  it('sells credits for a voucher, and cashes out to one', async () => {
    const page = await terminal(1, 21);
    await page.getByRole('button', { name: 'Cash out' }).click();
    await page.getByLabel('Number on the voucher').fill('99 0000 0000 0000 0000');
    await page.getByRole('button', { name: 'Add credits' }).click();
    await page.getByText('There is no such voucher. Please check the number.').waitFor();
    await page.getByLabel('Number on the voucher').fill('12 0000 0000 0000 0000');
    await page.getByRole('button', { name: 'Add credits' }).click();
    await page.getByText('Credits were added.').waitFor();
    await page.getByRole('button', { name: 'Cash out all 1,500.00 to a voucher' }).click();
    await page.getByText('12 3456 7890 1234 5678').waitFor();
    await page.getByText('VOID – training').waitFor();
    for (const _ of ['once', 'again', 'and again']) await page.keyboard.press('Escape');
    expect(await page.getByText('12 3456 7890 1234 5678').isVisible()).toBe(true);
    await page.mouse.click(5, 5);
    expect(await page.getByText('12 3456 7890 1234 5678').isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByText('Welcome. Add credits to play.').waitFor();
  });

  it('tells after an hour how long it has been, and how it went', async () => {
    const page = await terminal(1, 22);
    await page.evaluate(() => localStorage.setItem('taisai.session', JSON.stringify({ session: 7, since: Date.now() - 3_700_000 })));
    await page.reload();
    await page.getByRole('heading', { name: 'You have played for 1:01.' }).waitFor();
    await page.getByRole('button', { name: 'Go on playing' }).click();
    await page.getByText('You have played for').waitFor({ state: 'detached' });
  });

  it('is set up by the link of the house at its own table, and opens again by it once the code is used', async () => {
    const context = await stage.context();
    const page = await context.newPage();
    for (const _ of ['first', 'again']) {
      await page.goto('about:blank');
      await page.goto(`${stage.address}/terminal#device=326&code=ONCE-326`);
      await page.getByText('Table 3 · Terminal 26').waitFor();
    }
    const other = await (await stage.context()).newPage();
    await other.goto(`${stage.address}/terminal#device=326&code=ONCE-326`);
    await other.getByText('The code is wrong, used or too old.').waitFor();
    await other.context().close();
    await context.close();
  });

  it('is not set up with a wrong code', async () => {
    const context = await stage.context();
    const page = await context.newPage();
    await page.goto(`${stage.address}/terminal`);
    await page.getByLabel(/type its code/).fill('WRONG');
    await page.getByRole('button', { name: 'Set up' }).click();
    await page.getByText('The code is wrong, used or too old.').waitFor();
    await context.close();
  });

  it.each([
    ['makes no such key', () => Object.assign(SubtleCrypto.prototype, { generateKey: () => Promise.reject(new DOMException('', 'NotSupportedError')) }), /has no key of the kind that a terminal needs/],
    ['stores nothing', () => Object.assign(IDBFactory.prototype, { open: () => { throw new DOMException('', 'SecurityError'); } }), /keeps nothing/],
  ])('says so where the browser %s, and spends no code', async (_, breaks, why) => {
    const context = await stage.context();
    const page = await context.newPage();
    await page.addInitScript(breaks);
    await page.goto(`${stage.address}/terminal#device=327&code=ONCE-327`);
    await page.getByRole('alert').getByText(why).waitFor();
    await page.getByRole('button', { name: 'Set up' }).click();
    await page.getByRole('alert').getByText(why).waitFor();
    await context.close();
    expect(stage.house.isEnrolled(327)).toBe(false);
  });
});
