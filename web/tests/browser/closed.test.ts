// A table whose record cannot be read stays closed, and says why, while the others play.

import { describe, expect, it } from 'vitest';
import { LANGUAGES } from '../../src/words/languages';
import { faults, spilling } from './faults';
import { StaffStage } from './staffStage';

const staff = new StaffStage();
const CLOSED = 1;
const WHY = 'chain table-1-0, block 7: its bytes do not fit its hash';
const NOT_OPEN = { en: 'Closed: its record cannot be read', 'zh-Hans': '已关闭：记录无法读取', 'zh-Hant': '已關閉：記錄無法讀取' };

describe.each(LANGUAGES.map(({ language }) => language))('in %s', (language) => {
  it('the pit, the console and the front page tell which table stays closed', async () => {
    staff.house.notOpen.set(CLOSED, WHY);
    const pit = await staff.open('pit', 5, undefined, language);
    const row = pit.locator('tbody tr').first();
    await row.getByText(NOT_OPEN[language]).waitFor();
    await row.getByText(WHY).waitFor();
    await pit.locator('tbody tr:not(.stale)').nth(8).waitFor();
    const console = await staff.open(`console?table=${CLOSED}`, 21, undefined, language);
    await console.getByRole('alert').filter({ hasText: NOT_OPEN[language] }).waitFor();
    await console.getByText(WHY).waitFor();
    const front = await staff.stage.page(undefined, { kept: { language } });
    await front.goto(`${staff.stage.address}/`);
    await front.getByText(NOT_OPEN[language]).waitFor();
    for (const page of [pit, console, front]) {
      expect(await faults(page)).toEqual([]);
      expect(await spilling(page)).toEqual([]);
    }
  });
});
