// A terminal whose line is lost: nothing is taken meanwhile, and what was on its way is told as it turned out.

import { describe, expect, it } from 'vitest';
import { big, setup } from './seated';
import { bet, seat, snapshot, table } from './given';

describe('a lost connection', () => {
  it('stops taking bets and says so (F20)', () => {
    const { terminal, sent, notices, around } = setup();
    terminal.lost('', false);
    terminal.place(big(100));
    expect(around.view!.link).toBe('lost');
    expect(sent()).toEqual([]);
    expect(notices).toEqual([{ kind: 'returned', returned: { id: 1, stakes: big(100), why: { code: 'offline', paragraphs: [], sentence: '' } } }]);
  });

  it('asks again under the same number, and says that bets stand', () => {
    const { terminal, sent, notices, lies } = setup();
    terminal.place(big(100));
    terminal.lost('', false);
    terminal.receive(snapshot(table({ number: 9 }), seat({ number: 5, bets: [bet('small', 700)] }), 9_000));
    expect(sent().map(({ sequence }) => sequence)).toEqual([1_001, 1_001]);
    expect(notices).toEqual([{ kind: 'back', amount: 700 }]);
    terminal.receive({ answers: [{ sequence: 1_001, answer: { accepted: null } }], seat: seat({ number: 6, bets: [bet('small', 700), bet('big', 100)] }) });
    expect(lies('big')).toEqual({ registered: 100, pending: 0, withdrawing: 0 });
  });

  it('never puts a chip of one round into another', () => {
    const { terminal, sent, notices } = setup();
    terminal.place(big(100));
    terminal.lost('', false);
    terminal.receive(snapshot(table({ round: 13 }), seat()));
    expect(sent()).toHaveLength(1);
    expect(notices[0]).toMatchObject({ kind: 'returned', returned: { why: { code: 'too-late' } } });
  });

  it('does not say that a registered chip was returned', () => {
    const { terminal, notices } = setup(table(), seat({ bets: [bet('big', 300)] }));
    terminal.place(big(100));
    terminal.lost('', false);
    terminal.receive(snapshot(table({ phase: 'closed' }), seat({ bets: [bet('big', 400)] })));
    expect(notices).toEqual([{ kind: 'back', amount: 400 }]);
    terminal.lost('', false);
  });

  it('says that it came back where the older chips alone lie there', () => {
    const { terminal, notices } = setup(table(), seat({ bets: [bet('big', 300)] }));
    terminal.place(big(100));
    terminal.lost('', false);
    terminal.receive(snapshot(table({ phase: 'closed' }), seat({ bets: [bet('big', 300)] })));
    expect(notices.map(({ kind }) => kind)).toEqual(['returned', 'back']);
  });

  it.each([
    ['another round', { round: 13 }],
    ['a round that is closed', { phase: 'closed' as const }],
  ])('lets nothing be undone in %s', (_, change) => {
    const { terminal, sent, answer, around } = setup();
    terminal.place(big(100));
    answer(1_001, { accepted: null }, { bets: [bet('big', 100)] });
    terminal.lost('', false);
    terminal.receive(snapshot(table(change), seat({ bets: [bet('big', 100)] })));
    expect(around.view!.canUndo).toBe(false);
    terminal.undo();
    expect(sent()).toHaveLength(1);
  });

  it('still lets the bets of its own round be undone', () => {
    const { terminal, answer, around } = setup();
    terminal.place(big(100));
    answer(1_001, { accepted: null }, { bets: [bet('big', 100)] });
    terminal.lost('', false);
    terminal.receive(snapshot(table(), seat({ bets: [bet('big', 100)] })));
    expect(around.view!.canUndo).toBe(true);
  });

  it('never doubles in one round what was to be doubled in another', () => {
    const { terminal, sent } = setup();
    terminal.double();
    terminal.lost('', false);
    terminal.receive(snapshot(table({ round: 13 }), seat({ bets: [bet('big', 100)] })));
    expect(sent()).toHaveLength(1);
  });

  it.each([
    ['says that a withdrawal was not done where the chips still lie there', 300, ['refused', 'back']],
    ['says nothing of one that was done', 0, ['back']],
  ])('%s', (_, lies, kinds) => {
    const { terminal, notices } = setup(table(), seat({ bets: [bet('big', 300)] }));
    terminal.clear();
    terminal.lost('', false);
    terminal.receive(snapshot(table({ phase: 'closed' }), seat({ bets: lies > 0 ? [bet('big', lies)] : [] })));
    expect(notices.map(({ kind }) => kind)).toEqual(kinds);
  });

  it('counts what is on its way back when it looks for a chip', () => {
    const { terminal, notices } = setup(table(), seat({ bets: [bet('big', 300)] }));
    terminal.clear();
    terminal.place(big(100));
    terminal.lost('', false);
    terminal.receive(snapshot(table({ phase: 'closed' }), seat({ bets: [bet('big', 100)] })));
    expect(notices).toEqual([{ kind: 'back', amount: 100 }]);
  });

  it('asks for a new snapshot after a gap, in the table or the seat', () => {
    const { terminal, around } = setup();
    terminal.receive({ public: { number: 2, phase: 'closed' } });
    expect(around.again).toBe(1);
    terminal.receive({ answers: [], seat: seat({ number: 2 }) });
    expect(around.again).toBe(2);
  });
});
