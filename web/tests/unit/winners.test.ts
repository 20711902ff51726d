// What the Dealer of a table that registers winners is led through, and what a second person reads of it.

import { describe, expect, it } from 'vitest';
import type { ApprovalOnFile, Box, PublicView, RegisteringBox } from '../../src/protocol/messages';
import { rightOf, read } from '../../src/state/acts';
import { nextStep } from '../../src/state/console';
import { isEntered, ledThrough, missing, nextBox, waitingOf, wantedOn } from '../../src/state/winners';
import { words as en } from '../../src/words/en';
import { spelled } from '../../src/words/spelled';
import { words as staffEn } from '../../src/words/staff/en';

const wins = (box: Box, registered = 0, more: Partial<RegisteringBox> = {}): RegisteringBox => ({ box, wins: true, asked_for: 'stakes', registered, told: null, cap: 50_000, ...more });
const loses = (box: Box, more: Partial<RegisteringBox> = {}): RegisteringBox => ({ box, wins: false, asked_for: null, registered: 0, told: null, cap: 50_000, ...more });

describe('winners being registered', () => {
  it('are entered in the order of the felt, then losing boxes that need a total', () => {
    const boxes = [loses('small', { asked_for: 'total' }), wins('big'), wins('sum:14'), loses('sum:9', { told: 60_000, asked_for: 'stakes' })];
    expect(ledThrough({ boxes }).map(({ box }) => box)).toEqual(['big', 'sum:14', 'small', 'sum:9']);
    expect(missing({ boxes }).map(({ box }) => box)).toEqual(['small', 'sum:9']);
  });

  it('that wait for a second person are those of the table, however they were answered', () => {
    const command = { register: { seat: 6, stakes: [{ box: 'big', amount: 1_200_000 }] } };
    const approval = (id: number, what: unknown, answer: ApprovalOnFile['answer'] = 'waiting') => ({ id, act: 'large-registration', what: JSON.stringify(what), by: 1, asked: 0, answer }) as ApprovalOnFile;
    const at = (table: number) => ({ cluster: { table, number: 0, command } });
    const own = [approval(1, at(7)), approval(2, at(8)), approval(3, { house: 'x' }), approval(4, { cluster: { table: 7, number: 0, command: 'reject-excess' } }), approval(5, at(7), { refused: 3 })];
    expect(waitingOf(own, 7).map(({ approval, stand, seat, box, amount }) => [approval, stand, seat, box, amount])).toEqual([[1, 'waiting', 6, 'big', 1_200_000], [5, 'refused', 6, 'big', 1_200_000]]);
  });

  it.each<[string, RegisteringBox | undefined, ReturnType<typeof wantedOn>]>([
    ['a box that wins', wins('big'), 'stakes'],
    ['a box that loses and nobody has told of', undefined, 'total'],
    ['a box whose total the Differential needs', loses('small', { asked_for: 'total' }), 'total'],
    ['a box within its maximum', loses('sum:9', { told: 40_000 }), 'total'],
    ['a box over its maximum (5.1.1)', loses('sum:9', { told: 60_000, asked_for: 'stakes' }), 'stakes'],
    ['the same when all of it is registered', loses('sum:9', { told: 60_000, registered: 60_000 }), 'stakes'],
  ])('%s', (_, of, wanted) => expect(wantedOn(of)).toBe(wanted));

  it.each<[string, RegisteringBox, boolean]>([
    ['nothing of a box that wins', wins('big'), false],
    ['something of it', wins('big', 500), true],
    ['less than was told of it', wins('big', 500, { told: 900 }), false],
    ['a total that is asked for', loses('small', { asked_for: 'total' }), false],
    ['a total that was told', loses('small', { told: 0 }), true],
  ])('know whether it is entered: %s', (_, of, is) => expect(isEntered(of)).toBe(is));

  it('go on with the next box that lacks something, round the felt, and else with the next one', () => {
    const led = [wins('big', 500), wins('single:4'), wins('sum:14', 500), wins('double:4')];
    expect(['big', 'single:4', 'double:4', 'sum:9'].map((box) => nextBox(led, box as Box))).toEqual(['single:4', 'double:4', 'single:4', 'single:4']);
    expect(nextBox([wins('big', 500), wins('sum:14', 500)], 'big')).toBe('sum:14');
    expect(nextBox([wins('big')], 'big')).toBe('big');
    expect(nextBox([], null)).toBe(null);
  });

  it('are settled by the Dealer only', () => {
    const table = { phase: 'result', is_registering: true, dealer: 21 } as PublicView;
    const stepFor = (person: number, change: Partial<PublicView> = {}) => nextStep({ is_covered: true, has_limits: true }, { table: { ...table, ...change }, announcedIn: null }, { person, roles: ['dealer'] } as never, []);
    expect(stepFor(21)).toEqual({ name: 'all-registered', isMine: true });
    expect(stepFor(22)).toEqual({ name: 'all-registered', isMine: false });
    expect(stepFor(21, { is_registering: false }).name).toBe('wait');
  });
});

describe('what a second person reads', () => {
  const stake = { box: 'big' as Box, amount: 1_200_000 };
  const of = (command: object) => ({ cluster: { table: 5, number: 0, command } }) as Parameters<typeof rightOf>[0];
  const text = (command: object) => spelled(read(JSON.stringify(of(command))), staffEn, en, (_, box) => (box === 'big' ? 'Big' : undefined));
  it.each<[object, string, string]>([
    [{ register: { seat: 3, stakes: [stake], second: null } }, 'large-registration', 'Table 5, seat 3: register 12,000.00 on Big.'],
    [{ 'register-from-film': { round: 8, seat: 3, player: 'red coat', stake, second: null } }, 'correct', 'Table 5, round 8, seat 3 (red coat): register 12,000.00 on Big from the film.'],
    [{ 'withdraw-from-film': { round: 8, line: 2, second: null } }, 'correct', 'Table 5, round 8: remove line 2 from the film registration.'],
    [{ 'close-returns': { round: 8, second: null } }, 'correct', 'Table 5, round 8: close the returns; all bets from the film are registered. Amounts owed become claims.'],
  ])('%j', (command, right, read) => {
    expect(rightOf(of(command))).toBe(right);
    expect(text(command)).toBe(read);
  });
  it.each<[object, string]>([
    [{ 'chip-reader': { cluster: { table: 5, number: 0 } } }, 'Chip reader, table 5'],
    [{ 'note-acceptor': { cluster: { table: 1, number: 2 }, seat: 3 } }, 'Note acceptor, table 1, group 2, seat 3'],
  ])('enrols %j', (kind, named) => {
    expect(spelled(read(JSON.stringify({ house: { enrol: { device: 901, kind } } })), staffEn, en, () => undefined)).toBe(staffEn.pit.spelled.enrol(901, named));
  });
});
