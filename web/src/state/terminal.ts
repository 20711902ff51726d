// The state of a Player Terminal. A chip shows as pending immediately, as registered once the server says so, and returns with the reason
// if it is refused. It decides no bet and computes no payout.

import type { Answered, CommandReply, GameLine, PublicChange, PublicView, ResultView, SeatCommand, SeatView, Snapshot, Stake } from '../protocol/messages';
import { changed, follows } from '../protocol/numbered';
import { Outbox, type QueuedCommand } from '../protocol/outbox';
import type { PendingAct } from './pendingAct';
import { coming, isSeen, registered, total } from './bets';
import { here, NOTHING, type TerminalDeps, type TerminalView, type Why } from './terminalView';

const isSame = (one: ResultView, other: ResultView) => (one.void ?? null) === (other.void ?? null) && one.dice?.join() === other.dice?.join();

export class Terminal {
  readonly #deps: TerminalDeps;
  #view: TerminalView = NOTHING;
  #outbox: Outbox;
  #acts: PendingAct[] = [];
  #done: PendingAct[] = [];
  #next = 1;

  constructor(
    deps: TerminalDeps,
    last = 0,
  ) {
    this.#deps = deps;
    this.#outbox = new Outbox(
      {
        send: (message) => deps.send(message),
        used: (sequence) => deps.used(sequence),
        answered: (queued, reply) => this.#answered(queued, reply),
        cancelled: (queued) => this.#cancelled(queued),
      },
      last,
    );
  }

  receive(message: Record<string, unknown>): void {
    if ('snapshot' in message) this.#begin(message['snapshot'] as Snapshot);
    else if ('public' in message) this.#follow(message['public'] as PublicChange);
    else if ('answers' in message) this.#seated(message['answers'] as Answered[], message['seat'] as SeatView | undefined);
    else if ('games' in message) this.#change({ games: message['games'] as GameLine[] });
  }

  lost(reason: string, isDenied: boolean): void {
    this.#view = { ...this.#view, link: isDenied ? 'denied' : 'lost', reason };
    this.#outbox.down();
    this.#show();
  }

  place(stakes: Stake[]): void {
    this.#ask({ place: { seat: this.seat, chips: 'own', stakes } }, { stakes, isPlaced: true, isUndoable: true });
  }

  double(): void {
    this.#ask({ double: { seat: this.seat } }, { stakes: this.#met(), isPlaced: true, isUndoable: true });
  }

  repeat(): void {
    const stakes = (this.#view.seat?.last?.lines ?? []).map(({ box, staked }) => ({ box, amount: staked }));
    this.#ask({ repeat: { seat: this.seat } }, { stakes, isPlaced: true, isUndoable: true });
  }

  clear(): void {
    this.#ask({ clear: { seat: this.seat } }, { stakes: this.#met(), isPlaced: false, isUndoable: true });
  }

  /** Takes the last act of the round back. */
  undo(): void {
    const act = this.#done.pop();
    if (act === undefined) return;
    const { stakes, isPlaced, queued } = act;
    const command: SeatCommand = isPlaced
      ? { withdraw: { seat: this.seat, chips: 'own', stakes } }
      : { place: { seat: this.seat, chips: 'own', stakes } };
    this.#ask(command, { stakes, isPlaced: !isPlaced, isUndoable: false }, queued);
  }

  /** A command about money that is no bet; `done` receives the reply. */
  request(command: SeatCommand, done: (reply: CommandReply) => void): void {
    this.#ask(command, { stakes: [], isPlaced: true, isUndoable: false, done });
  }

  /** Asks for the last games, as the record has them. */
  loadGames(): void {
    if (this.#view.link === 'up') this.#deps.send({ games: true });
  }

  get seat(): number {
    return this.#view.seat?.seat ?? 0;
  }

  /** The chips that the next command meets on the layout: those of all commands before it, except those that wait for another reply. */
  #met(): Stake[] {
    return coming(this.#view.seat, this.#acts.filter(({ queued }) => !queued.after || queued.after.reply));
  }

  #ask(command: SeatCommand, what: Omit<PendingAct, 'queued' | 'id' | 'round' | 'expected'>, after?: QueuedCommand): void {
    const id = this.#next++;
    if (this.#view.link !== 'up') return this.#returned(id, what, here('offline'));
    const lies = new Map(coming(this.#view.seat, [...this.#acts, what]).map(({ box, amount }) => [box, amount]));
    const expected = what.stakes.map(({ box }) => ({ box, amount: lies.get(box) ?? 0 }));
    const act: PendingAct = { ...what, id, expected, round: this.#view.table?.round ?? 0, queued: this.#outbox.put(command, after) };
    this.#acts.push(act);
    if (act.isUndoable) this.#done.push(act);
    this.#show();
  }

  #begin(snapshot: Snapshot): void {
    const isBack = this.#view.link === 'lost';
    this.#view = { ...this.#view, link: 'up', reason: '', table: snapshot.public };
    this.#sit(snapshot.seat ?? null);
    // Before the commands are sent again, so that cancelled ones are compared with what is registered.
    const { round, phase } = snapshot.public;
    this.#outbox.up(snapshot.time, (queued) => {
      const act = this.#acts.find((act) => act.queued === queued);
      return act !== undefined && (act.done !== undefined || (act.round === round && phase === 'open'));
    });
    this.#keepOf(snapshot.public);
    if (isBack) this.#deps.notify({ kind: 'back', amount: total(registered(this.#view.seat)) });
    this.#show();
  }

  #follow(change: PublicChange): void {
    const before = this.#view.table;
    const table = before && changed(before, change);
    if (!table) return this.#deps.resync();
    this.#view = { ...this.#view, table };
    this.#keepOf(table);
    if (table.phase !== before.phase && table.phase !== 'open') this.#outbox.cancel(this.#acts.filter(({ done }) => !done).map(({ queued }) => queued));
    const earlier = before.results?.find(({ round }) => round === change.latest?.round);
    if (change.latest && earlier && !isSame(earlier, change.latest)) this.#deps.notify({ kind: 'changed', result: change.latest });
    this.#show();
  }

  /** Only acts of this round can be undone, and only while bets are open. */
  #keepOf({ round, phase }: PublicView): void {
    this.#done = phase === 'open' ? this.#done.filter((act) => act.round === round) : [];
  }

  /** Replies about money come without the seat's view. */
  #seated(answers: Answered[], seat?: SeatView): void {
    if (seat) {
      if (this.#view.seat && !follows(this.#view.seat, seat)) return this.#deps.resync();
      this.#sit(seat);
    }
    this.#outbox.receive(answers);
    this.#show();
  }

  /** The last game and the messages come only when they change, so the earlier ones stay; a new session begins without them. */
  #sit(seat: SeatView | null): void {
    const before = this.#view.seat;
    const of = before && before.session === seat?.session ? before : null;
    const messages = seat?.messages ?? of?.messages;
    this.#view = { ...this.#view, seat: seat && { ...seat, last: seat.last ?? of?.last ?? null, ...(messages && { messages }) } };
  }

  #answered(queued: QueuedCommand, reply: CommandReply): void {
    const act = this.#forget(queued);
    if (act === undefined) return;
    if (act.done) return act.done(reply);
    if ('refused' in reply) {
      this.#done = this.#done.filter((done) => done !== act);
      this.#returned(act.id, act, reply.refused);
    }
  }

  /** No notice if there was nothing to undo, or if the command was carried out although no reply came. */
  #cancelled(queued: QueuedCommand): void {
    const act = this.#forget(queued);
    if (act === undefined) return;
    this.#done = this.#done.filter((done) => done !== act);
    const { after } = queued;
    const isMoot = after && (after.sequence === null || (after.reply && 'refused' in after.reply));
    const isDone = queued.sequence !== null && !act.done && isSeen(this.#view, act, this.#acts);
    if (!isMoot && !isDone) this.#returned(act.id, act, here(this.#view.link === 'up' ? 'too-late' : 'offline'));
  }

  #forget(queued: QueuedCommand): PendingAct | undefined {
    const act = this.#acts.find((act) => act.queued === queued);
    this.#acts = this.#acts.filter((other) => other !== act);
    return act;
  }

  #returned(id: number, what: Pick<PendingAct, 'stakes' | 'isPlaced' | 'done'>, why: Why): void {
    if (what.done) what.done({ refused: why });
    else if (what.isPlaced && what.stakes.length > 0) this.#deps.notify({ kind: 'returned', returned: { id, stakes: what.stakes, why } });
    else this.#deps.notify({ kind: 'refused', why });
    this.#show();
  }

  #change(change: Partial<TerminalView>): void {
    this.#view = { ...this.#view, ...change };
    this.#show();
  }

  #show(): void {
    const moving = this.#acts.filter(({ stakes }) => stakes.length > 0).map(({ id, stakes, isPlaced }) => ({ id, stakes, isPlaced }));
    this.#view = { ...this.#view, moving, canUndo: this.#done.length > 0 };
    this.#deps.show(this.#view);
  }
}
