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
    expect(chips(rest, 9)).toEqual([1_000, 2_500, 5_000, 10_000, 50_000, 100_000, 500_000, 1_000_000]);
    expect([range(rest), chips(rest)[0], firstChip(LIMITS)]).toEqual([{ min: 1_000, max: 100_000 }, 1_000, 2_500]);
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
