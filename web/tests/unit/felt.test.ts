import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ems } from '../../src/felt/fit';
import { placed, Print } from '../../src/felt/print';
import { shownOdds } from '../../src/felt/phrases';
import { isWay, towards, type Way } from '../../src/felt/walk';
import type { LayoutView } from '../../src/protocol/messages';

const FOLDER = join(import.meta.dirname, '../../mock/layouts');
const layouts = readdirSync(FOLDER).map((name): LayoutView => JSON.parse(readFileSync(join(FOLDER, name), 'utf8')));
const cases = layouts.map((layout) => [`${layout.game} ${layout.layout}`, layout] as const);

describe.each(cases)('the felt of %s', (_, layout) => {
  const print = new Print(layout);

  it('has something in every area, and nothing spills', () => {
    for (const area of layout.areas) {
      const { at, drawn } = print.area(area);
      expect(drawn.length, area.box).toBeGreaterThan(0);
      for (const one of drawn) {
        if ('die' in one) {
          expect(one.side, area.box).toBeGreaterThan(10);
          expect(one.x >= at.x && one.y >= at.y && one.x + one.side <= at.x + at.width && one.y + one.side <= at.y + at.height, area.box).toBe(true);
        } else {
          const half = (ems(one.text) * one.size) / 2;
          expect(one.size, `${area.box} ${one.text}`).toBeGreaterThan(9);
          expect(one.x - half >= at.x && one.x + half <= at.x + at.width && one.y <= at.y + at.height && one.y - one.size * 0.8 >= at.y, `${area.box} ${one.text}`).toBe(true);
        }
      }
    }
  });

  it('prints boxes with dice as pips', () => {
    for (const area of layout.areas.filter(({ box }) => /^(single|domino|double|any-triple|triple|three|pair)/.test(box))) {
      expect(print.area(area).drawn.some((one) => 'die' in one), area.box).toBe(true);
    }
  });

  it('can be walked with the arrow keys from any area to every other', () => {
    const areas = layout.areas.map(placed);
    const ways: Way[] = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'];
    const nexts = areas.map((_, at) => ways.map((way) => towards(areas, at, way)));
    const from = (start: number) => {
      const seen = new Set([start]);
      const open = [start];
      for (let at = open.pop(); at !== undefined; at = open.pop()) {
        for (const next of nexts[at]!) {
          if (!seen.has(next)) {
            seen.add(next);
            open.push(next);
          }
        }
      }
      return seen;
    };
    for (const [start, { box }] of layout.areas.entries()) {
      const seen = from(start);
      expect(layout.areas.filter((_, at) => !seen.has(at)).map(({ box }) => box), `from ${box}`).toEqual([]);
    }
  });
});

describe('odds', () => {
  it.each([['1', '1'], ['17/2', '8½'], ['1/2', '½'], ['29/4', '7¼'], ['19/20', '0.95']])('%s is printed %s', (odds, text) => expect(shownOdds(odds)).toBe(text));
});

it('arrow keys and no others lead somewhere', () => expect([isWay('ArrowUp'), isWay('Enter')]).toEqual([true, false]));
