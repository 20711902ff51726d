import { describe, expect, it } from 'vitest';
import type { Box } from '../../src/protocol/messages';
import { lying } from '../../src/state/bets';
import { Terminal, type TerminalView, type Word } from '../../src/state/terminal';
import { bet, seat, snapshot, table } from './given';

interface Said {
  commands: { sequence: number; command: Record<string, any> }[];
}

function setup(publicView = table(), seatView = seat()) {
  const said: Said[] = [];
  const words: Word[] = [];
  const around = { view: null as TerminalView | null, again: 0 };
  const terminal = new Terminal({
    say: (message) => said.push(message as Said),
    again: () => (around.again += 1),
    show: (view) => (around.view = view),
    word: (word) => words.push(word),
    used: () => {},
  });
  let current = seatView;
  terminal.hear(snapshot(publicView, seatView));
  const answer = (sequence: number, verdict: unknown, change: object = {}) => {
    current = { ...current, ...change, number: current.number + 1 };
    terminal.hear({ answers: [{ sequence, answer: verdict }], seat: current });
  };
  const sent = () => said.flatMap(({ commands }) => commands);
  const lies = (box: Box) => lying(around.view!.seat!.bets, around.view!.moving).get(box);
  return { terminal, said, sent, words, around, answer, lies };
}

const big = (amount: number) => [{ box: 'big' as const, amount }];
const refused = (code: string) => ({ refused: { code, paragraphs: ['3.5'], sentence: 'No.' } });

describe('a chip', () => {
  it('is pending at once, and registered when the house says so', () => {
    const { terminal, sent, answer, lies } = setup();
    terminal.place(big(2_500));
    expect(lies('big')).toEqual({ registered: 0, pending: 2_500, leaving: 0 });
    expect(sent()).toEqual([{ sequence: 1_001, command: { place: { seat: 3, chips: 'own', stakes: big(2_500) } } }]);
    answer(1_001, { accepted: null }, { bets: [bet('big', 2_500)] });
    expect(lies('big')).toEqual({ registered: 2_500, pending: 0, leaving: 0 });
  });

  it('comes back with the reason when it is refused', () => {
    const { terminal, answer, lies, words, around } = setup();
    terminal.place(big(2_500));
    answer(1_001, refused('bets-closed'));
    expect(lies('big')).toBeUndefined();
    expect(words).toEqual([{ kind: 'returned', returned: { id: 1, stakes: big(2_500), why: refused('bets-closed').refused } }]);
    expect(around.view!.canUndo).toBe(false);
  });

  it('that waits behind others comes back when bets close', () => {
    const { terminal, sent, words } = setup();
    for (let chip = 0; chip < 6; chip += 1) terminal.place(big(100));
    expect(sent()).toHaveLength(4);
    terminal.hear({ public: { number: 1, phase: 'closed' } });
    expect(words.map((word) => word.kind === 'returned' && word.returned.why.code)).toEqual(['too-late', 'too-late']);
    expect(sent()).toHaveLength(4);
  });

  it('goes when there is room: the house remembers four commands', () => {
    const { terminal, sent, answer } = setup();
    for (let chip = 0; chip < 5; chip += 1) terminal.place(big(100));
    answer(1_001, { accepted: null }, { bets: [bet('big', 100)] });
    expect(sent().map(({ sequence }) => sequence)).toEqual([1_001, 1_002, 1_003, 1_004, 1_005]);
  });
});

describe('a lost line', () => {
  it('stops taking bets at once and says so (F20)', () => {
    const { terminal, sent, words, around } = setup();
    terminal.lost('', false);
    terminal.place(big(100));
    expect(around.view!.link).toBe('lost');
    expect(sent()).toEqual([]);
    expect(words).toEqual([{ kind: 'returned', returned: { id: 1, stakes: big(100), why: { code: 'offline', paragraphs: [], sentence: '' } } }]);
  });

  it('asks again under the same number, and says that bets stand', () => {
    const { terminal, sent, words, lies } = setup();
    terminal.place(big(100));
    terminal.lost('', false);
    terminal.hear(snapshot(table({ number: 9 }), seat({ number: 5, bets: [bet('small', 700)] }), 9_000));
    expect(sent().map(({ sequence }) => sequence)).toEqual([1_001, 1_001]);
    expect(words).toEqual([{ kind: 'back', amount: 700 }]);
    terminal.hear({ answers: [{ sequence: 1_001, answer: { accepted: null } }], seat: seat({ number: 6, bets: [bet('small', 700), bet('big', 100)] }) });
    expect(lies('big')).toEqual({ registered: 100, pending: 0, leaving: 0 });
  });

  it('never puts a chip of one round into another', () => {
    const { terminal, sent, words } = setup();
    terminal.place(big(100));
    terminal.lost('', false);
    terminal.hear(snapshot(table({ round: 13 }), seat()));
    expect(sent()).toHaveLength(1);
    expect(words[0]).toMatchObject({ kind: 'returned', returned: { why: { code: 'too-late' } } });
  });

  it('does not say that a chip came back which the house had registered', () => {
    const { terminal, words } = setup(table(), seat({ bets: [bet('big', 300)] }));
    terminal.place(big(100));
    terminal.lost('', false);
    terminal.hear(snapshot(table({ phase: 'closed' }), seat({ bets: [bet('big', 400)] })));
    expect(words).toEqual([{ kind: 'back', amount: 400 }]);
    terminal.lost('', false);
  });

  it('says that it came back where the older chips alone lie there', () => {
    const { terminal, words } = setup(table(), seat({ bets: [bet('big', 300)] }));
    terminal.place(big(100));
    terminal.lost('', false);
    terminal.hear(snapshot(table({ phase: 'closed' }), seat({ bets: [bet('big', 300)] })));
    expect(words.map(({ kind }) => kind)).toEqual(['returned', 'back']);
  });

  it('asks for everything anew after a gap, in the table or the seat', () => {
    const { terminal, around } = setup();
    terminal.hear({ public: { number: 2, phase: 'closed' } });
    expect(around.again).toBe(1);
    terminal.hear({ answers: [], seat: seat({ number: 2 }) });
    expect(around.again).toBe(2);
  });
});

describe('the keys of the tray', () => {
  it('undo the last act, also while it is on its way', () => {
    const { terminal, sent, answer, lies } = setup();
    terminal.place(big(100));
    terminal.undo();
    expect(sent()).toHaveLength(1);
    expect(lies('big')).toEqual({ registered: 0, pending: 100, leaving: 100 });
    answer(1_001, { accepted: null }, { bets: [bet('big', 100)] });
    expect(sent().at(-1)!.command).toEqual({ withdraw: { seat: 3, chips: 'own', stakes: big(100) } });
  });

  it('undo nothing that was refused', () => {
    const { terminal, sent, answer, words } = setup();
    terminal.place(big(100));
    terminal.undo();
    answer(1_001, refused('over-limit'));
    expect(sent()).toHaveLength(1);
    expect(words).toHaveLength(1);
  });

  it('undo a clearing by placing all again', () => {
    const bets = [bet('big', 100), bet('sum:4', 200)];
    const { terminal, sent, answer } = setup(table(), seat({ bets }));
    terminal.clear();
    answer(1_001, { accepted: null }, { bets: [] });
    terminal.undo();
    expect(sent().at(-1)!.command).toEqual({ place: { seat: 3, chips: 'own', stakes: [{ box: 'big', amount: 100 }, { box: 'sum:4', amount: 200 }] } });
  });

  it('double and repeat show at once what will lie there', () => {
    const last = { round: 11, lines: [{ box: 'sum:9' as const, staked: 300, counted: 300, paid: 0 }], paid: 0 };
    const { terminal, sent, lies } = setup(table(), seat({ bets: [bet('big', 100)], last }));
    terminal.double();
    terminal.repeat();
    expect(lies('big')).toEqual({ registered: 100, pending: 100, leaving: 0 });
    expect(lies('sum:9')).toEqual({ registered: 0, pending: 300, leaving: 0 });
    expect(sent().map(({ command }) => command)).toEqual([{ double: { seat: 3 } }, { repeat: { seat: 3 } }]);
  });

  it('undo nothing of a round that is closed', () => {
    const { terminal, around } = setup();
    terminal.place(big(100));
    terminal.hear({ public: { number: 1, phase: 'closing' } });
    expect(around.view!.canUndo).toBe(false);
  });

  it('remember of a game what had won, and the credits before and after it', () => {
    const { terminal, around } = setup(table(), seat({ credits: 700 }));
    terminal.hear({ public: { number: 1, latest: { round: 12, dice: [1, 2, 4], winners: ['small', 'sum:7'] } } });
    const lines = [{ box: 'small' as const, staked: 300, counted: 200, paid: 400 }];
    terminal.hear({ answers: [], seat: seat({ number: 1, credits: 1_200, last: { round: 12, dice: [1, 2, 4], lines, paid: 400 } }) });
    terminal.hear({ answers: [], seat: seat({ number: 2, credits: 900, last: { round: 12, dice: [1, 2, 4], lines, paid: 400 } }) });
    expect(around.view!.games[0]).toMatchObject({ winners: ['small', 'sum:7'], before: 1_000, after: 1_200 });
  });

  it('keep the games of this session to be looked at', () => {
    const { terminal, around } = setup();
    const last = (round: number) => ({ round, lines: [], paid: 0 });
    terminal.hear({ answers: [], seat: seat({ number: 1, last: last(12) }) });
    terminal.hear({ answers: [], seat: seat({ number: 2, last: last(13) }) });
    terminal.hear({ answers: [], seat: seat({ number: 3, last: { ...last(13), paid: 5 } }) });
    expect(around.view!.games.map(({ round, paid }) => [round, paid])).toEqual([[13, 5], [12, 0]]);
    terminal.hear({ answers: [], seat: seat({ number: 4, session: 8 }) });
    expect(around.view!.games).toEqual([]);
  });
});

describe('requests about money', () => {
  it('are answered to whoever asked', () => {
    const { terminal, answer } = setup();
    const heard: unknown[] = [];
    terminal.request({ 'cash-out-to-voucher': {} }, (verdict) => heard.push(verdict));
    answer(1_001, { accepted: { amount: 5 } });
    terminal.lost('', false);
    terminal.request({ redeem: { number: '1' } }, (verdict) => heard.push(verdict));
    expect(heard).toEqual([{ accepted: { amount: 5 } }, { refused: { code: 'offline', paragraphs: [], sentence: '' } }]);
  });
});
