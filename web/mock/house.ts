// A mock server for tests of the screens. It serves the build with the same content security policy as the real one and sends the same
// messages. It keeps no record.

import { createPublicKey, randomBytes, verify, type KeyObject } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { extname, join, resolve } from 'node:path';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';

import { content } from '../src/protocol/device';
import type { HouseView, LayoutView, RulesView } from '../src/protocol/messages';
import { heartbeat } from './heartbeat';
import { found } from './found';
import { MockStaff } from './staff';
import { LIMITS, MockTable, voucher } from './table';

export const POLICY = "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'";
const LAW: HouseView['law'] = {
  takes_back: true, notice: 'Malfunction voids the round. Winnings of a round that is void or corrected are taken back.',
  malfunction: 'law: equipment malfunction', force_majeure: 'law: force majeure', suspected_offence: 'law: suspected offence',
};
export const HOUSE = '0102030405060708090a0b0c0d0e0f10';

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.woff2': 'font/woff2', '.svg': 'image/svg+xml', '.json': 'application/json',
};

/** The policy that the real server sends. */
function read<T>(what: 'layouts' | 'rules'): T[] {
  const folder = resolve(import.meta.dirname, what);
  return readdirSync(folder).sort().map((name): T => JSON.parse(readFileSync(join(folder, name), 'utf8')));
}

/** Where a device sits: its number is a hundred times its table and its seat. */
const placeOf = (device: number) => ({ table: Math.trunc(device / 100), seat: device % 100 });

export class MockHouse {
  readonly tables: MockTable[];
  private readonly keys = new Map<number, KeyObject>();
  private readonly sockets = new Set<WebSocket>();
  private readonly server: Server;
  private readonly upgrades = new WebSocketServer({ noServer: true });
  readonly staff: MockStaff;
  private readonly rules: Map<string, RulesView>;
  law: HouseView['law'] = LAW;
  /** While true, connections are refused. */
  isAway = false;
  /** Why tables stay closed, by number. */
  readonly notOpen = new Map<number, string>();
  /** Whether quiet sockets get heartbeats. */
  isBeating = true;
  /** Messages to terminals held back until `release`; null while they are sent immediately. */
  private held: (() => void)[] | null = null;

  constructor(private readonly dist: string | null, isTraining = true) {
    this.tables = read<LayoutView>('layouts').map((layout, at) => new MockTable(at + 1, layout, () => Date.now(), isTraining));
    this.rules = new Map(read<RulesView>('rules').map((rules) => [rules.game, rules]));
    this.staff = new MockStaff(this);
    this.server = createServer((request, response) => void this.serve(request, response));
    this.server.on('upgrade', (request, socket, head) => this.upgrade(request, socket, head));
  }

  table(number: number): MockTable {
    const table = this.tables[number - 1];
    if (!table) throw new Error(`no table ${number}`);
    return table;
  }

  isEnrolled(device: number): boolean {
    return this.keys.has(device);
  }

  async listen(port = 0): Promise<string> {
    await new Promise<void>((done) => this.server.listen(port, '127.0.0.1', done));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.drop();
    await new Promise((done) => {
      this.server.close(done);
      this.server.closeAllConnections();
    });
  }

  /** Closes every socket. */
  drop(): void {
    this.sockets.forEach((socket) => socket.terminate());
  }

  /** Holds messages to terminals back until `release`, as on a slow network. Commands are still carried out. */
  hold(): void {
    this.held ??= [];
  }

  /** Sends the held messages in order. Those for closed sockets are lost. */
  release(): void {
    const held = this.held ?? [];
    this.held = null;
    held.forEach((send) => send());
  }

  /** Every test finds the server reachable and between rounds. */
  reset(): void {
    this.isAway = false;
    this.notOpen.clear();
    this.isBeating = true;
    this.law = LAW;
    this.staff.refuses = null;
    this.staff.asksAgain = false;
    this.release();
    for (const table of this.tables) {
      table.refusesExcess = false;
      if (table.phase === 'open' || table.phase === 'closed' || table.phase === 'result') table.void('ruling');
      if (table.public.registration === 'winners') table.change({ registration: 'every-bet' });
      if (!table.public.is_game_approved) table.change({ is_game_approved: true });
      table.attended({ returns: [] });
    }
  }

  /** Answers an HTTP request; false if it is not for the API. */
  async api(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const path = new URL(request.url ?? '/', 'http://house').pathname;
    const json = (value: unknown, status = 200): true => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(status === 204 ? '' : JSON.stringify(value));
      return true;
    };
    const text = path.startsWith('/api/v1/') && request.method === 'POST' ? await body(request) : '';
    const staffs = path.startsWith('/api/v1/') ? this.staff.api(request, path.slice('/api/v1/'.length), text) : null;
    if (staffs) {
      if (staffs.cookie) response.setHeader('set-cookie', staffs.cookie);
      if (staffs.file === undefined) return json(staffs.value, staffs.status);
      response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(staffs.file);
      return true;
    }
    const of = /^\/api\/v1\/tables\/(\d+)\/layout$/.exec(path);
    if (of && this.notOpen.has(Number(of[1]))) {
      return json({ refused: { code: 'record-unreadable', paragraphs: [], sentence: 'The table stays closed: its record cannot be read.' } }, 503);
    }
    if (of && this.tables[Number(of[1]) - 1]) return json(this.table(Number(of[1])).layout);
    const ruled = /^\/api\/v1\/games\/(.+)\/rules$/.exec(path);
    const rules = ruled && this.rules.get(decodeURIComponent(ruled[1]!));
    if (rules) return json(rules);
    if (path === '/api/v1/tables') return json(this.tables.map((table) => this.listed(table)));
    if (path === '/api/v1/house') {
      return json({ name: 'Stand-in House', house: HOUSE, is_training: true, is_game_approved: this.isGameApproved, version: '0.0.0', profile: 'singapore', time_zone: 'Asia/Singapore', betting_seconds: 36, reality_check_minutes: 60, voucher_limit: 1_000_000, law: this.law, notes: [1_000, 5_000], time: Date.now() });
    }
    if (path === '/api/v1/devices/enrol' && request.method === 'POST') return this.enrol(text, json);
    if (path.startsWith('/api/')) return json({ refused: { code: 'unknown', paragraphs: [], sentence: 'There is no such thing here.' } }, 404);
    return false;
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    const path = new URL(request.url ?? '/', 'http://house').pathname;
    const of = /^\/api\/v1\/tables\/(\d+)\/(terminal|display|console)$/.exec(path) ?? /^\/api\/v1\/house\/()(pit|cage|audit)$/.exec(path);
    if (!of) return false;
    if (this.isAway || this.notOpen.has(Number(of[1]))) {
      socket.destroy();
      return true;
    }
    this.upgrades.handleUpgrade(request, socket, head, (socket) => {
      this.sockets.add(socket);
      heartbeat(socket, () => this.isBeating);
      socket.on('close', () => this.sockets.delete(socket));
      if (of[1] === '') this.staff.connect(socket, null, of[2]!);
      else if (of[2] === 'console') this.staff.connect(socket, this.table(Number(of[1])), '');
      else if (of[2] === 'display') this.display(socket, this.table(Number(of[1])));
      else this.terminal(socket, this.table(Number(of[1])));
    });
    return true;
  }

  proposed(table: number) {
    return { ...LIMITS, differential: this.table(table).layout.has_terminals ? null : 200_000 };
  }

  voucher(amount: number, serial = 1) {
    return voucher(amount, Date.now(), serial, this.isGameApproved);
  }

  reports(path: string, query: URLSearchParams, method: string) {
    if (query.get('format') === 'csv') return { status: 200, value: null, file: `${path}\r\n1\r\n` };
    if (path.endsWith('/evidence')) return { status: 200, value: null, file: 'evidence' };
    const value = found(this, path, query, method);
    return value === undefined ? null : { status: 200, value };
  }

  /** Whether every table plays an approved game. */
  private get isGameApproved(): boolean {
    return this.tables.every(({ public: view }) => view.is_game_approved);
  }

  private listed({ table, layout, phase, public: { is_game_approved } }: MockTable) {
    return { table, is_game_approved, not_open: this.notOpen.get(table) ?? null, game: layout.game, title: layout.title, layout: layout.layout, phase, is_training: true, seats: [layout.has_terminals ? 8 : 10], has_terminals: layout.has_terminals };
  }

  private enrol(text: string, json: (value: unknown, status?: number) => true): true {
    const { code, public_key } = JSON.parse(text) as { code: string; public_key: string };
    const device = Number(/^(?:SEAT|ONCE)-(\d+)$/.exec(code)?.[1]);
    if (!device || (code.startsWith('ONCE') && this.keys.has(device))) return json({ refused: { code: 'bad-code', paragraphs: [], sentence: 'The code is wrong, used or too old.' } }, 403);
    const x = Buffer.from(public_key, 'hex').toString('base64url');
    this.keys.set(device, createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }));
    const { table, seat } = placeOf(device);
    return json({ device, house: HOUSE, source: 40, kind: { terminal: { cluster: { table, number: 0 }, seat } } });
  }

  private display(socket: WebSocket, table: MockTable): void {
    const screen = { send: (message: unknown) => socket.send(JSON.stringify(message)) };
    table.show(screen);
    socket.on('close', () => table.displays.delete(screen));
  }

  private terminal(socket: WebSocket, table: MockTable): void {
    const challenge = randomBytes(32).toString('hex');
    socket.send(JSON.stringify({ challenge }));
    socket.once('message', (text) => {
      const { device, signature } = JSON.parse(String(text)) as { device: number; signature: string };
      const key = this.keys.get(device);
      const isProven = key && verify(null, content(HOUSE, device, challenge), key, Buffer.from(signature, 'hex'));
      if (!isProven || placeOf(device).table !== table.table) return socket.close(4000, 'not-proven');
      const sendOrHold = (message: unknown) => {
        const text = JSON.stringify(message);
        const send = () => void (socket.readyState === socket.OPEN && socket.send(text));
        if (this.held) this.held.push(send);
        else send();
      };
      const seat = table.seat(placeOf(device).seat);
      table.sit(placeOf(device).seat, { send: sendOrHold });
      socket.on('message', (more) => {
        const { commands = [], games = false } = JSON.parse(String(more));
        if (games) sendOrHold({ games: seat.games });
        table.receive(seat, commands);
      });
    });
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader('content-security-policy', POLICY);
    if (await this.api(request, response)) return;
    const path = new URL(request.url ?? '/', 'http://house').pathname;
    const name = path === '/' ? '/index.html' : extname(path) ? path : `${path}.html`;
    try {
      if (this.dist === null || name.includes('..')) throw new Error('nothing is served');
      response.writeHead(200, { 'content-type': TYPES[extname(name)] ?? 'application/octet-stream' }).end(readFileSync(join(this.dist, name)));
    } catch {
      response.writeHead(404).end();
    }
  }
}

async function body(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}
