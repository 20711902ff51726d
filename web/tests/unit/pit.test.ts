// The pit: parts of the House that follow each other, acts that are read before they are approved, and alerts.

import { describe, expect, it } from 'vitest';
import type { ApprovalOnFile } from '../../src/protocol/messages';
import { carried, ownOf, read, rightOf, standOf, toAnswer, type ApprovableAct } from '../../src/state/acts';
import { alertOf, parted } from '../../src/state/alerts';
import { cents, centsOrZero } from '../../src/state/figures';
import { voucherOf } from '../../src/protocol/issued';
import { detailOf, originOf, stateOf } from '../../src/state/vouchers';
import { HouseFeed, type HouseFeedView } from '../../src/state/houseFeed';

describe('the parts of the House', () => {
  const begin = () => {
    const seen: { view: HouseFeedView | null; again: number } = { view: null, again: 0 };
    const feed = new HouseFeed({ resync: () => (seen.again += 1), show: (view) => (seen.view = view) });
    feed.receive({ snapshot: { parts: { claims: { number: 3, all: [] }, events: { number: 9, all: [] } } } });
    return { feed, seen };
  };

  it('take the place of those before', () => {
    const { feed, seen } = begin();
    feed.receive({ parts: { claims: { number: 4, all: [{ id: 1 }] } } });
    expect(seen.view?.parts.claims?.all).toHaveLength(1);
    expect(seen.view?.parts.events?.number).toBe(9);
  });

  it('ask for a new snapshot when one is missing', () => {
    const { feed, seen } = begin();
    feed.receive({ parts: { events: { number: 11, all: [] } } });
    expect(seen.again).toBe(1);
  });
});

describe('an act to approve', () => {
  const correct: ApprovableAct = { table: { table: 4, round: { correct: { round: 71, dice: [2, 4, 6], why: 'misread', second: null } } } };

  it('is read from its JSON, without the second person', () => {
    expect(read(JSON.stringify(correct))).toEqual({ name: 'correct', table: 4, fields: { round: 71, dice: [2, 4, 6], why: 'misread' } });
    expect(read('{"house":{"enrol":{"device":7,"kind":"tumbler","second":null}}}')).toEqual({ name: 'enrol', table: null, fields: { device: 7, kind: 'tumbler' } });
    expect(read('{"code":{"device":7}}')).toEqual({ name: 'code', table: null, fields: { device: 7 } });
    expect(read('no act')).toBeNull();
  });

  it('needs its own right', () => {
    expect(rightOf(correct)).toBe('correct');
    expect(rightOf({ code: { device: 7 } })).toBe('manage-devices');
    expect(() => rightOf({ house: 'tick' })).toThrow();
  });

  it('is carried out as it was approved, save what holds a voucher’s hash', () => {
    expect(carried(JSON.stringify(correct))).toEqual(correct);
    expect(carried('{"sale":{"amount":900000}}')).toEqual({ house: { sell: { amount: 900_000 } } });
    expect(carried('{"reissue":{"serial":4}}')).toEqual({ house: { reissue: { serial: 4 } } });
    expect(carried('{"house":{"void-voucher":{"hash":[1],"why":"x","second":null}}}')).toBeNull();
    expect(carried('{"house":{"void-voucher":{"hash":[1],"why":"x","second":null}}}', '123456789012345678')).toEqual({ house: { void: { number: '123456789012345678', why: 'x' } } });
  });

  it('waits for someone else', () => {
    const of = (id: number, by: number, answer: ApprovalOnFile['answer']): ApprovalOnFile => ({ id, by, answer, act: 'correct', asked: 1, what: '' });
    const all = [of(1, 3, 'waiting'), of(2, 5, 'waiting'), of(3, 3, { approved: 5 }), { ...of(4, 3, { approved: 5 }), used: { source: 1, sequence: 2 } }];
    expect(toAnswer(all, 3).map(({ id }) => id)).toEqual([2]);
    expect(ownOf(all, 3).map((one) => [one.id, standOf(one)])).toEqual([[1, 'waiting'], [3, 'approved']]);
  });
});

describe('an alert', () => {
  it('says what and where', () => {
    const cluster = { table: 2, number: 0 };
    expect(alertOf({ number: 4, time: 9, who: 'system', what: { reported: { 'large-win': { cluster, seat: 3, amount: 900 } } } })).toMatchObject({ kind: 'large-win', table: 2, seat: 3, amount: 900, isUrgent: true });
    const over = { box: 'big' as const, counted: 70_000, opposite_counted: 30_000, differential: 20_000 };
    expect(alertOf({ number: 4, time: 9, who: 'system', what: { reported: { 'over-differential': { table: 2, round: 7, over } } } })).toMatchObject({ kind: 'over-differential', table: 2, round: 7, over, isUrgent: true });
    expect(alertOf({ number: 4, time: 9, who: 'system', what: { 'login-locked': 22 } })).toMatchObject({ kind: 'login-locked', person: 22 });
    expect(alertOf({ number: 4, time: 9, who: 'system', what: { reported: 'store-problem' } })).toMatchObject({ kind: 'store-problem' });
    expect(alertOf({ number: 4, time: 9, who: 'system', what: 'configured' })).toMatchObject({ kind: 'configured', isUrgent: false });
  });

  it('sinks when acknowledged, the latest one least', () => {
    const events = [5, 4, 3, 2, 1].map((number) => ({ number, time: 1, who: 'system' as const, what: 'configured' as const, acknowledged: { 4: { by: 5, time: 7 }, 2: { by: 3, time: 9 } }[number] ?? null }));
    const { waiting, seen } = parted(events);
    expect(waiting.map(({ number }) => number)).toEqual([5, 3, 1]);
    expect(seen.map(({ number, acknowledged }) => [number, acknowledged?.by])).toEqual([[2, 3], [4, 5]]);
    expect(parted([{ number: 1, time: 1, who: 'system', what: 'configured' }]).waiting).toHaveLength(1);
  });

  it('stands above what is newer where it is urgent', () => {
    const events = [{ number: 1, time: 1, who: 'system' as const, what: { reported: 'store-problem' as const } }, { number: 2, time: 2, who: 'system' as const, what: 'configured' as const }];
    expect(parted(events).waiting.map(({ number }) => number)).toEqual([1, 2]);
  });

  it('stays open while a person is locked out, acknowledged or not (F45)', () => {
    const [locked, other] = [{ person: 8 }, { person: 9 }];
    const lock = { number: 1, time: 1, who: 'system' as const, what: { 'redemption-locked': locked }, acknowledged: { by: 3, time: 2 } };
    const cleared = (number: number, whose: typeof locked) => ({ number, time: 3, who: 'system' as const, what: { 'redemption-unlocked': whose } });
    const found = (...events: Parameters<typeof parted>[0][number][]) => parted([lock, ...events]).waiting.filter(({ number }) => number === 1).map(({ redeemer }) => redeemer);
    expect(found()).toEqual([locked]);
    expect(found(cleared(2, other), cleared(0, locked))).toEqual([locked]);
    expect(found(cleared(2, locked))).toEqual([]);
    expect(parted([{ ...lock, acknowledged: null }, cleared(2, locked)]).waiting.find(({ number }) => number === 1)?.redeemer).toBeNull();
  });
});

it.each([['', null], [' ', null], ['50', 5_000], ['10O', null], ['0', 0], ['1.234', null]])('a limit typed as “%s” is %s cents', (text, amount) => expect(centsOrZero(text)).toBe(amount));
it.each([['12', 1_200], ['1,234.5', 123_450], ['0.05', 5], ['0', null], ['-3', null], ['1.234', null], ['x', null], ['10,50', null], ['1,234,567', 123_456_700], ['12,34,567', null], ['10O', null]])('an amount typed as %s', (text, amount) => expect(cents(text)).toBe(amount));

describe('vouchers and claims', () => {
  it('tell where a claim comes from', () => {
    const cluster = { table: 2, number: 0 };
    expect(originOf({ id: 1, amount: 5, gross: 5, opened: 1, origin: { session: { cluster, seat: 3, session: 7, reason: { correction: 70 } } } })).toEqual({ word: 'correction', table: 2, group: 0, seat: 3, round: 70 });
    expect(originOf({ id: 1, amount: 5, gross: 5, opened: 1, origin: { session: { cluster, seat: 3, session: 7, reason: 'cash-out' } } })).toMatchObject({ word: 'cash-out', round: null });
    expect(originOf({ id: 1, amount: 5, gross: 5, opened: 1, origin: { returned: { cluster, seat: 3 } } })).toMatchObject({ word: 'returned', seat: 3 });
    expect(originOf({ id: 1, amount: 5, gross: 5, opened: 1, origin: { 'void-voucher': [1] } })).toMatchObject({ word: 'void-voucher', table: null });
  });

  it('tell how a refused one stands (F41)', () => {
    const on_file = { digits: '0411', amount: 5, issued: 1, expires: 2, stands: { paid: { time: 3, at: { cage: 8 } } } };
    expect(detailOf(on_file)).toEqual(on_file);
    expect(detailOf(null)).toBeNull();
    expect(detailOf({ else: 1 })).toBeNull();
    expect(stateOf({ amount: 1, issued: 1, expires: 2, last_digits: 4, serial: 1, is_confirmed: true, origin: { cage: 8 }, state: { paid: { time: 3, at: { cage: 8 } } } })).toBe('paid');
  });

  it('are printed where one was issued, and not where a claim was made instead (F43)', () => {
    expect(voucherOf({ claim: { claim: 4, amount: 5 } })).toBeNull();
    expect(voucherOf({ 'play-money': {} })).toBeNull();
    expect(voucherOf({ voucher: { voucher: { amount: 5 } as never, page: '<p>' } })).toEqual({ amount: 5, page: '<p>' });
  });
});
