// What a player is told of late corrections and voids: both figures of a set-off, until it is read; and the void that all are told of.

import { describe, expect, it } from 'vitest';
import type { HouseView, ResultView, VoidReason } from '../../src/protocol/messages';
import { toldChanges, withChanges, type Change } from '../../src/state/changes';
import { lawOf } from '../../src/state/cited';
import { latestVoid } from '../../src/state/voids';
import { seat } from './given';
import { setup } from './seated';

const change = (round: number, amount: number, at_once: number, more: Partial<Change> = {}): Change => ({ round, dice: [1, 2, 3], void: null, amount, at_once, is_waived: false, ...more });

describe('changes of a session', () => {
  it('set off what is owed, the oldest round first, and tell what is left', () => {
    const told = toldChanges([change(5, -8_000, -5_000), change(6, -1_000, 0), change(7, 3_500, 0), change(8, 2_000, 1_500)]);
    expect(told.map(({ round, setOff, left }) => [round, setOff, left])).toEqual([
      [5, [], 3_000],
      [6, [], 4_000],
      [7, [{ round: 5, amount: 3_000 }, { round: 6, amount: 500 }], 500],
      [8, [{ round: 6, amount: 500 }], 0],
    ]);
  });

  it('are kept until they are read, also where the house tells them again', () => {
    const first = withChanges(null, 7, [change(5, 500, 500)]);
    expect(first.unread.map(({ round }) => round)).toEqual([5]);
    const read = { ...first, unread: [] };
    expect(withChanges(read, 7, [change(5, 500, 500)])).toBe(read);
    expect(withChanges(read, 7, [change(5, 500, 500), change(5, -500, -500, { void: 'ruling', dice: null }), change(5, 500, 500)]).unread.map(({ amount }) => amount)).toEqual([-500, 500]);
  });

  it('are not told to the next player', () => expect(withChanges(withChanges(null, 7, [change(5, 500, 500)]), 8, []).unread).toEqual([]));

  it('stay with the seat until others come, or another player', () => {
    const { around, terminal } = setup(undefined, seat({ changes: [change(5, 500, 500)] }));
    terminal.hear({ answers: [], seat: seat({ number: 1, credits: 1 }) });
    expect(around.view?.seat?.changes).toHaveLength(1);
    terminal.hear({ answers: [], seat: seat({ number: 2, session: 9 }) });
    expect(around.view?.seat?.changes).toBeUndefined();
  });
});

describe('the void that all are told of (F82)', () => {
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
