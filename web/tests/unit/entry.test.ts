// What the Dealer of a live table enters and takes off, and whom a round pays.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { BetView, LayoutView, PayLine, RoundSheet } from '../../src/protocol/messages';
import { lessTaken, movingOf, othersOf, takenOff, typedOn, type Entered } from '../../src/state/betEntry';
import { inChips, oddsOf, paidAtTable, payListOf, seatsPaid } from '../../src/state/payList';

const layout: LayoutView = JSON.parse(readFileSync(join(import.meta.dirname, '../../mock/layouts/tai-sai-A.json'), 'utf8'));
const bet = (box: BetView['box'], amount: number, chips: BetView['chips'] = 'own'): BetView => ({ box, amount, chips });
const entered = (seat: number, box: BetView['box'], amount: number, chips: BetView['chips'] = 'own'): Entered => ({ cluster: 0, seat, chips, stakes: [{ box, amount }] });

describe('what a touch takes off a box', () => {
  const bets = [bet('big', 7_500), bet('big', 2_000, 'colour'), bet('small', 500)];
  it.each<[string, Parameters<typeof takenOff>, [string, number][]]>([
    ['a chip', [bets, 'big', 2_500], [['own', 2_500]]],
    ['what is left where less lies there', [bets, 'small', 2_500], [['own', 500]]],
    ['own chips before Colour Chips', [bets, 'big', 8_000], [['own', 7_500], ['colour', 500]]],
    ['all of it', [bets, 'big', 'all'], [['own', 7_500], ['colour', 2_000]]],
    ['nothing where nothing lies', [bets, 'odd', 'all'], []],
  ])('%s', (_, [all, box, chip], off) => expect(takenOff(all, box, chip).map(({ chips, stakes }) => [chips, stakes[0]!.amount])).toEqual(off));
});

describe('what was entered', () => {
  const all = [entered(1, 'big', 2_500), entered(1, 'small', 500), entered(2, 'big', 2_500), entered(1, 'big', 1_000)];

  it('is less what was taken off, the latest first', () => {
    expect(lessTaken(all, entered(1, 'big', 1_500))).toEqual([entered(1, 'big', 2_000), entered(1, 'small', 500), entered(2, 'big', 2_500)]);
    expect(lessTaken(all, entered(1, 'big', 9_000))).toEqual([entered(1, 'small', 500), entered(2, 'big', 2_500)]);
    expect(lessTaken(all, entered(1, 'big', 1_000, 'colour'))).toEqual(all);
  });

  it('is on its way for its own seat only', () => {
    expect(movingOf([{ ...entered(1, 'big', 500), isPlaced: true }, { ...entered(2, 'big', 500), isPlaced: false }], { cluster: 0, seat: 2 })).toEqual([{ stakes: [{ box: 'big', amount: 500 }], isPlaced: false }]);
  });

  it('leaves to others what is not the seat’s own', () => {
    const totals = new Map([['big', 9_000], ['small', 500]] as const);
    expect([...othersOf(totals, [bet('big', 2_000), bet('big', 1_000), bet('small', 500)])]).toEqual([['big', 6_000]]);
  });

  it.each([['', '0', ''], ['', '3', '3'], ['3', '0', '30'], ['30', 'Backspace', '3'], ['3', 'x', '3'], ['1234567', '8', '1234567']])('%s and the key %s is %s', (typed, key, now) => expect(typedOn(typed, key)).toBe(now));
});

describe('whom a round pays', () => {
  const line = (seat: number, box: PayLine['box'], stake: number, pays: number, counted = stake): PayLine => ({ seat, box, chips: 'own', stake, counted, returned: stake - counted, pays, is_claim: false });

  it('pays beside the stakes of bets that won, and hands back what did not count (5.1.1)', () => {
    const lines = [line(4, 'small', 5_000, 0), line(2, 'big', 10_000, 16_000, 8_000), line(2, 'sum:9', 1_000, 0), line(3, 'small', 9_000, 0, 6_000)];
    expect(seatsPaid({ lines, ticked_off: [] }).map(({ lines, ...seat }) => ({ ...seat, lines: lines.map(({ box, pay }) => [box, pay]) }))).toMatchObject([
      { seat: 2, pay: 8_000, stakes: 8_000, returned: 2_000, lost: 1_000, lines: [['big', 8_000]] },
      { seat: 3, pay: 0, stakes: 0, returned: 3_000, lost: 6_000, lines: [['small', 0]] },
    ]);
  });

  it('hands everything back where it is void (5.12)', () => {
    expect(seatsPaid({ lines: [line(1, 'big', 5_000, 0, 0)], ticked_off: [] })).toMatchObject([{ seat: 1, pay: 0, returned: 5_000, lost: 0 }]);
  });

  it('is empty when all bets lost', () => expect(seatsPaid({ lines: [line(1, 'big', 5_000, 0)], ticked_off: [] })).toEqual([]));

  it('knows what was given before the round was corrected (3.9), and what is kept as a claim (5.3)', () => {
    const lines = [line(1, 'big', 5_000, 10_000), line(2, 'big', 5_000, 10_000), line(3, 'small', 5_000, 0), line(4, 'big', 5_000, 10_000), { ...line(5, 'big', 5_000, 10_000), is_claim: true }];
    const ticked_off = [{ seat: 2, given: 4_000, at_house: 0 }, { seat: 3, given: 10_000, at_house: -10_000 }, { seat: 4, given: 7_000, at_house: 3_000 }];
    expect(seatsPaid({ lines, ticked_off })).toMatchObject([
      { seat: 1, due: 10_000, given: null, left: 10_000, isDone: false },
      { seat: 2, due: 10_000, given: 4_000, left: 6_000, isDone: false },
      { seat: 3, due: 0, given: 10_000, atHouse: -10_000, left: 0, isDone: true },
      { seat: 4, due: 10_000, given: 7_000, atHouse: 3_000, left: 0, isDone: true },
      { seat: 5, due: 10_000, isClaim: true, left: 0, isDone: false },
    ]);
    expect(paidAtTable({ lines, ticked_off }).map(({ seat }) => seat)).toEqual([1, 2, 3, 4]);
  });

  const sheet = (change: Partial<RoundSheet['clusters'][number]>, past: NonNullable<RoundSheet['past']>) => {
    const of = (paid: number) => ({ lines: [{ seat: 1, box: 'big', chips: 'own', stake: 500, counted: 500, returned: 0, label: 'Big', odds: '1', profit: 500, paid, paragraphs: [] }], collected: 0, paid_out: 0 });
    const cluster = { cluster: 0, block: 1, entry: 1, time: 0, totals: {}, movements: [], changes: [], stakes: [{ seat: 1, box: 'big', amount: 500 }], sheet: of(1_000), now: of(0), ...change };
    return { round: 7, clusters: [cluster] as RoundSheet['clusters'], past };
  };
  const stands = { dice: [4, 5, 6], void: null, dice_set: 1, tumbler: 1 };

  it('is found again in the record: as it was settled, as it was corrected, and void', () => {
    const changes = [{ block: 2, entry: 1, time: 0, movements: [] }] as RoundSheet['clusters'][number]['changes'];
    expect(payListOf(sheet({}, stands))).toMatchObject({ round: 7, dice: [4, 5, 6], lines: [{ seat: 1, box: 'big', stake: 500, pays: 1_000 }] });
    expect(payListOf(sheet({ changes }, stands)).lines).toMatchObject([{ pays: 0, counted: 500 }]);
    expect(payListOf(sheet({ sheet: null, now: null }, { ...stands, void: 'not-flat' }))).toMatchObject({ dice: null, lines: [{ returned: 500, counted: 0, pays: 0 }] });
  });

  it.each<[number, number[], [number, number][], number]>([
    [47_500, [500, 2_500, 10_000, 50_000], [[10_000, 4], [2_500, 3]], 0],
    [300, [500, 100], [[100, 3]], 0],
    [1_250, [500, 1_000], [[1_000, 1]], 250],
    [0, [500], [], 0],
  ])('counts %i out in chips', (amount, chips, counted, left) => expect(inChips(amount, chips)).toEqual({ counted: counted.map(([chip, count]) => ({ chip, count })), left }));

  it('names the odds that are printed, of a single dice box those for its dice', () => {
    expect([oddsOf(layout, 'big', [4, 5, 6]), oddsOf(layout, 'single:5', [4, 5, 6]), oddsOf(layout, 'single:5', [5, 5, 6]), oddsOf(layout, 'single:5', [5, 5, 5]), oddsOf(layout, 'sum:9', [4, 4, 1])]).toEqual(['1', '1', '2', '12', '7']);
  });
});
