// What a player is told of late corrections and voids: both figures of a set-off, until it is read; and the void that all are told of.

import { describe, expect, it } from 'vitest';
import type { HouseView, ResultView, VoidReason } from '../../src/protocol/messages';
import { withSetOffs, unreadOf, type Change, type Message } from '../../src/state/changes';
import { lawOf } from '../../src/state/cited';
import { latestVoid } from '../../src/state/voids';
import { seat } from './given';
import { setup } from './seated';

const change = (round: number, amount: number, at_once: number, more: Partial<Change> = {}): Change => ({ round, dice: [1, 2, 3], void: null, amount, at_once, is_waived: false, ...more });

const message = (number: number, changed: Change | null, is_read = false): Message => ({ number, is_read, credits: 500, ...(changed ? { changed } : { reversed: { receipt: 3, amount: 700 } }) });

describe('changes of a session', () => {
  it('set off what is owed, the oldest round first, and tell what is left', () => {
    const changes = withSetOffs([change(5, -8_000, -5_000), change(6, -1_000, 0), change(7, 3_500, 0), change(8, 2_000, 1_500)]);
    expect(changes.map(({ round, setOff, left }) => [round, setOff, left])).toEqual([
      [5, [], 3_000],
      [6, [], 4_000],
      [7, [{ round: 5, amount: 3_000 }, { round: 6, amount: 500 }], 500],
      [8, [{ round: 6, amount: 500 }], 0],
    ]);
  });

  it('stay until the server knows that they were read, and read ones count in set-offs', () => {
    const messages = [message(1, change(5, -8_000, -5_000), true), message(2, null), message(3, change(6, 3_500, 500))];
    expect(unreadOf(messages).map(({ number, changed }) => [number, changed?.setOff ?? null])).toEqual([
      [2, null],
      [3, [{ round: 5, amount: 3_000 }]],
    ]);
    expect(unreadOf(messages.map((one) => ({ ...one, is_read: true })))).toEqual([]);
  });

  it('stay with the seat until others come, or another player', () => {
    const { around, terminal } = setup(undefined, seat({ messages: [message(1, change(5, 500, 500))] }));
    terminal.receive({ answers: [], seat: seat({ number: 1, credits: 1 }) });
    expect(around.view?.seat?.messages).toHaveLength(1);
    terminal.receive({ answers: [], seat: seat({ number: 2, session: 9 }) });
    expect(around.view?.seat?.messages).toBeUndefined();
  });
});

describe('the void to announce (F82)', () => {
  const result = (round: number, reason: VoidReason | null): ResultView => ({ round, dice: reason ? null : [1, 2, 3], void: reason });

  it.each<[string, ResultView | null, ResultView[], unknown]>([
    ['none', result(9, null), [result(9, null), result(8, 'ruling')], null],
    ['that of the last round, from a snapshot', null, [result(9, 'not-flat'), result(8, null)], { from: 9, to: 9, reason: 'not-flat' }],
    ['that of an earlier round', result(7, 'malfunction'), [result(9, null), result(8, null), result(7, 'malfunction')], { from: 7, to: 7, reason: 'malfunction' }],
    ['those of damaged dice', result(8, 'damaged-dice'), [result(9, null), result(8, 'damaged-dice'), result(7, 'damaged-dice'), result(6, 'ruling')], { from: 7, to: 8, reason: 'damaged-dice' }],
  ])('is %s', (_, latest, results, voided) => expect(latestVoid({ latest, results })).toEqual(voided));

  it('cites the law where no paragraph voids it (F80)', () => {
    const law: HouseView['law'] = { takes_back: true, notice: '', malfunction: 'Act 1', force_majeure: 'Act 2', suspected_offence: 'Act 3' };
    expect((['malfunction', 'force-majeure', 'suspected-offence', 'not-flat', 'ruling'] as const).map((reason) => lawOf(law, reason))).toEqual(['Act 1', 'Act 2', 'Act 3', null, null]);
  });
});
