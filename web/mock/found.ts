// Reports of the mock server for pit and audit: results, dice, events and rounds, the same each time.

import type { AllDice, EventLine, Movement, MeterLine, ResultLine, RoundCommand, RoundEntry, RoundLine, RoundSheet, SheetLine, Verification, VoidReason } from '../src/protocol/messages';
import { history } from './dealer';
import type { MockHouse } from './house';
import { paysFor } from './pays';

const LAG = { blocks: 0, millis: 40, is_known: true, error: null };
const DAY = 86_400_000;
const THEN = Date.UTC(2026, 10, 2);
const WINS = [412, 830, -310, 655, 1_240, 205, 980, 377, -120, 1_510, 640, 890, 455, 720];

/** `share` is how much of all days it is. */
function results(names: string[], more: (at: number) => Partial<ResultLine> = () => ({}), share = 1): ResultLine[] {
  return names.map((name, at) => {
    const theoretical_win = (52_000 + ((at * 7) % 5) * 2_500) * share;
    const [win, sigma] = [WINS[at % WINS.length]! * 100 * share, 34_000 * share];
    const drop = (410_000 + at * 5_000) * share;
    return {
      name, table: null, dealer: null, rounds: Math.round((310 + ((at * 37) % 90)) * share), handle: (1_870_000 + at * 12_300) * share, drop, win, theoretical_win, theoretical_win_exact: '0', edge: 0.028, edge_exact: '1/36',
      deviations: (win - theoretical_win) / sigma, band_low: theoretical_win - 1.96 * sigma, band_high: theoretical_win + 1.96 * sigma, band_is_exact: true, hold_percent: (100 * win) / drop, average_bet: 6_020, rounds_an_hour: 38 + (at % 7), unregistered_rounds: 0, ...more(at),
    };
  });
}

function meters(house: MockHouse): MeterLine[] {
  return house.tables.flatMap(({ table }) => {
    const seat = (number: number): MeterLine => ({ table, cluster: 0, seat: number, bought_in: 50_000 * number, bet: 210_000 + 1_500 * table, won: 180_000, returned: 2_500, dispensed: 40_000, owed: number === 4 ? 15_000 : 0, rounds: 61 + number, voids: 1 });
    const seats = [1, 2, 4].map(seat);
    const sum = (of: 'bought_in' | 'bet' | 'won' | 'returned' | 'dispensed' | 'owed' | 'rounds' | 'voids') => seats.reduce((total, line) => total + line[of], 0);
    const all = { table, cluster: 0, seat: null, bought_in: sum('bought_in'), bet: sum('bet'), won: sum('won'), returned: sum('returned'), dispensed: sum('dispensed'), owed: sum('owed'), rounds: sum('rounds'), voids: sum('voids') };
    return [{ ...all, ledger_win: all.bet - all.won - all.returned, reconciles: true }, ...seats];
  });
}

function dice(house: MockHouse): AllDice {
  const sheet = (throws: number, evidence: number, verdict: string) => ({
    throws, faces: [13, -21, 24, -31, 25, -10].map((more) => Math.round(throws / 2) + Math.round(more * (evidence > 20 ? 3 : 1) * Math.sqrt(throws / 3_200))), sums: [], evidence, evidence_of_faces: evidence, evidence_of_sums: 1, evidence_of_serial: 1, highest_evidence: evidence * 1.4, verdict, sentence: verdict,
  });
  const tables = house.tables.map(({ table }) => {
    const isOdd = table === 4;
    const verdict = isOdd ? 'measure' : 'nothing';
    return { table, round: 73, is_alert: isOdd, all: sheet(3_120 + house.table(table).public.round * 17, isOdd ? 134.2 : 0.62, verdict), sets: [{ dice_set: 4, ...sheet(880, isOdd ? 96.1 : 0.81, verdict) }] };
  });
  return { lag: LAG, tables };
}

/** Kinds of events, each with a detail as the record writes it. */
const KINDS: [kind: string, detail: string | null][] = [
  ['limits', 'unit 100, 200000'], ['terminal-lost', null], ['terminal-back', null], ['correction', '1-1-2 to 2-4-6'], ['void', 'not-flat'], ['ruling', 'note'], ['large-win', null], ['excess-rejected', 'big'],
  ['request-approval', 'correct: {"table":{"table":2,"round":{"correct":{"round":73,"dice":[2,4,6],"why":"The two was read as a three"}}}}'], ['answer-approval', '9 approved'], ['acknowledge', '41 reported-large-win'], ['configured', 'voucher-days = 30'],
  ['program-started', `program 1.4.0 ${'4d1fa0c2'.repeat(8)}, rules ${'93be77aa'.repeat(8)}, profile singapore ${'0c55fe31'.repeat(8)}`], ['relieved', 'dealer'],
];

function events(query: URLSearchParams) {
  const all = Array.from({ length: 60 }, (_, at): EventLine => {
    const happened_at = THEN + 14 * DAY - at * 47_000;
    return {
      number: 600 - at, line: 600 - at, position: 0, chain: 'table-1', subject: at % 14 === 13 ? 22 : null, kind: KINDS[at % KINDS.length]![0], detail: KINDS[at % KINDS.length]![1], happened_at, local_time: new Date(happened_at + DAY / 3).toISOString().slice(0, 19).replace('T', ' '), gaming_day: '2026-11-16',
      table: 1 + (at % 4), round: 73 - Math.trunc(at / 4), seat: at % 3 === 0 ? 1 + (at % 8) : null, person: 21, amount: at % 5 === 0 ? 25_000 : null, why: at % 14 === 3 ? 'The five was read as a one' : null,
    };
  });
  const kind = query.get('kind');
  const table = query.get('table');
  return { lag: LAG, after: null, lines: all.filter((line) => (!kind || kind.split(',').includes(line.kind)) && (!table || line.table === Number(table))) };
}

/** A round that was void from the start, and one that became so after its result. */
const [NEVER, LATE] = [68, 66];
const reasonOf = (round: number): VoidReason | null => (round === NEVER ? 'not-flat' : round === LATE ? 'damaged-dice' : null);

const thrown = (round: number) => history(100)[round - 1] ?? [2, 4, 6];

function rounds(before: number): { lag: typeof LAG; after: null; lines: RoundLine[] } {
  const lines = Array.from({ length: Math.min(40, before - 1) }, (_, at): RoundLine => {
    const round = before - 1 - at;
    const opened_at = THEN + 14 * DAY - (74 - round) * 95_000;
    return {
      round, dice: thrown(round), first_dice: round === 70 ? [1, 1, 2] : thrown(round), changes: round === 70 || round === LATE ? 1 : 0, void: reasonOf(round), opened_at, closed_at: opened_at + 36_000, over_at: opened_at + 60_000, staked: 41_000, counted: 41_000,
      paid: 30_500, returned: 0, wagers: 6, dealer: 21, dealer_name: 'Tan Mei Lin', dice_set: 4, tumbler: 190, gaming_day: '2026-11-16', shift: 'day',
    };
  });
  return { lag: LAG, after: null, lines };
}

const act = (block: number, after: number, command: RoundCommand): [number, RoundEntry] => [block, { asked: { time: THEN + after, actor: { person: { id: 21, roles: ['dealer'] } }, command }, outcome: { Ok: 'done' } }];

function sheet(house: MockHouse, table: number, round: number): RoundSheet {
  const { layout } = house.table(table);
  const dice = thrown(round);
  const bets: [number, string, number][] = [[1, 'big', 5_000], [1, 'sum:9', 1_000], [2, 'small', 10_000], [3, 'single:3', 2_500], [3, 'domino:14', 2_500], [6, 'any-triple', 1_000]];
  const lines = bets.map(([seat, box, stake]): SheetLine => {
    const view = layout.boxes.find((one) => one.box === box)!;
    const odds = paysFor(view, dice);
    const profit = odds === undefined ? -stake : stake * odds;
    return { seat, box, chips: 'own', stake, counted: stake, returned: 0, label: view.label.en, odds: odds === undefined ? null : String(odds), profit, paid: odds === undefined ? 0 : stake + profit, paragraphs: odds === undefined ? ['3.9'] : ['4.1'] };
  });
  const at = (seat: number): Movement['from'] => ({ seat: { cluster: 0, seat, session: 7 } });
  const movements = lines.flatMap(({ seat, stake, paid }): Movement[] =>
    paid > 0 ? [{ from: 'layout', to: at(seat), amount: stake, why: 'bets-won' }, { from: 'house', to: at(seat), amount: paid - stake, why: 'profit' }] : [{ from: 'layout', to: 'house', amount: stake, why: 'bets-lost' }],
  );
  const paid_out = lines.reduce((sum, { paid }) => sum + paid, 0);
  const isChanged = round === 70;
  const isVoid = reasonOf(round);
  const stakes = bets.map(([seat, box, amount]) => ({ seat, box, amount }));
  const back = stakes.map(({ seat, amount }): Movement => ({ from: 'layout', to: at(seat), amount, why: 'bets-returned' }));
  const late = { block: 816, entry: 1, time: THEN + 95_000, dice: null, void: isVoid, movements: back };
  const changes = round === LATE ? [late] : isChanged ? [{ block: 815, entry: 1, time: THEN + 90_000, dice, void: null, movements: [{ from: 'house' as const, to: at(1), amount: 5_000, why: 'at-once' as const }] }] : [];
  const settled = { lines, collected: lines.filter(({ paid }) => paid === 0).reduce((sum, { stake }) => sum + stake, 0), paid_out };
  return {
    table, round, game: layout.game, is_game_approved: house.table(table).public.is_game_approved, layout: layout.layout, house: 'Stand-in House', profile: 'singapore', program: '0.0.0', rules: 'b3:4d1f', training: true, registration: 'every-bet', past: { dice: isVoid ? null : dice, void: isVoid, dice_set: 4, tumbler: 190 },
    cited: isVoid ? ['5.4'] : isChanged ? ['5.5', '5.6'] : ['3.7'], unwitnessed: null, behind: [],
    acts: [
      act(810, 0, 'open-bets'), act(811, 36_000, 'close-bets'), act(811, 41_000, 'activate'), act(812, 46_000, { tumbled: { times: 3 } }), act(812, 52_000, round === NEVER ? { void: { reason: 'not-flat' } } : { commit: { dice: isChanged ? [1, 1, 2] : dice } }),
      ...(isChanged ? [act(815, 90_000, { correct: { round, dice, why: 'The five was read as a one' } })] : []),
      ...(round === LATE ? [act(816, 95_000, { 'void-damaged': { from: round, to: round, dice_set: null, why: 'A corner was chipped' } })] : []),
    ],
    clusters: [
      {
        cluster: 0, block: 812, entry: 4, time: THEN, dice: round === NEVER ? null : isChanged ? [1, 1, 2] : dice, latest: isVoid ? null : dice, returned_on_layout: false, totals: {}, movements: round === NEVER ? back : movements, changes, stakes,
        sheet: round === NEVER ? null : isChanged ? { ...settled, lines: lines.map((line) => ({ ...line, paid: 0, odds: null, paragraphs: ['3.9'] })) } : settled, now: isVoid ? null : settled,
      },
    ],
  };
}

let verification: Verification | null = null;

function verified(): Verification | null {
  if (verification?.state === 'running') {
    const gone = Math.min(verification.blocks, verification.verified + 400);
    const isOver = gone === verification.blocks;
    const chains = ['house', 'table-1', 'table-1-0'].map((chain, at) => ({ chain, blocks: 400 + at * 12, entries: 12_400 - at * 900, checkpoints: 41, rounds: at === 0 ? null : 73, unsigned: at === 2 ? 3 : 0, found: null }));
    const foundThen = { ok: true, chains, findings: [], house: 'Stand-in House', in_use: [{ what: 'rules', name: 'tai-sai@6', hash: '4d1fa0' }], roll_back_checked: true, signers: ['a41c'], training: true };
    verification = { ...verification, verified: gone, state: isOver ? 'done' : 'running', found: isOver ? foundThen : null };
  }
  return verification;
}

export function found(house: MockHouse, path: string, query: URLSearchParams, method: string): unknown {
  if (path === 'reports/results') {
    const by = query.get('by') ?? 'table';
    const days = Array.from({ length: 14 }, (_, at) => new Date(THEN + at * DAY).toISOString().slice(0, 10));
    const tables = house.tables.map(({ table }) => table);
    const share = query.get('from') === 'today' ? 0.1 : 1;
    const boxes = house.tables.flatMap(({ table, layout }) => layout.boxes.map(({ box }) => ({ table, box, drop: null, hold_percent: null, rounds_an_hour: null })));
    if (by === 'box') return { lag: LAG, time_zone: 'Asia/Singapore', lines: results(boxes.map(({ table, box }) => `table ${table} ${box}`), (at) => boxes[at]!, 0.02) };
    const names = by === 'day' ? days : by === 'shift' ? days.slice(9).flatMap((day) => ['day', 'swing', 'night'].map((shift) => `${day} ${shift}`)) : by === 'dealer' ? ['21 Tan Mei Lin', '22 Ravi Kumar', 'nobody'] : tables.map((table) => `table ${table}`);
    return { lag: LAG, time_zone: 'Asia/Singapore', lines: results(names, (at) => (by === 'table' ? { table: tables[at]! } : by === 'dealer' ? { dealer: [21, 22, null][at]! } : {}), share) };
  }
  if (path === 'reports/meters') return { lag: LAG, time_zone: 'Asia/Singapore', lines: meters(house) };
  if (path === 'reports/lag') return LAG;
  if (path === 'dice-watch') return dice(house);
  if (path === 'events') return events(query);
  const one = /^tables\/(\d+)\/rounds\/(\d+)$/.exec(path);
  if (one) return sheet(house, Number(one[1]), Number(one[2]));
  if (/^tables\/\d+\/rounds$/.test(path)) return rounds(Number(query.get('before')) || 74);
  if (path === 'audit/record') return ['house', 'table-1', 'table-1-0'].map((chain, at) => ({ chain, blocks: 412 + at, epoch: 1, checkpoint: at === 2 ? null : { position: 409 + at, time: THEN } }));
  if (path === 'audit/verifications' && method === 'POST') return (verification = { id: 1, blocks: 1_236, verified: 0, state: 'running', found: null, error: null });
  if (path === 'audit/verifications') return verified() ? [verified()] : [];
  if (path.startsWith('audit/verifications/')) return verified();
  return undefined;
}
