// Whole limits (3.3): which apply to a box, how they are shown, and what is told before they are sent.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LayoutView, TableLimits } from '../../src/protocol/messages';
import { formOf, readLimits, type LimitForm } from '../../src/state/limitForm';
import { chips, firstChip, limitOf, limitRows, range } from '../../src/state/limits';

const layoutOf = (name: string): LayoutView => JSON.parse(readFileSync(join(import.meta.dirname, `../../mock/layouts/${name}.json`), 'utf8'));
const live = layoutOf('tai-sai-A');
const etg = layoutOf('sic-bo-etg-A');
const classic = layoutOf('tai-sai-classic-A');
const boxesOf = ({ boxes }: LayoutView) => boxes.map(({ box }) => box);

const LIMITS: TableLimits = {
  unit: 500,
  boxes: [{ boxes: 'big', min: 2_500, max: 500_000 }, { boxes: 'small', min: 2_500, max: 500_000 }, { boxes: 'sum', min: 500, max: 20_000 }, { boxes: 'sum:4', min: 500, max: 5_000 }],
  rest: { min: 1_000, max: 100_000 },
  differential: 0,
};

describe('limits with a line for the rest', () => {
  it.each([['sum:4', 500, 5_000], ['sum:5', 500, 20_000], ['big', 2_500, 500_000], ['single:1', 1_000, 100_000]] as const)('%s takes from %i to %i', (box, min, max) => expect(limitOf(LIMITS, box)).toEqual({ min, max }));

  it('are shown for every box of the layout', () => {
    const rows = limitRows(LIMITS, boxesOf(live));
    expect(rows.map(({ min, max, of }) => [min, max, of.join()])).toEqual([
      [2_500, 500_000, 'small,big'],
      [1_000, 100_000, 'single,domino,double,any-triple,triple'],
      [500, 5_000, 'sum:4'],
      [500, 20_000, 'sum'],
    ]);
  });

  it('count where the least, the most and the chips are looked for', () => {
    const rest = { unit: 500, boxes: [], rest: { min: 1_000, max: 100_000 } };
    expect([range(rest), firstChip(rest, boxesOf(live)), firstChip(LIMITS, boxesOf(live))]).toEqual([{ min: 1_000, max: 100_000 }, 1_000, 2_500]);
  });
});

describe('the chips of a tray', () => {
  const dollars = (limits: TableLimits | null, { boxes }: LayoutView, room: number, hasUnit?: boolean) => chips({ limits, boxes: boxes.map(({ box }) => box), room, ...(hasUnit && { hasUnit }) }).map((chip) => chip / 100);
  const rest = (unit: number, min: number, max: number): TableLimits => ({ unit: unit * 100, boxes: [], rest: { min: min * 100, max: max * 100 } });

  it.each<[string, TableLimits | null, number, boolean, number[]]>([
    ['terminals as they are shipped', { ...rest(2, 2, 2_000), boxes: [{ boxes: 'triple', min: 200, max: 5_000 }] }, 6, false, [2, 10, 50, 100, 500, 1_000]],
    ['a minimum between the usual chips', rest(1, 3, 200), 6, false, [3, 5, 10, 25, 50, 100]],
    ['two minima', { ...rest(5, 10, 5_000), boxes: [{ boxes: 'big', min: 2_500, max: 500_000 }] }, 6, false, [10, 25, 50, 100, 500, 1_000]],
    ['a live table as it is shipped, with chips below the minimum', { ...rest(1, 5, 2_000), boxes: [{ boxes: 'big', min: 2_500, max: 1_000_000 }] }, 9, true, [1, 5, 10, 25, 50, 100, 500, 1_000, 5_000]],
    ['a unit that no usual chip is a multiple of', rest(3, 3, 300), 6, false, [3, 15, 60]],
    ['a box that takes one amount only', rest(25, 25, 25), 6, false, [25]],
    ['no limits', null, 6, false, [1, 5, 25, 100, 500, 1_000]],
    ['cents', rest(0.05, 0.1, 10), 6, false, [0.1, 0.25, 0.5, 1, 5]],
  ])('%s', (_, limits, room, hasUnit, tray) => expect(dollars(limits, live, room, hasUnit)).toEqual(tray));

  it('has no chip for a box that is not on the layout', () => {
    const limits: TableLimits = { ...rest(5, 5, 100), boxes: [{ boxes: 'odd', min: 20_000, max: 5_000_000 }] };
    expect(live.boxes.some(({ box }) => box === 'odd')).toBe(false);
    expect(Math.max(...dollars(limits, live, 6))).toBeLessThanOrEqual(100);
  });

  it('bets every minimum exactly, whatever the limits, with whole units and nothing above every maximum (3.3)', () => {
    let seed = 19;
    const next = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
    const UNITS = [5, 10, 25, 50, 100, 200, 300, 500, 700, 1_000, 2_500, 10_000];
    for (let run = 0; run < 3_000; run += 1) {
      const unit = UNITS[next(UNITS.length)]!;
      const range = () => {
        const min = unit * (1 + next(next(2) ? 5 : 60));
        return { min, max: min + unit * next([1, 20, 1_000, 100_000][next(4)]!) };
      };
      const boxes = (['big', 'small', 'sum', 'triple', 'sum:4'] as const).slice(next(6)).map((boxes) => ({ boxes, ...range() }));
      const limits: TableLimits = { unit, boxes, rest: range() };
      const [room, hasUnit] = [6 + next(4), next(2) === 1];
      const tray = chips({ limits, boxes: boxesOf(live), room, hasUnit });
      const example = JSON.stringify({ limits, room, tray });
      const all = boxesOf(live).map((box) => limitOf(limits, box) as { min: number; max: number });
      const minima = new Set(all.map(({ min }) => min));
      expect(all.every(({ min }) => tray.includes(min)), example).toBe(true);
      expect(tray.every((chip) => chip % unit === 0 && chip > 0 && all.some(({ max }) => chip <= max)), example).toBe(true);
      expect(tray.length, example).toBeLessThanOrEqual(Math.max(room, minima.size + 1));
      expect(tray[0], example).toBe(hasUnit ? unit : Math.min(...minima));
      if (minima.size + 3 > room) continue;
      const highest = Math.max(...all.map(({ max }) => max));
      expect(highest / tray.at(-1)!, example).toBeLessThanOrEqual(5);
    }
  });
});

describe('the form of the limits', () => {
  const form = (change: Partial<LimitForm> = {}): LimitForm => ({ ...formOf(LIMITS, live), ...change });
  const line = (boxes: LimitForm['lines'][number]['boxes'], min: string, max: string) => ({ boxes, min, max });

  it('gives back what it was filled with, a Differential of 0 too', () => {
    expect(form().differential).toBe('0');
    expect(form().lines.at(-1)).toEqual(line('rest', '10', '1,000'));
    expect(readLimits(form(), live)).toEqual({ limits: LIMITS });
  });

  it('asks for the rest where some box has no limits', () => {
    const { lines } = formOf({ unit: 100, boxes: [{ boxes: 'big', min: 100, max: 200 }], differential: 0 }, live);
    expect(lines).toEqual([line('big', '1', '2'), line('rest', '', '')]);
  });

  it.each<[string, Partial<LimitForm>, unknown[]]>([
    ['a blank minimum', { lines: [line('big', '', '100')] }, [{ boxes: 'big', field: 'min', wrong: 'missing' }]],
    ['a blank maximum of the rest', { lines: [line('rest', '5', ' ')] }, [{ boxes: 'rest', field: 'max', wrong: 'missing' }]],
    ['something that is no amount', { lines: [line('big', '25', '1O0')] }, [{ boxes: 'big', field: 'max', wrong: 'not-amount' }]],
    ['a minimum of nothing', { lines: [line('big', '0', '100')] }, [{ boxes: 'big', field: 'min', wrong: 'below-unit' }]],
    ['an amount between units', { lines: [line('big', '27', '100')] }, [{ boxes: 'big', field: 'min', wrong: 'off-unit' }]],
    ['a maximum below the minimum', { lines: [line('big', '50', '25')] }, [{ boxes: 'big', field: 'max', wrong: 'below-minimum' }]],
    ['no Differential', { differential: '' }, [{ field: 'differential', wrong: 'missing' }]],
    ['no unit', { unit: '0' }, [{ field: 'unit', wrong: 'not-amount' }]],
  ])('tells of %s', (_, change, faults) => expect(readLimits(form(change), live)).toEqual({ faults }));

  it('has no Differential at terminals, and nothing but the unit in the early edition', () => {
    expect(readLimits(form({ differential: '' }), etg)).toMatchObject({ limits: { differential: null } });
    const early = formOf({ unit: 100, boxes: [] }, classic);
    expect([early.lines, readLimits(early, classic)]).toEqual([[], { limits: { unit: 100, boxes: [], rest: null, differential: null } }]);
  });
});
