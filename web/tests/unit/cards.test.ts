// What a seat's money becomes as cards, and how staff find a voucher.

import { describe, expect, it } from 'vitest';
import type { VoucherOnFile } from '../../src/protocol/messages';
import { cardsOf, type SeatMoney } from '../../src/state/cards';
import { isFound } from '../../src/state/vouchers';

const origin = { session: { cluster: { table: 1, number: 0 }, seat: 3, session: 7, reason: 'cash-out' as const } };
const voucher = { serial: 4, amount: 33_500, last_digits: 42, issued: 1, expires: 2, session: 7, state: 'good' as const };
const NONE: SeatMoney = { claims: [], paid: [], voucher: null, coming: 0 };

describe('cards', () => {
  it('are none without vouchers and claims', () => {
    expect(cardsOf(undefined, false)).toEqual([]);
    expect(cardsOf(NONE, false)).toEqual([]);
  });

  it.each([
    ['good', 'voucher'],
    ['play', 'voucher'],
    ['expired', 'voucher-over'],
    [{ void: { time: 1, claim: 2 } }, 'voucher-over'],
    [{ replaced: { time: 1, by: 5 } }, 'voucher-over'],
    [{ paid: { time: 1, at: { cage: 8 } } }, 'voucher-paid'],
  ] as const)('a voucher that is %j is a card of %s', (state, kind) => {
    const [card] = cardsOf({ ...NONE, voucher: { ...voucher, state } }, false);
    expect(card).toMatchObject({ kind, serial: 4, amount: 33_500, digits: '0042' });
  });

  it('a voucher whose number is on the screen has no card beside it', () => {
    expect(cardsOf({ ...NONE, voucher }, true)).toEqual([]);
  });

  it('claims, what was paid and what is on its way have one each', () => {
    const claim = { claim: 1, amount: 5, opened: 1, origin, is_taken: true, can_be_taken_back: false };
    expect(cardsOf({ ...NONE, claims: [claim], paid: [{ claim: 2, amount: 6, time: 1, origin }], coming: 7 }, false)).toEqual([
      { kind: 'coming', amount: 7 },
      { kind: 'paid', claim: 2, amount: 6 },
      { kind: 'claim', claim: 1, amount: 5, isTaken: true, canBeTakenBack: false },
    ]);
  });
});

describe('a voucher is found', () => {
  const on: VoucherOnFile = { serial: 11, amount: 33_500, last_digits: 21, issued: 1, expires: 2, is_confirmed: false, state: 'good', origin: { seat: { cluster: { table: 1, number: 0 }, seat: 3, session: 7 } } };
  it.each(['', '1/3', '0021', '…0021', '№11', '335', '335.00', '1/3 0021'])('by %j', (sought) => expect(isFound(on, sought)).toBe(true));
  it.each(['1/4', '21', '336', '1/3 9999'])('and not by %j', (sought) => expect(isFound(on, sought)).toBe(false));
  it('one of the cage has no terminal', () => expect(isFound({ ...on, origin: { cage: 8 } }, '1/3')).toBe(false));
});
