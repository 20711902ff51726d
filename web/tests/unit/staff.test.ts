// Staff screens: commands that are carried out once, the next lawful step, irregularities with their paragraphs, and the sides of
// a live table.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { litBy } from '../../src/felt/wins';
import type { CommandReply, LayoutView, Me, PublicView, Role, SeatHealth, StaffView } from '../../src/protocol/messages';
import { CommandQueue } from '../../src/protocol/commandQueue';
import { withQuery, call, RefusedError, polled, unreachable } from '../../src/protocol/staffApi';
import { whatOf } from '../../src/state/acts';
import { StaffTableFeed, type StaffTableView } from '../../src/state/staffTableFeed';
import { canCloseFirst, nextStep, Reading } from '../../src/state/console';
import { balances, capOf, overMaximum, roomOf } from '../../src/state/excess';
import { irregularities, report } from '../../src/state/irregular';
import { paidOf } from '../../src/state/vouchers';
import { table } from './given';

const ROOT = join(import.meta.dirname, '../..');
const LAYOUTS = readdirSync(join(ROOT, 'mock/layouts')).map((name): LayoutView => JSON.parse(readFileSync(join(ROOT, 'mock/layouts', name), 'utf8')));
const FACES = [1, 2, 3, 4, 5, 6];
const THROWS = FACES.flatMap((one) => FACES.flatMap((two) => FACES.map((three) => [one, two, three])));

const me = (roles: Role[], person = 21): Me => ({ person, name: 'Mei Lin', roles, source: 5, is_fresh: true, password_to_be_set: false, ends: 0 });
const dealer = me(['dealer']);
const supervisor = me(['pit-supervisor'], 3);
const staff = (change: Partial<StaffView> = {}): StaffView => ({ number: 0, registering: null, pay_list: null, returns: [], supervisor: null, manager: null, dice_set: 1, tumbler: 1, damaged_sets: [], to_be_ruled: [], unwitnessed: [], is_covered: false, known: [], below: [], excess: [], faces: null, totals: [], bets: [], meters: [], seats: [], gone: [], unlisted: 0, ...change });

describe('a command of a person', () => {
  const refusal = (code: string) => new RefusedError({ code, paragraphs: [], sentence: '' });
  const queueWith = (answers: (CommandReply | Error)[], shouldRetry = async () => false, isPasswordGiven = async () => true) => {
    const sent: Record<string, unknown>[] = [];
    const waited: number[] = [];
    const post = async (_: string, body: unknown) => {
      sent.push(body as Record<string, unknown>);
      const answer = answers.shift()!;
      if (answer instanceof Error) throw answer;
      return answer;
    };
    const wait = async (milliseconds: number) => void waited.push(milliseconds);
    return { sent, waited, queue: new CommandQueue({ post, wait, now: () => 1_000, used: () => {}, shouldRetry, isPasswordGiven }, 7) };
  };

  it('is sent again under the same number until it is answered', async () => {
    const { queue, sent, waited } = queueWith([new RefusedError(unreachable), refusal('too-slow'), { accepted: 'bets-closed' }]);
    expect(await queue.send('tables/1/commands', { round: 'close-bets' })).toEqual({ accepted: 'bets-closed' });
    expect(sent.map(({ sequence }) => sequence)).toEqual([1_000, 1_000, 1_000]);
    expect(waited).toEqual([300, 600]);
  });

  it('keeps its number when it is retried after five tries without a reply', async () => {
    const asks: boolean[] = [true, false];
    const away = () => new RefusedError(unreachable);
    const { queue, sent } = queueWith(Array.from({ length: 10 }, away), async () => asks.shift()!);
    expect(await queue.send('house/commands', { sell: { amount: 25_000 } })).toEqual({ refused: unreachable });
    expect(new Set(sent.map(({ sequence }) => sequence))).toEqual(new Set([1_000]));
    expect([sent.length, asks.length]).toEqual([6, 0]);
  });

  it('keeps its number when the password is needed before a retry: it may have been carried out', async () => {
    const collect = { 'rule-receivable': { receivable: 1, ruling: { collected: { amount: 500 } }, why: 'paid' } };
    const given = queueWith([new RefusedError(unreachable), refusal('sign-in-again'), { accepted: null }]);
    expect(await given.queue.send('house/commands', collect)).toEqual({ accepted: null });
    expect(given.sent.map(({ sequence }) => sequence)).toEqual([1_000, 1_000, 1_000]);
    const kept = queueWith([refusal('sign-in-again')], undefined, async () => false);
    expect(await kept.queue.send('house/commands', collect)).toMatchObject({ refused: { code: 'sign-in-again' } });
  });

  it('waits until the one before is answered', async () => {
    const { queue, sent } = queueWith([new RefusedError(unreachable), { accepted: 'first' }, { accepted: 'second' }]);
    expect(await Promise.all([queue.send('house/commands', 'one'), queue.send('house/commands', 'two')])).toEqual([{ accepted: 'first' }, { accepted: 'second' }]);
    expect(sent.map(({ sequence }) => sequence)).toEqual([1_000, 1_000, 1_001]);
  });

  it('is not sent again when it is refused, and the next has a higher number', async () => {
    const { queue, sent } = queueWith([{ refused: { code: 'not-acting', paragraphs: [], sentence: '' } }, { accepted: 'x' }]);
    await queue.send('tables/1/commands', { round: 'open-bets' });
    await queue.send('tables/1/commands', { round: 'open-bets' }, 9);
    expect(sent).toEqual([
      { source: 7, sequence: 1_000, command: { round: 'open-bets' } },
      { source: 7, sequence: 1_001, approval: 9, command: { round: 'open-bets' } },
    ]);
  });

  it('asks only for what is given', () => expect(withQuery('events', { table: 4, kind: '', person: null })).toBe('events?table=4'));
});

it('reads what is paid out for a voucher from the first answer, and from the one after it was lost', () => {
  const voucher = { serial: 3, digits: '0042', amount: 25_000, issued: 1, expires: 2, is_confirmed: true, stands: { paid: { time: 1, at: { cage: 8 } } } };
  expect([{ 'cash-paid': { amount: 25_000 } }, { 'on-file': { voucher } }, { 'on-file': { voucher: null } }].map(paidOf)).toEqual([25_000, 25_000, null]);
});

it('names a command by what it asks for', () => {
  const buyIn = { 'buy-in': { seat: 3, amount: 500 } };
  expect(whatOf('tables/2/commands', { cluster: { number: 0, command: buyIn } })).toEqual({ cluster: { table: 2, number: 0, command: buyIn } });
  expect(whatOf('tables/2/commands', { round: 'open-bets' })).toEqual({ table: { table: 2, round: 'open-bets' } });
  expect(whatOf('house/commands', { sell: { amount: 500 } })).toEqual({ house: { sell: { amount: 500 } } });
});

it('marks polls as unattended (F51)', async () => {
  const heads: (HeadersInit | undefined)[] = [];
  const ask = async (_: unknown, init?: RequestInit) => (heads.push(init?.headers), Response.json({ blocks: 0 }));
  expect(await polled('reports/lag', ask)).toEqual({ blocks: 0 });
  await call('reports/lag', undefined, undefined, ask);
  expect(heads).toEqual([{ 'taisai-unattended': 'yes' }, undefined]);
});

it.each(LAYOUTS.map((layout) => [`${layout.game} ${layout.layout}`, layout] as const))('%s: each box is lit by as many throws as win on it', (_, layout) => {
  const ways = new Map<string, number>(layout.boxes.map(({ box }) => [box, 0]));
  for (const dice of THROWS) for (const box of litBy(layout, dice)) ways.set(box, ways.get(box)! + 1);
  expect([...ways]).toEqual(layout.boxes.map(({ box, ways }) => [box, ways]));
});

it('lights the boxes of a throw', () => {
  const lit = litBy(LAYOUTS.find(({ game, layout }) => game.startsWith('tai-sai@') && layout === 'A')!, [2, 4, 6]);
  expect([...lit]).toEqual(expect.arrayContaining(['big', 'single:2', 'domino:24', 'domino:46', 'sum:12']));
  expect(lit.has('small')).toBe(false);
});

const layoutOf = (game: string) => LAYOUTS.find((layout) => layout.game.startsWith(`${game}@`))!;

const STEPS: [string, Partial<PublicView>, Me, number[], string, boolean][] = [
  ['a shut table is opened by a supervisor', { phase: 'shut' }, supervisor, [], 'open-table', true],
  ['and not by a dealer', { phase: 'shut' }, dealer, [], 'open-table', false],
  ['a table needs a dealer', { phase: 'idle', dealer: null }, supervisor, [], 'assign', true],
  ['limits come before bets (3.3)', { phase: 'idle', limits: null }, supervisor, [], 'show-limits', true],
  ['classic has no limits', { phase: 'idle', limits: null, game: 'tai-sai-classic' }, dealer, [], 'open-bets', true],
  ['bets open after a round', { phase: 'settled' }, dealer, [], 'open-bets', true],
  ['and after a void one', { phase: 'void' }, dealer, [], 'open-bets', true],
  ['another dealer watches', { phase: 'settled', dealer: 22 }, dealer, [], 'open-bets', false],
  ['open cover: no more bets comes first', { phase: 'open', game: 'sic-bo-etg' }, dealer, [], 'close-bets', true],
  ['covered: the dice are shaken first', { phase: 'open', game: 'tai-sai' }, dealer, [], 'activate', true],
  ['covered: counted next', { phase: 'open', game: 'tai-sai', tumbles: 1 }, dealer, [], 'tumbled', true],
  ['covered: then no more bets', { phase: 'open', game: 'tai-sai', tumbles: 3 }, dealer, [], 'close-bets', true],
  ['closed: the tumbler', { phase: 'closed' }, dealer, [], 'activate', true],
  ['closed: three tumbles', { phase: 'closed', tumbles: 0 }, dealer, [], 'tumbled', true],
  ['closed: the dice', { phase: 'closed', tumbles: 3 }, dealer, [2, 4], 'enter-dice', true],
  ['closed: the commit', { phase: 'closed', tumbles: 3 }, dealer, [2, 4, 6], 'commit', true],
  ['interrupted: the rest is read (5.4.1)', { phase: 'closed', tumbles: 3, is_interrupted: true }, dealer, [], 'enter-dice', true],
  ['interrupted: concluded by what is known', { phase: 'closed', tumbles: 3, is_interrupted: true }, dealer, [2, 4, 6], 'commit', true],
  ['interrupted: a ruling of others', { phase: 'closed', tumbles: 3, is_interrupted: true }, supervisor, [], 'ruling', false],
  ['after a restart play goes on', { phase: 'open', is_held: true }, dealer, [], 'continue', true],
  ['settling takes its time', { phase: 'result' }, dealer, [], 'wait', false],
];

describe('the next step', () => {
  it.each(STEPS)('%s', (_, change, who, faces, name, isMine) => {
    const limits = { unit: 100, boxes: [], differential: null };
    const at = table({ game: 'sic-bo-etg', dealer: 21, limits, ...change });
    expect(nextStep(layoutOf(at.game), { table: at, announcedIn: null }, who, faces)).toEqual({ name, isMine });
  });

  it('is to close the table once the announced last round is over (F15)', () => {
    const at = table({ phase: 'settled', dealer: 21, closure_announced: true, round: 13 });
    expect(nextStep(layoutOf(at.game), { table: at, announcedIn: 12 }, supervisor, [])).toEqual({ name: 'close-table', isMine: true });
    expect(nextStep(layoutOf(at.game), { table: { ...at, round: 12, limits: { unit: 100, boxes: [] } }, announcedIn: 12 }, dealer, []).name).toBe('open-bets');
  });

  it('leaves the way to close bets before the dice are shaken', () => {
    const at = table({ phase: 'open', game: 'tai-sai', dealer: 21 });
    expect(canCloseFirst(nextStep(layoutOf(at.game), { table: at, announcedIn: null }, dealer, []), at)).toBe(true);
  });
});

it('takes a reading of the tumbler once, whole, and again in the next round (F10)', () => {
  const reading = new Reading();
  expect([null, [2, null, null], [2, 4, 6], [2, 4, 6], [2, 4, 5], null, [2, 4, 5]].map((faces) => reading.next(faces))).toEqual([null, null, [2, 4, 6], null, [2, 4, 5], null, [2, 4, 5]]);
});

describe('irregularities', () => {
  const lawful = (change: Partial<PublicView>, known: number[] = []) => irregularities(layoutOf(change.game ?? 'sic-bo-etg'), table({ dealer: 21, ...change }), known).filter((entry) => entry.isLawful).map(({ name }) => name);

  it.each<[Partial<PublicView>, string[]]>([
    [{ phase: 'idle' }, []],
    [{ phase: 'open', game: 'tai-sai' }, ['exposed', 'interrupted']],
    [{ phase: 'open', game: 'tai-sai', tumbles: 1 }, ['few-tumbles', 'not-flat', 'exposed', 'interrupted']],
    [{ phase: 'open', game: 'sic-bo-etg' }, ['activated-early', 'interrupted']],
    [{ phase: 'closed', tumbles: 3 }, ['not-flat', 'interrupted']],
    [{ phase: 'closed', tumbles: 3, is_interrupted: true }, []],
    [{ phase: 'open', is_held: true }, ['interrupted']],
  ])('can be reported when they can happen: %j', (change, names) => expect(lawful(change)).toEqual(names));

  it('say their paragraphs and what follows', () => {
    const of = (game: string, known: number[] = []) => Object.fromEntries(irregularities(layoutOf(game), table({ game }), known).map(({ name, paragraphs, then }) => [name, [paragraphs.join(), then]]));
    expect(of('sic-bo-etg')).toEqual({ 'few-tumbles': ['5.3.1,5.9', 'void'], 'not-flat': ['5.3.2,5.9', 'void'], 'activated-early': ['5.3.3,5.9', 'void'], interrupted: ['5.1.2,5.9', 'void'] });
    expect(of('tai-sai', [4])['interrupted']).toEqual(['5.4.1', 'concluded']);
  });

  it('are reported in the words of the table', () => {
    expect(report('not-flat', [])).toEqual({ void: { reason: 'not-flat' } });
    expect(report('activated-early', [])).toBe('activate');
    expect(report('interrupted', [3])).toEqual({ interrupt: { known: [3] } });
  });
});

describe('the two sides of a live table', () => {
  const limits = { unit: 100, boxes: [{ boxes: 'big' as const, min: 0, max: 50_000 }], differential: 20_000 };

  it('show what is over the Differential and over a maximum', () => {
    const totals = new Map([['big' as const, 60_000], ['small' as const, 25_000]]);
    expect(balances(totals, limits, ['small', 'big'])).toEqual([{ left: 'small', right: 'big', leftTotal: 25_000, rightTotal: 60_000, most: 20_000, over: 15_000 }]);
    expect(overMaximum(totals, limits)).toEqual([{ box: 'big', over: 10_000 }]);
  });

  it('leave room up to the maximum, and up to the Differential over the other side (3.5)', () => {
    const totals = new Map([['big' as const, 10_000], ['small' as const, 25_000]]);
    expect((['big', 'small', 'sum:4'] as const).map((box) => roomOf(totals, { ...limits, rest: { min: 100, max: 900 } }, box))).toEqual([35_000, 0, 900]);
    expect(capOf(totals, { ...limits, differential: 0 }, 'big')).toBe(25_000);
  });

  it('are not compared where no Differential is on display', () => expect(balances(new Map(), { ...limits, differential: null }, ['big'])).toEqual([]));
});

describe('a table as its staff follow it', () => {
  const seat = (number: number, change: Partial<SeatHealth> = {}): SeatHealth => ({ cluster: 0, seat: number, session: 1, credits: 0, on_layout: 0, is_connected: true, is_lost: false, is_locked: false, ...change });
  const begin = () => {
    const seen: { view: StaffTableView | null; again: number } = { view: null, again: 0 };
    const feed = new StaffTableFeed({ resync: () => (seen.again += 1), show: (view) => (seen.view = view) });
    feed.receive({ snapshot: { time: 1, public: table({ phase: 'settled' }), staff: staff({ seats: [seat(2), seat(3)] }) } });
    return { seen, feed };
  };

  it('keeps the seats that did not change', () => {
    const { seen, feed } = begin();
    feed.receive({ staff: { number: 1, seats: [seat(3, { is_lost: true })], totals: [{ box: 'big', amount: 500 }] } });
    expect(seen.view?.staff?.seats.map(({ seat, is_lost }) => [seat, is_lost])).toEqual([[2, false], [3, true]]);
    expect(seen.view?.staff?.totals).toEqual([{ box: 'big', amount: 500 }]);
    expect(seen.again).toBe(0);
  });

  it('forgets the seats that left, and counts those that are not listed', () => {
    const { seen, feed } = begin();
    feed.receive({ staff: { number: 1, gone: [{ cluster: 0, seat: 2 }], unlisted: 40 } });
    expect(seen.view?.staff?.seats.map(({ seat }) => seat)).toEqual([3]);
    feed.receive({ staff: { number: 2, seats: [seat(2)] } });
    expect([seen.view?.staff?.seats.map(({ seat }) => seat), seen.view?.staff?.unlisted]).toEqual([[2, 3], 40]);
  });

  it('asks for a snapshot when a change is missing', () => {
    const { seen, feed } = begin();
    feed.receive({ staff: { number: 2 } });
    expect(seen.again).toBe(1);
  });

  it('remembers in which round the closing was announced', () => {
    const { seen, feed } = begin();
    feed.receive({ public: { number: 1, closure_announced: true } });
    feed.receive({ public: { number: 2, phase: 'open', round: 13 } });
    expect(seen.view?.announcedIn).toBe(12);
    feed.lost();
    expect(seen.view?.isUp).toBe(false);
  });
});
