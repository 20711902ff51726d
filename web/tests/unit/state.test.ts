import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Clock, dayAndTime, length, secondsLeft, timeOfDay } from '../../src/state/clock';
import { limitOf } from '../../src/state/limits';
import type { TableLimits, VoidReason } from '../../src/protocol/messages';
import { brief, money, signed } from '../../src/state/money';
import { outcomeOf } from '../../src/state/outcome';
import { counts, marks, road } from '../../src/state/roads';

describe('money', () => {
  it.each([
    [0, '0.00'],
    [5, '0.05'],
    [123_456_789, '1,234,567.89'],
    [-2_500, '−25.00'],
  ])('%i is %s', (cents, text) => expect(money(cents)).toBe(text));

  it('is short where it is whole', () => {
    expect([money(2_500, true), money(2_550, true), signed(100), signed(-100), signed(0)]).toEqual(['25', '25.50', '+1.00', '−1.00', '0.00']);
  });

  it.each([
    [100, '1'], [50_000, '500'], [100_000, '1k'], [150_000, '1.5k'], [123_400, '1234'], [123_450, '1234.50'], [100_000_000, '1M'], [50, '0.50'],
  ])('%i on a chip is %s', (cents, text) => expect(brief(cents)).toBe(text));
});

describe('time', () => {
  it('is the server\'s, whatever the browser\'s clock says', () => {
    let here = 1_000;
    const clock = new Clock(() => here);
    clock.sync(50_000);
    here += 250;
    expect(clock.time()).toBe(50_250);
  });

  it('goes on evenly when the browser\'s clock is set', () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const clock = new Clock();
    clock.sync(50_000);
    vi.setSystemTime(Date.now() + 3_600_000);
    expect(clock.time()).toBeLessThan(60_000);
  });

  it('is shown in the casino\'s zone', () => {
    const time = Date.UTC(2026, 0, 31, 16, 5);
    expect([timeOfDay(time, 'Asia/Singapore'), dayAndTime(time, 'Asia/Singapore')]).toEqual(['00:05', '2026-02-01 00:05']);
    expect([length(59_000), length(3_660_000), length(-5)]).toEqual(['0:00', '1:01', '0:00']);
  });

  it('is counted down to zero and not below', () => {
    expect([secondsLeft(10_000, 0), secondsLeft(10_000, 9_001), secondsLeft(10_000, 10_000), secondsLeft(10_000, 99_000), secondsLeft(null, 0)]).toEqual([10, 1, 0, 0, null]);
  });
});

describe('limits', () => {
  const limits: TableLimits = { unit: 100, boxes: [{ boxes: 'sum', min: 500, max: 9_000 }, { boxes: 'sum:4', min: 1_000, max: null }, { boxes: 'big', min: 2_500, max: 100_000 }], differential: null };

  it('are the box\'s own before its kind\'s', () => {
    expect(limitOf(limits, 'sum:4')).toEqual({ min: 1_000, max: null });
    expect(limitOf(limits, 'sum:5')).toEqual({ min: 500, max: 9_000 });
    expect(limitOf(limits, 'odd')).toEqual({ min: null, max: null });
    expect(limitOf(null, 'odd')).toEqual({ min: null, max: null });
  });
});

describe('the outcome of a round for a player', () => {
  const line = (staked: number, paid: number, counted = staked) => ({ box: 'big' as const, staked, counted, paid });
  const came = (lines: ReturnType<typeof line>[], reason: VoidReason | null = null) => outcomeOf({ round: 1, dice: null, void: reason, lines, paid: lines.reduce((sum, { paid }) => sum + paid, 0) });

  it.each([
    ['less paid than staked is no win', came([line(3_000, 6_000), line(6_000, 0)]), { counted: 9_000, returned: 0, paid: 6_000, net: -3_000 }],
    ['as much paid as staked is none either', came([line(3_000, 6_000), line(3_000, 0)]), { counted: 6_000, returned: 0, paid: 6_000, net: 0 }],
    ['more is, without the stakes', came([line(9_000, 18_000), line(1_000, 0)]), { counted: 10_000, returned: 0, paid: 18_000, net: 8_000 }],
    ['what was returned of a stake is apart from it (5.1.1)', came([line(9_000, 12_000, 6_000)]), { counted: 6_000, returned: 3_000, paid: 12_000, net: 6_000 }],
    ['a void round comes to nothing (5.12)', came([line(9_000, 0)], 'not-flat'), { counted: 0, returned: 9_000, paid: 0, net: 0 }],
  ])('%s', (_, outcome, expected) => expect(outcome).toEqual(expected));
});

describe('roads', () => {
  const result = (round: number, ...dice: number[]) => ({ round, dice });

  it('mark the oldest first, and leave void rounds out', () => {
    const results = [result(4, 3, 3, 3), { round: 3, dice: null, void: 'not-flat' as const }, result(2, 6, 5, 1), result(1, 1, 2, 3)];
    expect(marks(results).map(({ side, sum }) => [side, sum])).toEqual([['small', 6], ['big', 12], ['triple', 9]]);
  });

  it('begin a column when the side changes, and turn where it is full', () => {
    const results = [...Array.from({ length: 8 }, (_, at) => result(at + 1, 6, 5, 1)), result(9, 1, 2, 3)].reverse();
    expect(road(results, 6).map(({ column, row }) => [column, row])).toEqual([[0, 0], [0, 1], [0, 2], [0, 3], [0, 4], [0, 5], [1, 5], [2, 5], [1, 0]]);
  });

  it('turn where a column meets another, and stay turned', () => {
    const big = (count: number) => Array.from({ length: count }, () => [6, 5, 1]);
    const small = (count: number) => Array.from({ length: count }, () => [1, 2, 3]);
    const results = [...big(5), ...small(5)].map((dice, at) => result(at + 1, ...dice)).reverse();
    expect(road(results, 3).map(({ column, row }) => `${column}.${row}`)).toEqual(['0.0', '0.1', '0.2', '1.2', '2.2', '1.0', '1.1', '2.1', '3.1', '4.1']);
  });

  it('count sides, faces and sums', () => {
    const counted = counts([result(2, 1, 1, 1), result(1, 1, 2, 6)]);
    expect([counted.of, counted.sides, counted.faces[1], counted.sums[9], counted.sums[3]]).toEqual([2, { big: 0, small: 1, triple: 1 }, 4, 1, 1]);
  });
});
