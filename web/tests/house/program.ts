// The program in its own process, folder and port. Tests stop, kill and restart it on the same store and port; its whole record is
// verified at the end.

import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'vitest';
import { EVENT_TIMEOUT } from '../timeouts';
import { ReservedPort } from './port';

const REPOSITORY = resolve(import.meta.dirname, '../../..');
const PROGRAM = process.env['TAISAI'] ?? resolve(REPOSITORY, process.env['CARGO_TARGET_DIR'] ?? 'target', 'debug/taisai');

/** Running processes: all end with the tests, also when the tests are killed. */
const RUNNING = new Set<ChildProcess>();
process.once('exit', () => RUNNING.forEach((child) => child.kill('SIGKILL')));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));

/** The patience of the server with slow pages, in milliseconds, so that a busy machine fails no test. */
const BUSY = 30_000;

/** The same, for tests that wait until a page is lost. */
export const IMPATIENT = 10_000;

const FIRST_PEOPLE = 10;

/** A one-time password: 26 characters in groups of four. */
const PASSWORD = /^(?:\w{4}-){6}\w{2}$/;

/** Two tables of Player Terminals and a live one, with configured limits. */
export const TABLES = `
[[table]]
number = 1
game = "sic-bo-etg"
layout = "B"
terminals = 5
[table.limits]
unit = 500
rest = { min = 500, max = 200_000 }
boxes = [
    { boxes = "big", min = 500, max = 200_000 },
    { boxes = "small", min = 500, max = 200_000 },
    { boxes = "sum", min = 500, max = 20_000 },
    { boxes = "triple", min = 500, max = 5_000 },
]

[[table]]
number = 2
game = "tai-sai"
layout = "C"
seats = 7
[table.limits]
unit = 500
differential = 500_000
rest = { min = 500, max = 1_000_000 }
boxes = [
    { boxes = "big", min = 2_500, max = 1_000_000 },
    { boxes = "small", min = 2_500, max = 1_000_000 },
]

[[table]]
number = 3
game = "sic-bo-etg"
layout = "B"
terminals = 1
`;

export class House {
  address = '';
  log = '';
  /** One-time passwords by person, and links by table and seat, as the first start prints them. */
  readonly passwords = new Map<number, string>();
  readonly links = new Map<string, string>();
  readonly folder = mkdtempSync(join(tmpdir(), 'taisai-house-'));
  private child: ChildProcess | null = null;
  private port: ReservedPort | null = null;

  private constructor(
    private readonly flags: readonly string[],
    private readonly signOfLife = BUSY,
  ) {}

  static async found(tables: string, signOfLife?: number): Promise<House> {
    const house = new House(['--config', 'taisai.toml'], signOfLife);
    writeFileSync(join(house.folder, 'taisai.toml'), `data = "data"\n\n[house]\nname = "Fountain House"\n${tables}`);
    const terminals = [...tables.matchAll(/^terminals = (\d+)/gm)].reduce((sum, [, count]) => sum + Number(count), 0);
    return house.begin(() => house.passwords.size === FIRST_PEOPLE && house.links.size === terminals);
  }

  /** The casino of `make run`, which has no configuration file. */
  static usual(): Promise<House> {
    const house = new House(['--data', 'data']);
    return house.begin(() => house.passwords.size === FIRST_PEOPLE && house.links.size === 8);
  }

  /** A training casino that deals by itself. */
  static demonstrate(): Promise<House> {
    const house = new House(['--demo', '--data', 'data']);
    return house.begin(() => house.links.size === 8);
  }

  /** Starts it again where it was reached before. */
  async restart(): Promise<void> {
    await this.run();
  }

  signal(name: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL' | 'SIGTERM'): void {
    this.child!.kill(name);
  }

  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.ended();
  }

  /** Stops it in order, and has its whole record checked. */
  async audit(): Promise<void> {
    if (this.child) {
      // A test that failed may have left it stopped.
      this.signal('SIGCONT');
      this.signal('SIGTERM');
      expect(await this.ended(), this.log).toBe(0);
    }
    this.taisai('audit', 'verify', 'data');
  }

  /** Runs another command of the program in the casino's folder, and returns its output. */
  taisai(...args: string[]): string {
    const { status, stdout, stderr } = spawnSync(PROGRAM, args, { cwd: this.folder, encoding: 'utf8' });
    expect(status, stdout + stderr).toBe(0);
    return stdout;
  }

  async close(): Promise<void> {
    if (this.child) await this.kill();
    this.port?.release();
    rmSync(this.folder, { recursive: true });
  }

  /** Starts it for the first time; where it does not start, nothing of it is left. */
  private async begin(isTold?: () => boolean): Promise<this> {
    try {
      this.port = await ReservedPort.take();
      await this.run(isTold);
    } catch (error) {
      await this.close();
      throw error;
    }
    return this;
  }

  private async run(isTold = () => true): Promise<void> {
    const how = [...this.flags, '--sign-of-life', String(this.signOfLife), '--listen', `127.0.0.1:${this.port!.number}`];
    const child = spawn(PROGRAM, ['serve', ...how], { cwd: this.folder, stdio: ['ignore', 'pipe', 'pipe'] });
    this.child = child;
    RUNNING.add(child);
    child.once('exit', () => RUNNING.delete(child));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (this.log += text));
    let printed = '';
    await new Promise<void>((ready, fail) => {
      const end = setTimeout(() => fail(new Error(`the server is not ready:\n${this.log}`)), EVENT_TIMEOUT);
      child.once('error', fail);
      child.once('exit', (status) => fail(new Error(`the server ended with ${status}:\n${this.log}`)));
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        printed += text;
        this.remember(printed.slice(0, printed.lastIndexOf('\n')));
        if (this.address === '' || !isTold()) return;
        clearTimeout(end);
        ready();
      });
    });
  }

  /** Waits until its process has ended, and gives its status. */
  private async ended(): Promise<number | null> {
    const child = this.child!;
    if (child.exitCode === null && child.signalCode === null) await new Promise((done) => child.once('exit', done));
    this.child = null;
    return child.exitCode;
  }

  private remember(printed: string): void {
    for (const line of printed.split('\n')) {
      const words = line.trim().split(/\s+/);
      const last = words.at(-1)!;
      this.address ||= /^http:\/\/[^/]+/.exec(words[0]!)?.[0] ?? '';
      if (last.includes('&code=')) this.links.set(`${words[1]}/${words[2]}`, last);
      else if (PASSWORD.test(last)) this.passwords.set(Number(words[0]), last);
    }
  }
}
