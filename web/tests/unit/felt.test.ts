import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { figureOf } from '../../src/felt/figures';
import { ems } from '../../src/felt/fit';
import { placed, Print } from '../../src/felt/print';
import { shownOdds } from '../../src/felt/odds';
import { isWay, towards, type Way } from '../../src/felt/walk';
import { laidOn, named } from '../../src/parts/laid';
import type { LayoutView } from '../../src/protocol/messages';
import { brief } from '../../src/state/money';
import { words } from '../../src/words/en';

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

  it('says every word that the layout prints, and no other', () => {
    const drawnWords = ({ drawn }: { drawn: ReturnType<Print['area']>['drawn'] }) => drawn.flatMap((one) => ('text' in one ? one.text.split(/[ \u2003]/) : [])).sort();
    const words = (texts: string[]) => texts.flatMap((text) => text.split(' ')).sort();
    for (const area of layout.areas) {
      const { printed } = layout.boxes.find(({ box }) => box === area.box)!;
      expect(drawnWords(print.area(area)), area.box).toEqual(words(printed.map(({ text }) => text)));
    }
    for (const caption of layout.captions) {
      const printed = print.caption(caption);
      expect(drawnWords(printed), caption.of.join()).toEqual(words(caption.words));
      const [along, across] = printed.turn === 0 ? [printed.at.width, printed.at.height] : [printed.at.height, printed.at.width];
      const lines = printed.drawn.flatMap((one) => ('text' in one ? [one] : []));
      expect(Math.max(...lines.map(({ text, size }) => ems(text) * size)), caption.of.join()).toBeLessThanOrEqual(along);
      expect(lines.reduce((sum, { size }) => sum + size, 0), caption.of.join()).toBeLessThanOrEqual(across);
      expect(Math.min(...lines.map(({ size }) => size)), caption.of.join()).toBeGreaterThan(15);
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

describe('the figures of chips', () => {
  it('have strokes for every letter that an amount is written with', () => {
    for (const cents of [1, 50, 100, 12_345, 99_900, 100_000, 150_000, 123_456_700, 100_000_000, 250_000_000]) expect(figureOf(`+${brief(cents)}`), String(cents)).toMatch(/^M-/);
    expect(new Set([...'0123456789.kM+'].map(figureOf)).size).toBe(14);
  });

  it('stand about their middle', () => {
    expect(figureOf('1').match(/M-?[\d.]+ 0/g)).toEqual(['M-28.5 0']);
    expect(figureOf('111').match(/M-?[\d.]+ 0/g)).toEqual(['M-85.5 0', 'M-28.5 0', 'M28.5 0']);
  });
});

describe('what is laid on an area', () => {
  const at = { x: 0, y: 0, width: 100, height: 100 };
  const nothing = { lies: undefined, isWon: false, paid: undefined, back: undefined };
  const lies = (registered: number, pending = 0, withdrawing = 0) => ({ ...nothing, lies: { registered, pending, withdrawing } });

  it('keeps its object when nothing changed', () => {
    const state = lies(500);
    const before = laidOn(at, state, undefined);
    expect(laidOn(at, { ...state }, before)).toBe(before);
    expect(laidOn({ ...at }, state, before)).not.toBe(before);
  });

  it('has the same beside it when only its pile changes', () => {
    const [before, now] = [laidOn(at, lies(500), undefined), laidOn(at, lies(1_000), undefined)];
    expect(now.pile).not.toEqual(before.pile);
    expect(now.beside).toBe(before.beside);
  });

  it.each([
    ['nothing', nothing, undefined, false, undefined],
    ['registered', lies(500), 'registered', true, undefined],
    ['on its way there', lies(0, 500), undefined, false, 'pending'],
    ['registered, and more on its way', lies(500, 100), 'registered', true, 'pending'],
    ['on its way back in part', lies(500, 0, 100), 'registered', true, undefined],
    ['on its way back', lies(500, 0, 500), 'withdrawing', true, undefined],
  ] as const)('%s', (_, state, look, hasPile, pending) => {
    const { pile, beside } = laidOn(at, state, undefined);
    expect([pile?.look, beside.hasPile, beside.pending?.pile.look]).toEqual([look, hasPile, pending]);
  });

  it('is part of the name of its area', () => {
    const state = { lies: { registered: 150_000, pending: 500, withdrawing: 0 }, isWon: true, paid: 2_000, back: undefined };
    expect(named('Big', nothing, words)).toBe('Big');
    expect(named('Big', state, words)).toBe(['Big', words.lies('1,500.00'), words.waits('5.00'), words.hasWon, words.paid('20.00')].join(', '));
  });
});
