// Every layout at the terminal: drawn whole, reached and played by keyboard, without a fault.

import { describe, expect, it } from 'vitest';
import { faults } from './faults';
import { PlayerStage } from './seats';
import { settled } from './stage';

const seats = new PlayerStage();

describe.each(Array.from({ length: 10 }, (_, at) => at + 1))('the felt of table %i', (number) => {
  it('is drawn with every area, and every one is reached and played by keyboard', async () => {
    const table = seats.house.table(number);
    const page = await seats.open(number, 31);
    expect(await page.locator('[data-box]').count()).toBe(table.layout.areas.length);
    table.open();
    await page.locator('[data-phase=open]').waitFor();
    table.update(table.seat(31), { credits: 100_000_000 });
    await page.locator('[data-box][tabindex="0"]').focus();
    // From each area the arrow keys lead on: a walk over all of them, the nearest not yet seen first.
    const reached = await page.evaluate(() => {
      const areas = [...document.querySelectorAll<SVGGElement>('[data-box]')];
      const seen = new Set<Element>();
      const walk = (from: SVGGElement) => {
        const open = [from];
        while (open.length > 0) {
          const here = open.pop()!;
          if (seen.has(here)) continue;
          seen.add(here);
          for (const key of ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown']) {
            here.focus();
            here.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
            if (document.activeElement instanceof SVGGElement) open.push(document.activeElement);
          }
        }
      };
      walk(document.activeElement as SVGGElement);
      return [areas.length, seen.size];
    });
    expect(reached[1]).toBe(reached[0]);
    for (const name of [table.layout.areas[0]!.box, table.layout.areas.at(-1)!.box]) {
      await page.locator(`[data-box="${name}"]`).first().focus();
      await page.keyboard.press('Enter');
      await expect.poll(() => table.seat(31).view.bets.map(({ box }) => box)).toContain(name);
    }
  });

  it('has no accessibility fault at the terminal, in play', async () => {
    const table = seats.house.table(number);
    const page = await seats.open(number, 32);
    table.open();
    await page.locator('[data-box="small"]').first().click();
    expect(await faults(page)).toEqual([]);
    table.close();
    table.commit([1, 2, 4]);
    await page.locator('[data-phase=settled]').waitFor();
    await page.locator('[data-laid="small"] .rim').first().waitFor();
    await settled(page);
    expect(await faults(page)).toEqual([]);
  });
});
