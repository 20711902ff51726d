// The staff side of the mock server: sign-in, commands and views. A person's password follows from the number; one person has a one-time
// password.

import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import type { ClusterCommand, HouseCommand, HouseParts, Me, RoundCommand, SeatCommand, SignificantOnFile } from '../src/protocol/messages';
import type { MockHouse } from './house';
import { changed, onFile, PEOPLE } from './people';
import type { MockTable } from './table';
import { REGISTRATION_LIMIT } from './winners';

type Answer = { status: number; value: unknown; cookie?: string; file?: string };
type Part = keyof HouseParts;

const refused = (code: string, status = 403, detail?: unknown): Answer => ({ status, value: { refused: { code, paragraphs: [], sentence: code, ...(detail ? { detail } : {}) } } });
const ok = (value: unknown): Answer => ({ status: 200, value });

/** Whether registering large stakes and film lines needs approval. */
function needsSecond(command: ClusterCommand): boolean {
  if (typeof command === 'string') return false;
  if ('register' in command) return command.register.stakes.some(({ amount }) => amount > REGISTRATION_LIMIT);
  return 'register-from-film' in command || 'withdraw-from-film' in command || 'close-returns' in command;
}

export class MockStaff {
  private readonly logins = new Map<string, Me>();
  private readonly screens = new Map<WebSocket, Part[]>();
  private next = 100;
  /** Sensitive acts ask for the password until it is given. */
  asksAgain = false;
  /** The code with which every command is refused. */
  refuses: string | null = null;
  readonly received: unknown[] = [];
  parts: HouseParts;

  constructor(private readonly house: MockHouse) {
    const time = Date.now();
    const cluster = { table: 1, number: 0 };
    const event = (number: number, ago: number, what: SignificantOnFile['what'], who: SignificantOnFile['who'] = 'system'): SignificantOnFile => ({ number, time: time - ago * 60_000, what, who });
    const of = <T>(all: T[]) => ({ number: 1, all });
    this.parts = {
      approvals: of([]),
      events: of([
        event(41, 2, { reported: { 'large-win': { cluster, seat: 3, amount: 1_250_000 } } }),
        event(40, 9, { reported: { 'terminal-lost': { cluster, seat: 5 } } }),
        event(39, 26, { reported: { void: { table: 2, round: 71 } } }, { person: { id: 21, roles: ['dealer'] } }),
        event(38, 44, { 'login-locked': 22 }),
        event(37, 51, { 'redemption-locked': { seat: { cluster, seat: 4 } } }),
      ]),
      claims: of([
        { id: 12, amount: 1_250_000, gross: 1_250_000, opened: time - 900_000, origin: { session: { cluster, seat: 3, session: 7, reason: 'cash-out' } } },
        { id: 13, amount: 42_500, gross: 60_000, opened: time - 300_000, origin: { session: { cluster, seat: 6, session: 9, reason: { correction: 70 } } } },
      ]),
      receivables: of([{ id: 2, cluster, round: 70, seat: 4, session: 8, left: 15_000, gross: 40_000, is_waived: false }]),
      vouchers: of([
        { amount: 50_000, issued: time - 3_600_000, expires: time + 29 * 86_400_000, last_digits: 5678, origin: { cage: 8 }, state: 'good', serial: 12, is_confirmed: true },
        { amount: 33_500, issued: time - 4_000_000, expires: time + 29 * 86_400_000, last_digits: 9021, origin: { seat: { cluster, seat: 3, session: 7 } }, state: 'good', serial: 11, is_confirmed: false },
        { amount: 18_000, issued: time - 9_600_000, expires: time + 29 * 86_400_000, last_digits: 411, origin: { seat: { cluster, seat: 2, session: 6 } }, state: { paid: { time: time - 600_000, at: { cage: 8 } } }, serial: 10, is_confirmed: true },
      ]),
      devices: of([
        { id: 101, kind: { terminal: { cluster, seat: 1 } }, is_revoked: false },
        { id: 102, kind: { terminal: { cluster, seat: 2 } }, is_revoked: false },
        { id: 103, kind: { terminal: { cluster, seat: 3 } }, is_revoked: false },
        { id: 104, kind: { terminal: { cluster, seat: 4 } }, is_revoked: true },
        { id: 190, kind: 'tumbler', is_revoked: false },
        { id: 191, kind: { 'chip-reader': { cluster: { table: 2, number: 0 } } }, is_revoked: false },
      ]),
      people: of(onFile()),
      tables: of(house.tables.map(({ table }) => ({ table, clusters: 1, is_training: true }))),
    };
  }

  api(request: IncomingMessage, path: string, body: string): Answer | null {
    const token = /taisai=([^;]+)/.exec(request.headers.cookie ?? '')?.[1] ?? '';
    const me = this.logins.get(token);
    const input = body ? (JSON.parse(body) as Record<string, never>) : {};
    if (path === 'sign-in') return this.signIn(input);
    if (path === 'me') return me ? ok(me) : refused('not-signed-in', 401);
    const isStaffs = /^(sign-|password|sources|house\/(approvals|commands|configuration|lists)|tables\/\d+\/(commands|rounds)|events|reports|dice-watch|audit|devices\/\d|people\/\d)/.test(path);
    if (!isStaffs) return null;
    if (!me) return refused('not-signed-in', 401);
    if (path === 'sign-out') return this.logins.delete(token), { status: 204, value: null, cookie: 'taisai=; Max-Age=0' };
    if (path === 'sign-in/again') {
      if (input['password'] !== `secret-${me.person}`) return refused('wrong-password', 401);
      this.asksAgain = false;
      return ok(me);
    }
    if (path === 'password') return String(input['new']).length < 12 ? refused('weak-password', 422) : ok(this.keep(token, { ...me, password_to_be_set: false }));
    if (path === 'sources') return ok({ source: (this.next += 1) });
    if (path === 'house/configuration') return ok(this.configuration());
    if (path === 'house/approvals') return ok(this.parts.approvals!.all.filter(({ by }) => by === me.person));
    if (path.startsWith('house/lists/')) return ok(this.parts[path.slice(12) as Part]?.all ?? []);
    const at = /^tables\/(\d+)\/commands$/.exec(path);
    if (at) return this.atTable(this.house.table(Number(at[1])), input['command']!, me, input['approval']);
    if (path === 'house/commands') return this.atHouse(input['command']!, me, input['approval']);
    const given = /^people\/(\d+)\/password$/.exec(path);
    if (given) return this.approved(input['approval']) ? ok({ person: Number(given[1]), password: 'tulip-harbour-seven-92' }) : refused('not-approved', 409);
    return this.house.reports(path, new URL(request.url ?? '/', 'http://house').searchParams, request.method ?? 'GET');
  }

  /** A socket of a staff screen. */
  connect(socket: WebSocket, table: MockTable | null, name: string): void {
    const screen = { send: (message: unknown) => socket.readyState === socket.OPEN && socket.send(JSON.stringify(message)) };
    if (table) {
      table.attend(screen);
      socket.on('close', () => table.consoles.delete(screen));
      return;
    }
    const partsOf: Record<string, Part[]> = {
      pit: ['approvals', 'events', 'claims', 'receivables', 'vouchers', 'devices', 'people', 'tables'],
      cage: ['approvals', 'claims', 'receivables', 'vouchers', 'people'],
      audit: ['events', 'claims', 'receivables', 'vouchers', 'devices', 'people', 'tables'],
    };
    const parts = partsOf[name] ?? [];
    this.screens.set(socket, parts);
    socket.on('close', () => this.screens.delete(socket));
    screen.send({ snapshot: { time: Date.now(), source: 41, sequence: 0, parts: Object.fromEntries(parts.map((part) => [part, this.parts[part]])) } });
  }

  /** Publishes a part of the House. */
  show<P extends Part>(part: P, all: NonNullable<HouseParts[P]>['all']): void {
    const number = (this.parts[part]?.number ?? 0) + 1;
    this.parts = { ...this.parts, [part]: { number, all } };
    for (const [socket, parts] of this.screens) if (parts.includes(part)) socket.send(JSON.stringify({ parts: { [part]: { number, all } } }));
  }

  /** Signs a person in, and gives the cookie of their browser. */
  signedIn(person: number): string {
    const found = PEOPLE.find((one) => one.person === person);
    if (!found) throw new Error(`no person ${person}`);
    const token = `t${(this.next += 1)}`;
    this.keep(token, { person, name: found.name, roles: found.roles, source: this.next, is_fresh: true, password_to_be_set: found.isFirst ?? false, ends: Date.now() + 3_600_000 });
    return token;
  }

  private signIn({ person, password }: Record<string, unknown>): Answer {
    if (!PEOPLE.some((one) => one.person === person) || password !== `secret-${person}`) return refused('wrong-password', 401);
    const token = this.signedIn(person as number);
    return { ...ok(this.logins.get(token)), cookie: `taisai=${token}; Path=/` };
  }

  private keep(token: string, me: Me): Me {
    this.logins.set(token, me);
    return me;
  }

  private configuration() {
    const tables = this.house.tables.map(({ table, layout, phase, public: view }) => ({ table, name: `Table ${table}`, game: layout.game, layout: layout.layout, seats: [8], is_training: true, phase, limits: view.limits, proposed: view.limits ?? this.house.proposed(table) }));
    return { name: 'Stand-in House', is_training: true, profile: 'singapore', configuration: {}, tables, waiting: [] };
  }

  private atTable(table: MockTable, command: { round: RoundCommand } | { cluster: { number: number; command: ClusterCommand } }, me: Me, approval?: number): Answer {
    this.received.push(command);
    if (this.refuses) return ok(refused(this.refuses).value);
    if ('cluster' in command) {
      const isSecond = needsSecond(command.cluster.command);
      if (isSecond && approval === undefined) return ok(refused('second-person-missing').value);
      if (isSecond && !this.approved(approval)) return refused('not-approved', 409);
      return ok(table.forSeat(command.cluster.command as SeatCommand));
    }
    const runs = ['open-table', 'close-table', 'announce-closure', 'relieve', 'show-limits'].includes(typeof command.round === 'string' ? command.round : Object.keys(command.round)[0]!);
    if (!runs && me.roles.includes('dealer') && table.public.dealer !== me.person) return ok({ refused: { code: 'not-acting', paragraphs: [], sentence: '' } });
    const isSensitive = typeof command.round === 'object' && ['correct', 'correct-known', 'inspect', 'rule'].includes(Object.keys(command.round)[0]!);
    if (isSensitive && this.asksAgain) return refused('sign-in-again');
    const code = table.command(command.round);
    if (!code && approval) this.show('approvals', this.parts.approvals!.all.filter(({ id }) => id !== approval));
    return ok(code ? { refused: { code, paragraphs: ['3.6'], sentence: code } } : { accepted: 'done' });
  }

  /** Whether an approval was given; it is used by this. */
  private approved(approval?: number): boolean {
    const isGiven = this.parts.approvals!.all.some(({ id, answer }) => id === approval && typeof answer === 'object' && 'approved' in answer);
    if (isGiven) this.show('approvals', this.parts.approvals!.all.filter(({ id }) => id !== approval));
    return isGiven;
  }

  private atHouse(command: Record<string, unknown>, me: Me, approval?: number): Answer {
    this.received.push(command);
    if (this.refuses) return ok(refused(this.refuses).value);
    const people = changed(this.parts.people!.all, command as HouseCommand);
    if (people && !this.approved(approval)) return ok(refused('second-person-missing').value);
    if (people) this.show('people', people);
    const approvals = this.parts.approvals!.all;
    const request = command['request-approval'] as { act: never; what: string } | undefined;
    const answered = command['answer-approval'] as { approval: number; approve: boolean } | undefined;
    const withdrawn = command['withdraw-approval'] as { approval: number } | undefined;
    const redeemed = command['redeem'] as { number: string } | undefined;
    const sold = command['sell'] as { amount: number } | undefined;
    const paid = command['pay-claim'] as { claim: number } | undefined;
    const taken = command['take-claim'] as { claim: number } | undefined;
    const anew = command['reissue'] as { serial: number } | undefined;
    const confirmed = command['confirm-voucher'] as { serial: number } | undefined;
    if (request) {
      const id = (this.next += 1);
      const what = request.what.replace(/^\{"house":\{"void":\{"number":"\d+"/, '{"house":{"void-voucher":{"hash":[1]').replace(/^\{"house":\{"sell":(.*)\}\}$/, '{"sale":$1}').replace(/^\{"house":\{"reissue":(.*)\}\}$/, '{"reissue":$1}');
      this.show('approvals', [...approvals, { id, act: request.act, what, by: me.person, asked: Date.now(), answer: 'waiting' }]);
      return ok({ accepted: { 'approval-requested': { approval: id } } });
    }
    const cleared = command['clear-redemption-lock'] as { redeemer: never } | undefined;
    if (cleared) {
      const events = this.parts.events!.all;
      const number = Math.max(...events.map((event) => event.number)) + 1;
      this.show('events', [{ number, time: Date.now(), who: 'system', what: { 'redemption-unlocked': cleared.redeemer } }, ...events]);
    }
    const noted = command['acknowledge'] as { event: number } | undefined;
    if (noted) {
      const events = this.parts.events!.all;
      if (!events.some(({ number, acknowledged }) => number === noted.event && !acknowledged)) return ok(refused('unknown-event').value);
      this.show('events', events.map((event) => (event.number === noted.event ? { ...event, acknowledged: { by: me.person, time: Date.now() } } : event)));
    }
    if (answered) {
      const answer = answered.approve ? { approved: me.person } : { refused: me.person };
      this.show('approvals', approvals.map((one) => (one.id === answered.approval ? { ...one, answer } : one)));
    }
    if (withdrawn) this.show('approvals', approvals.filter(({ id }) => id !== withdrawn.approval));
    if (redeemed && !redeemed.number.replace(/\D/g, '').startsWith('12')) return ok(refused('voucher-not-on-file').value);
    if (redeemed && redeemed.number.replace(/\D/g, '').endsWith('0411')) {
      const detail = { digits: '0411', amount: 18_000, issued: Date.now() - 9_600_000, expires: Date.now(), stands: { paid: { time: Date.now() - 600_000, at: { cage: 8 } } } };
      return ok(refused('voucher-paid', 403, detail).value);
    }
    if (redeemed) return ok({ accepted: { 'cash-paid': { amount: 50_000 } } });
    if (sold && sold.amount > 500_000 && !this.approved(approval)) return ok(refused('second-person-missing').value);
    if (sold) return ok({ accepted: this.house.voucher(sold.amount) });
    if (anew && !this.approved(approval)) return ok(refused('second-person-missing').value);
    if (anew) return ok({ accepted: this.reissued(anew.serial) });
    if (confirmed) this.show('vouchers', this.parts.vouchers!.all.map((one) => (one.serial === confirmed.serial ? { ...one, is_confirmed: true } : one)));
    if (taken) this.show('claims', this.parts.claims!.all.map((one) => (one.id === taken.claim ? { ...one, taken: { person: me.person, time: Date.now() } } : one)));
    if (paid) this.show('claims', this.parts.claims!.all.filter(({ id }) => id !== paid.claim));
    return ok({ accepted: 'done' });
  }

  /** A voucher in the place of another, which is dead. */
  private reissued(serial: number) {
    const all = this.parts.vouchers!.all;
    const old = all.find((one) => one.serial === serial)!;
    const by = Math.max(...all.map((one) => one.serial)) + 1;
    const time = Date.now();
    this.show('vouchers', [{ ...old, serial: by, issued: time, last_digits: 5677 + by, is_confirmed: false, origin: { cage: 8 } }, ...all.map((one) => (one === old ? { ...one, state: { replaced: { time, by } } } : one))]);
    return this.house.voucher(old.amount, by);
  }
}
