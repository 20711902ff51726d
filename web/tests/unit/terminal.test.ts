// A terminal in play: chips, the keys of the tray, the last game, and money.

import { describe, expect, it } from 'vitest';
import { big, refused, setup } from './seated';
import { bet, seat, snapshot, table } from './given';

describe('a chip', () => {
  it('is pending immediately, and registered when the server says so', () => {
    const { terminal, sent, answer, lies } = setup();
    terminal.place(big(2_500));
    expect(lies('big')).toEqual({ registered: 0, pending: 2_500, withdrawing: 0 });
    expect(sent()).toEqual([{ sequence: 1_001, command: { place: { seat: 3, chips: 'own', stakes: big(2_500) } } }]);
    answer(1_001, { accepted: null }, { bets: [bet('big', 2_500)] });
    expect(lies('big')).toEqual({ registered: 2_500, pending: 0, withdrawing: 0 });
  });

  it('comes back with the reason when it is refused', () => {
    const { terminal, answer, lies, notices, around } = setup();
    terminal.place(big(2_500));
    answer(1_001, refused('bets-closed'));
    expect(lies('big')).toBeUndefined();
    expect(notices).toEqual([{ kind: 'returned', returned: { id: 1, stakes: big(2_500), why: refused('bets-closed').refused } }]);
    expect(around.view!.canUndo).toBe(false);
  });

  it('that waits behind others comes back when bets close', () => {
    const { terminal, sent, notices } = setup();
    for (let chip = 0; chip < 6; chip += 1) terminal.place(big(100));
    expect(sent()).toHaveLength(4);
    terminal.receive({ public: { number: 1, phase: 'closed' } });
    expect(notices.map((word) => word.kind === 'returned' && word.returned.why.code)).toEqual(['too-late', 'too-late']);
    expect(sent()).toHaveLength(4);
  });

  it('is sent when there is room: the server remembers four commands', () => {
    const { terminal, sent, answer } = setup();
    for (let chip = 0; chip < 5; chip += 1) terminal.place(big(100));
    answer(1_001, { accepted: null }, { bets: [bet('big', 100)] });
    expect(sent().map(({ sequence }) => sequence)).toEqual([1_001, 1_002, 1_003, 1_004, 1_005]);
  });
});

describe('the keys of the tray', () => {
  it('undo the last act, also while it is on its way', () => {
    const { terminal, sent, answer, lies } = setup();
    terminal.place(big(100));
    terminal.undo();
    expect(sent()).toHaveLength(1);
    expect(lies('big')).toEqual({ registered: 0, pending: 100, withdrawing: 100 });
    answer(1_001, { accepted: null }, { bets: [bet('big', 100)] });
    expect(sent().at(-1)!.command).toEqual({ withdraw: { seat: 3, chips: 'own', stakes: big(100) } });
  });

  it('undo nothing that was refused', () => {
    const { terminal, sent, answer, notices } = setup();
    terminal.place(big(100));
    terminal.undo();
    answer(1_001, refused('over-limit'));
    expect(sent()).toHaveLength(1);
    expect(notices).toHaveLength(1);
  });

  it('undo a clearing by placing all again', () => {
    const bets = [bet('big', 100), bet('sum:4', 200)];
    const { terminal, sent, answer } = setup(table(), seat({ bets }));
    terminal.clear();
    answer(1_001, { accepted: null }, { bets: [] });
    terminal.undo();
    expect(sent().at(-1)!.command).toEqual({ place: { seat: 3, chips: 'own', stakes: [{ box: 'big', amount: 100 }, { box: 'sum:4', amount: 200 }] } });
  });

  it('double and repeat show their chips immediately', () => {
    const last = { round: 11, lines: [{ box: 'sum:9' as const, staked: 300, counted: 300, paid: 0 }], paid: 0 };
    const { terminal, sent, lies } = setup(table(), seat({ bets: [bet('big', 100)], last }));
    terminal.double();
    terminal.repeat();
    expect(lies('big')).toEqual({ registered: 100, pending: 100, withdrawing: 0 });
    expect(lies('sum:9')).toEqual({ registered: 0, pending: 300, withdrawing: 0 });
    expect(sent().map(({ command }) => command)).toEqual([{ double: { seat: 3 } }, { repeat: { seat: 3 } }]);
  });

  it('double and clear what is on its way as well, and undo it whole', () => {
    const { terminal, sent, answer } = setup(table(), seat({ bets: [bet('big', 100)] }));
    terminal.place(big(200));
    terminal.double();
    answer(1_001, { accepted: null }, { bets: [bet('big', 300)] });
    answer(1_002, { accepted: null }, { bets: [bet('big', 600)] });
    terminal.undo();
    expect(sent().at(-1)!.command).toEqual({ withdraw: { seat: 3, chips: 'own', stakes: big(300) } });
    terminal.clear();
    answer(1_003, { accepted: null }, { bets: [bet('big', 300)] });
    answer(1_004, { accepted: null }, { bets: [] });
    terminal.undo();
    expect(sent().at(-1)!.command).toEqual({ place: { seat: 3, chips: 'own', stakes: big(300) } });
  });

  it('tell that a withdrawal came too late, and nothing of a chip that never went', () => {
    const { terminal, notices } = setup(table(), seat({ bets: [bet('big', 300)] }));
    for (let chip = 0; chip < 5; chip += 1) terminal.place(big(100));
    terminal.undo();
    terminal.clear();
    terminal.receive({ public: { number: 1, phase: 'closed' } });
    expect(notices.map((word) => [word.kind, word.kind === 'refused' && word.why.code])).toEqual([['returned', false], ['refused', 'too-late']]);
  });

  it('undo nothing of a round that is closed', () => {
    const { terminal, around } = setup();
    terminal.place(big(100));
    terminal.receive({ public: { number: 1, phase: 'closing' } });
    expect(around.view!.canUndo).toBe(false);
  });
});

describe('the last game', () => {
  const lines = [{ box: 'small' as const, staked: 300, counted: 300, paid: 600 }];
  const last = { round: 11, dice: [1, 2, 4], lines, paid: 600 };

  it('stays when a seat comes without it, until the next player', () => {
    const { terminal, around } = setup(table(), seat({ last }));
    terminal.receive({ answers: [], seat: seat({ number: 1, credits: 900 }) });
    expect(around.view!.seat).toMatchObject({ credits: 900, last: { round: 11, paid: 600 } });
    terminal.receive({ answers: [], seat: seat({ number: 2, session: 8 }) });
    expect(around.view!.seat!.last).toBeNull();
  });

  it('gives a notice when its result changed, not when it is new or the same', () => {
    const { terminal, notices } = setup(table({ results: [{ round: 11, dice: [1, 2, 4] }] }));
    terminal.receive({ public: { number: 1, latest: { round: 11, dice: [1, 2, 4], void: null, winners: ['small'] } } });
    terminal.receive({ public: { number: 2, latest: { round: 12, dice: [1, 1, 1] } } });
    expect(notices).toEqual([]);
    terminal.receive({ public: { number: 3, latest: { round: 11, dice: [1, 2, 5] } } });
    terminal.receive({ public: { number: 4, latest: { round: 12, dice: [1, 1, 1], void: 'ruling' } } });
    expect(notices.map((word) => word.kind === 'changed' && word.result.round)).toEqual([11, 12]);
  });

  it('is loaded from the record with those before it, while connected', () => {
    const { terminal, messages, around } = setup();
    terminal.loadGames();
    expect(messages).toEqual([{ games: true }]);
    terminal.receive({ games: [{ round: 11 }] });
    expect(around.view!.games).toEqual([{ round: 11 }]);
    terminal.lost('', false);
    terminal.loadGames();
    expect(messages).toHaveLength(1);
  });
});

describe('requests about money', () => {
  it('get their replies, with the seat or without it', () => {
    const { terminal, answer } = setup();
    const replies: unknown[] = [];
    terminal.request({ 'cash-out-to-voucher': {} }, (reply) => replies.push(reply));
    answer(1_001, { accepted: { amount: 5 } });
    terminal.lost('', false);
    terminal.request({ redeem: { number: '1' } }, (reply) => replies.push(reply));
    terminal.receive(snapshot());
    terminal.request({ redeem: { number: '2' } }, (reply) => replies.push(reply));
    terminal.receive({ answers: [{ sequence: 1_002, answer: refused('voucher-paid') }] });
    expect(replies.pop()).toEqual(refused('voucher-paid'));
    expect(replies).toEqual([{ accepted: { amount: 5 } }, { refused: { code: 'offline', paragraphs: [], sentence: '' } }]);
  });

  it('wait behind chips over the close of bets, and are sent when there is room', () => {
    const { terminal, sent, answer, notices } = setup();
    const replies: unknown[] = [];
    for (let chip = 0; chip < 4; chip += 1) terminal.place(big(100));
    terminal.request({ redeem: { number: '1' } }, (reply) => replies.push(reply));
    terminal.receive({ public: { number: 1, phase: 'closed' } });
    expect([replies, notices]).toEqual([[], []]);
    answer(1_001, refused('bets-closed'));
    expect(sent().at(-1)).toEqual({ sequence: 1_005, command: { redeem: { number: '1' } } });
    answer(1_005, { accepted: null });
    expect(replies).toEqual([{ accepted: null }]);
  });

  it('that were not sent are refused when the connection is lost', () => {
    const { terminal } = setup();
    const replies: unknown[] = [];
    for (let chip = 0; chip < 4; chip += 1) terminal.place(big(100));
    terminal.request({ redeem: { number: '1' } }, (reply) => replies.push(reply));
    terminal.lost('', false);
    expect(replies).toEqual([{ refused: { code: 'offline', paragraphs: [], sentence: '' } }]);
  });
});
