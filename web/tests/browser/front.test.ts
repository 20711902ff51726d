// The front page and the display from their first moment: they come back by themselves, and say what there is not.

import { expect, it } from 'vitest';
import { faults, small } from './faults';
import { Fixture } from './fixture';
import { SIZES } from './stage';

const fixture = new Fixture();

it('the front page recovers with the server, and updates phases', async () => {
  const context = await fixture.stage.context();
  const page = await context.newPage();
  await page.route('**/api/v1/**', (route) => route.abort());
  await page.goto(fixture.stage.address);
  await page.getByRole('alert').getByText('Cannot connect.').waitFor();
  await page.unroute('**/api/v1/**');
  const table = page.locator('a[href="/display?table=1"]');
  await table.getByText('Next round soon').waitFor();
  fixture.stage.house.table(1).open();
  await table.getByText('Place your bets, please').waitFor();
});

it.each(['99', 'x'])('the display says that there is no table %s', async (number) => {
  const context = await fixture.stage.context();
  const page = await context.newPage();
  await page.goto(`${fixture.stage.address}/display?table=${number}`);
  await page.getByRole('status').getByText(`There is no table ${number} here. Choose another.`).waitFor();
  await page.getByRole('link', { name: 'Tables' }).click();
  await page.locator('a[href="/display?table=1"]').waitFor();
});

it('the display is read in the language that is chosen on it', async () => {
  const page = await fixture.stage.display(2);
  await page.getByRole('status').getByText('Next round soon').waitFor();
  await page.getByRole('button', { name: '繁體中文' }).click();
  await page.getByRole('status').getByText('下一局即將開始').waitFor();
  await page.reload();
  await page.getByRole('status').getByText('下一局即將開始').waitFor();
});

it.each([['the front page', '', 'li a'], ['the display', 'display?table=1', '[data-laid]'], ['the sign-in', 'audit', 'form']])('%s can be read with high contrast, and stays so', async (_, path, loaded) => {
  const page = await fixture.stage.page();
  await page.goto(`${fixture.stage.address}/${path}`);
  await page.getByRole('button', { name: 'Settings' }).click();
  expect(await page.getByRole('switch', { name: 'Sound' }).count()).toBe(0);
  for (const name of ['High contrast', 'Reduce motion']) await page.getByRole('switch', { name }).check();
  await page.keyboard.press('Escape');
  await page.reload();
  await page.locator(loaded).first().waitFor({ state: 'attached' });
  expect(await page.evaluate(() => ({ ...document.documentElement.dataset }))).toMatchObject({ contrast: 'high', motion: 'less' });
  expect(await faults(page)).toEqual([]);
});

it('a terminal on a phone on its side has nothing that a finger would miss', async () => {
  const { width, height } = SIZES.phone;
  const page = await fixture.stage.terminal(2, 43, { width: height, height: width }, { hasTouch: true, isMobile: true });
  expect(await small(page, 44)).toEqual([]);
});

it('a felt that is higher than a phone on its side says where more of it is', async () => {
  const { width, height } = SIZES.phone;
  const page = await fixture.stage.terminal(1, 42, { width: height, height: width }, { hasTouch: true, isMobile: true });
  await page.locator('.more.below').waitFor();
  expect(await page.locator('.more.above').count()).toBe(0);
  await page.locator('div.frame').evaluate((frame) => frame.scrollTo(0, frame.scrollHeight));
  await page.locator('.more.above').waitFor();
  await page.locator('.more.below').waitFor({ state: 'detached' });
});
