// The person signed in at a staff screen, and their requests to the server. A sensitive act asks for the password and then continues
// (F51); when the login ends, the sign-in returns.

import { CommandQueue } from '../../protocol/commandQueue';
import { socketAt } from '../../protocol/publicApi';
import { browser, Connection } from '../../protocol/connection';
import type { ClusterCommand, CommandReply, HouseCommand, HouseView, Me, RoundCommand } from '../../protocol/messages';
import { call, RefusedError, file, polled } from '../../protocol/staffApi';
import { Now } from '../../parts/now.svelte';
import { whatOf } from '../../state/acts';
import { staffLocale, reasonOf } from '../../words/staffLocale.svelte';

/** A notice that disappears after a while. */
export interface Notice {
  id: number;
  text: string;
  isAlarm: boolean;
  /** The paragraphs behind a refusal at a table. */
  cited?: { table: number; paragraphs: readonly string[] };
}

const SCREEN_KEY = 'taisai.screen';
const NOTICE_MS = 7_000;
const RETRY_MS = 2_000;

export class Staff {
  readonly now = new Now();
  house: HouseView | null = $state.raw(null);
  me: Me | null = $state.raw(null);
  isAsked = $state(false);
  notices: Notice[] = $state.raw([]);
  /** Set while the password is asked for. */
  again: { answer: (isGiven: boolean) => void } | null = $state.raw(null);
  /** Set while a command without a reply is retried, until the reply comes or the person stops it. */
  unanswered: { what: string; answer: (isAgain: boolean) => void } | null = $state.raw(null);
  /** A request is under way, so buttons that send another are disabled. */
  isAsking = $state(false);
  private isLeft = false;
  private underWay = 0;
  /** Shared by all requests that wait for the password. */
  private given: Promise<boolean> | null = null;
  private commandQueue: CommandQueue | null = null;
  private next = 1;

  async start(): Promise<void> {
    try {
      this.house = await call<HouseView>('house');
      this.now.sync(this.house.time);
      await this.begin(await call<Me>('me'));
    } catch (error) {
      if (!(error instanceof RefusedError) || error.refused.code !== 'not-signed-in') {
        setTimeout(() => void this.start(), RETRY_MS);
        return;
      }
    }
    this.isAsked = true;
  }

  async signIn(person: number, password: string): Promise<void> {
    await this.begin(await call<Me>('sign-in', { person, password }));
  }

  async setPassword(old: string, next: string): Promise<void> {
    await this.begin(await call<Me>('password', { old, new: next }));
  }

  async giveAgain(password: string): Promise<void> {
    this.me = await call<Me>('sign-in/again', { password });
    this.again?.answer(true);
  }

  async signOut(): Promise<void> {
    await call('sign-out', {}).catch(() => {});
    this.ended();
  }

  round(table: number, command: RoundCommand, approval?: number): Promise<CommandReply> {
    return this.atTable(table, { round: command }, approval);
  }

  cluster(table: number, number: number, command: ClusterCommand, approval?: number): Promise<CommandReply> {
    return this.atTable(table, { cluster: { number, command } }, approval);
  }

  atHouse(command: HouseCommand, approval?: number): Promise<CommandReply> {
    return this.ask('house/commands', command, approval);
  }

  /** A request over HTTP that is no command. Asks for the password where the server wants it. */
  async call<T>(path: string, body?: unknown, method?: string): Promise<T> {
    const request = () => this.allowed(() => call<T>(path, body, method));
    return body === undefined && method === undefined ? request() : this.during(request);
  }

  /** Like `call`, but shows a refusal as a notice and gives null. */
  async load<T>(path: string, body?: unknown, method?: string): Promise<T | null> {
    return this.call<T>(path, body, method).catch((error: unknown) => this.deny(error));
  }

  /** A request without a person's act: it does not keep the login alive, and gives null on failure without a notice. */
  async poll<T>(path: string): Promise<T | null> {
    return polled<T>(path).catch((error: unknown) => {
      if (!(error instanceof RefusedError)) throw error;
      if (error.refused.code === 'not-signed-in') this.ended();
      return null;
    });
  }

  /** Downloads a file, and says if it is incomplete. */
  async save(path: string, name: string): Promise<void> {
    const found = await this.allowed(() => file(path)).catch((error: unknown) => this.deny(error));
    if (!found) return;
    const link = document.createElement('a');
    link.href = URL.createObjectURL(found.file);
    link.download = name;
    link.click();
    URL.revokeObjectURL(link.href);
    this.notify(found.isCut ? staffLocale.words.house.savedPart(name) : staffLocale.words.house.saved(name), found.isCut);
  }

  /** Opens the connection of a screen. */
  follow(path: string, listener: { message(message: Record<string, unknown>): void; lost(): void }): Connection {
    const message = (received: Record<string, unknown>) => {
      const time = (received['snapshot'] as { time?: number } | undefined)?.time ?? received['beat'];
      if (typeof time === 'number') this.now.sync(time);
      listener.message(received);
    };
    const lost = () => {
      listener.lost();
      void this.poll<Me>('me');
    };
    return new Connection(socketAt(`${path}?source=${this.commandQueue!.source}`), { message, lost }, browser);
  }

  notify(text: string, isAlarm = false, cited?: Notice['cited']): void {
    const id = this.next++;
    this.notices = [...this.notices.slice(-2), { id, text, isAlarm, ...(cited && { cited }) }];
    setTimeout(() => this.dismiss(id), NOTICE_MS);
  }

  dismiss(id: number): void {
    this.notices = this.notices.filter((notice) => notice.id !== id);
  }

  /** Whether the command was accepted; shows a refusal as a notice. */
  isDone(reply: CommandReply): reply is { accepted: unknown } {
    if ('accepted' in reply) return true;
    const { refused, table } = reply;
    this.notify(reasonOf(refused), true, table === undefined ? undefined : { table, paragraphs: refused.paragraphs ?? [] });
    return false;
  }

  /** Repeats the request once the password was given. */
  private async allowed<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      if (error instanceof RefusedError && error.refused.code === 'sign-in-again' && (await this.isPasswordGiven())) return ask();
      throw error;
    }
  }

  private deny(error: unknown): null {
    if (!(error instanceof RefusedError)) throw error;
    if (error.refused.code === 'not-signed-in') this.ended();
    this.notify(reasonOf(error.refused), true);
    return null;
  }

  private async atTable(table: number, command: unknown, approval?: number): Promise<CommandReply> {
    const reply = await this.ask(`tables/${table}/commands`, command, approval);
    return 'refused' in reply ? { ...reply, table } : reply;
  }

  private async ask(path: string, command: unknown, approval?: number): Promise<CommandReply> {
    if (!this.commandQueue) return { refused: { code: 'not-signed-in', paragraphs: [], sentence: '' } };
    const { commandQueue } = this;
    return this.during(async () => {
      const reply = await commandQueue.send(path, command, approval);
      [this.unanswered, this.isLeft] = [null, false];
      if ('refused' in reply && reply.refused.code === 'not-signed-in') this.ended();
      return reply;
    });
  }

  private async during<T>(ask: () => Promise<T>): Promise<T> {
    this.underWay += 1;
    this.isAsking = true;
    try {
      return await ask();
    } finally {
      this.underWay -= 1;
      this.isAsking = this.underWay > 0;
    }
  }

  private async isPasswordGiven(): Promise<boolean> {
    this.given ??= new Promise<boolean>((answer) => (this.again = { answer })).finally(() => ([this.again, this.given] = [null, null]));
    return this.given;
  }

  /** Whether to retry a command without a reply: after a while, or when the person presses the button. The person may also stop it. */
  private async isWanted(path: string, command: unknown): Promise<boolean> {
    if (this.isLeft) return false;
    return new Promise<boolean>((answered) => {
      const answer = (isAgain: boolean) => {
        this.isLeft ||= !isAgain;
        answered(isAgain);
      };
      this.unanswered = { what: JSON.stringify(whatOf(path, command)), answer };
      setTimeout(() => answered(true), RETRY_MS);
    });
  }

  private ended(): void {
    this.again?.answer(false);
    this.unanswered?.answer(false);
    this.me = null;
    this.commandQueue = null;
    sessionStorage.removeItem(SCREEN_KEY);
  }

  /** Each screen has its own source number for commands, and keeps it over a reload. */
  private async begin(me: Me): Promise<void> {
    if (!me.password_to_be_set) {
      const kept = JSON.parse(sessionStorage.getItem(SCREEN_KEY) ?? 'null') as { login: number; source: number; last: number } | null;
      const source = kept?.login === me.source ? kept.source : (await call<{ source: number }>('sources', {}, 'POST')).source;
      const used = (last: number) => sessionStorage.setItem(SCREEN_KEY, JSON.stringify({ login: me.source, source, last }));
      const last = kept?.source === source ? kept.last : 0;
      used(last);
      const wait = (milliseconds: number) => new Promise<void>((done) => setTimeout(done, milliseconds));
      this.commandQueue = new CommandQueue({ post: (path, body) => call(path, body), wait, now: Date.now, used, shouldRetry: (path, command) => this.isWanted(path, command), isPasswordGiven: () => this.isPasswordGiven() }, source, last);
    }
    this.me = me;
  }
}
