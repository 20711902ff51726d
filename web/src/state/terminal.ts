// A Player Terminal as its player sees it. A chip shows at once as pending, lies firm when the house has registered it, and
// comes back with the reason when it was refused. What is registered is what the house said last; nothing here decides a bet
// or reckons a payout.

import type { Box, Cents, LastGame, PublicChange, PublicView, Refused, SeatChange, SeatCommand, SeatView, Snapshot, Stake } from '../protocol/messages';
import { changed, follows } from '../protocol/numbered';
import { Outbox, type Letter, type Verdict } from '../protocol/outbox';
import { lying, registered, total, type Moving } from './bets';

export type Link = 'connecting' | 'up' | 'lost' | 'denied';

/** Chips that came back, and why. */
export interface Returned {
  id: number;
  stakes: Stake[];
  why: Why;
}

/** A reason in the house's words, or one that only this screen knows. */
export type Why = Pick<Refused, 'code' | 'paragraphs' | 'sentence'>;

/** What the player is told once. */
export type Word =
  | { kind: 'back'; amount: number }
  | { kind: 'returned'; returned: Returned }
  | { kind: 'refused'; why: Why };

/** A game as it came out, to be looked at again (F30): which boxes had won, and the credits before and after it. */
export interface Game extends LastGame {
  winners: Box[];
  before: Cents;
  after: Cents;
}

/** What a terminal is at a moment. */
export interface TerminalView {
  link: Link;
  reason: string;
  table: PublicView | null;
  seat: SeatView | null;
  moving: Moving[];
  games: Game[];
  canUndo: boolean;
}

/** What a terminal is made of. */
export interface Surroundings {
  say(message: unknown): void;
  /** Asks for a new snapshot. */
  again(): void;
  show(view: TerminalView): void;
  word(word: Word): void;
  used(sequence: number): void;
}

interface Act {
  letter: Letter;
  id: number;
  stakes: Stake[];
  /** What then lies on its boxes if all goes well. */
  expected: Stake[];
  isPlaced: boolean;
  round: number;
  /** Whether it can be taken back. */
  isUndoable: boolean;
  done?: ((verdict: Verdict) => void) | undefined;
}

const here = (code: string): Why => ({ code, paragraphs: [], sentence: '' });

/** So many games are kept to be looked at (F30). */
const GAMES = 20;

export class Terminal {
  private view: TerminalView = { link: 'connecting', reason: '', table: null, seat: null, moving: [], games: [], canUndo: false };
  private outbox: Outbox;
  private acts: Act[] = [];
  private done: Act[] = [];
  private next = 1;

  constructor(
    private readonly around: Surroundings,
    last = 0,
  ) {
    this.outbox = new Outbox(
      {
        say: (message) => around.say(message),
        used: (sequence) => around.used(sequence),
        answered: (letter, verdict) => this.answered(letter, verdict),
        calledOff: (letter) => this.calledOff(letter),
      },
      last,
    );
  }

  hear(message: Record<string, unknown>): void {
    if ('snapshot' in message) this.begin(message['snapshot'] as Snapshot);
    else if ('public' in message) this.follow(message['public'] as PublicChange);
    else if ('answers' in message) this.seated(message as unknown as SeatChange);
  }

  lost(reason: string, isDenied: boolean): void {
    this.view = { ...this.view, link: isDenied ? 'denied' : 'lost', reason };
    this.outbox.down();
    this.show();
  }

  place(stakes: Stake[]): void {
    this.ask({ place: { seat: this.seat, chips: 'own', stakes } }, { stakes, isPlaced: true, isUndoable: true });
  }

  double(): void {
    const stakes = registered(this.view.seat);
    this.ask({ double: { seat: this.seat } }, { stakes, isPlaced: true, isUndoable: true });
  }

  repeat(): void {
    const stakes = (this.view.seat?.last?.lines ?? []).map(({ box, staked }) => ({ box, amount: staked }));
    this.ask({ repeat: { seat: this.seat } }, { stakes, isPlaced: true, isUndoable: true });
  }

  clear(): void {
    const stakes = registered(this.view.seat);
    this.ask({ clear: { seat: this.seat } }, { stakes, isPlaced: false, isUndoable: true });
  }

  /** Takes the last act of the round back. */
  undo(): void {
    const act = this.done.pop();
    if (act === undefined) return;
    const { stakes, isPlaced, letter } = act;
    const command: SeatCommand = isPlaced
      ? { withdraw: { seat: this.seat, chips: 'own', stakes } }
      : { place: { seat: this.seat, chips: 'own', stakes } };
    this.ask(command, { stakes, isPlaced: !isPlaced, isUndoable: false }, letter);
  }

  /** Something about money that is no bet; the answer is for whoever asked. */
  request(command: SeatCommand, done: (verdict: Verdict) => void): void {
    this.ask(command, { stakes: [], isPlaced: true, isUndoable: false, done });
  }

  get seat(): number {
    return this.view.seat?.seat ?? 0;
  }

  private ask(command: SeatCommand, what: Omit<Act, 'letter' | 'id' | 'round' | 'expected'>, after?: Letter): void {
    const id = this.next++;
    if (this.view.link !== 'up') {
      this.returned(id, what, here('offline'));
      return;
    }
    const lies = lying(this.view.seat?.bets ?? [], this.view.moving.filter(({ isPlaced }) => isPlaced));
    const expected = what.stakes.map(({ box, amount }) => {
      const { registered, pending } = lies.get(box) ?? { registered: 0, pending: 0 };
      return { box, amount: registered + pending + amount };
    });
    const act: Act = { ...what, id, expected, round: this.view.table?.round ?? 0, letter: this.outbox.put(command, after) };
    this.acts.push(act);
    if (act.isUndoable) this.done.push(act);
    this.show();
  }

  private begin(snapshot: Snapshot): void {
    const isBack = this.view.link === 'lost';
    this.view = { ...this.view, link: 'up', reason: '', table: snapshot.public };
    this.sit(snapshot.seat ?? null);
    // Before the letters go again, so that those called off are seen in the light of what the house registered.
    const { round, phase } = snapshot.public;
    this.outbox.up(snapshot.time, (letter) => {
      const act = this.acts.find((act) => act.letter === letter);
      return act !== undefined && (act.stakes.length === 0 || (act.round === round && phase === 'open'));
    });
    if (isBack) this.around.word({ kind: 'back', amount: total(registered(this.view.seat)) });
    this.show();
  }

  private follow(change: PublicChange): void {
    const before = this.view.table;
    const table = before && changed(before, change);
    if (!table) return this.around.again();
    this.view = { ...this.view, table };
    if (table.phase !== before.phase && table.phase !== 'open') {
      this.done = [];
      this.outbox.callOff();
    }
    if (table.round !== before.round) this.done = [];
    this.show();
  }

  private seated({ answers, seat }: SeatChange): void {
    if (this.view.seat && !follows(this.view.seat, seat)) return this.around.again();
    this.sit(seat);
    this.outbox.hear(answers);
    this.show();
  }

  private sit(seat: SeatView | null): void {
    const isOther = seat?.session !== this.view.seat?.session;
    let games = isOther ? [] : this.view.games;
    const last = seat?.last;
    if (seat && last) games = [this.game(seat, last), ...games.filter((game) => game.round !== last.round)].slice(0, GAMES);
    this.view = { ...this.view, seat, games };
  }

  private game(seat: SeatView, last: LastGame): Game {
    const kept = this.view.games.find((game) => game.round === last.round);
    const latest = this.view.table?.latest;
    const winners = latest?.round === last.round ? (latest.winners ?? []) : (kept?.winners ?? []);
    if (kept && kept.paid === last.paid && kept.void === last.void) return { ...kept, winners };
    const back = last.lines.reduce((sum, { staked, counted }) => sum + (last.void ? staked : staked - counted), last.paid);
    const before = seat.credits - back + last.lines.reduce((sum, { staked }) => sum + staked, 0);
    return { ...last, winners, before, after: seat.credits };
  }

  private answered(letter: Letter, verdict: Verdict): void {
    const act = this.forget(letter);
    if (act === undefined) return;
    if (act.done) return act.done(verdict);
    if ('refused' in verdict) {
      this.done = this.done.filter((done) => done !== act);
      this.returned(act.id, act, verdict.refused);
    }
  }

  private calledOff(letter: Letter): void {
    const act = this.forget(letter);
    if (act === undefined) return;
    this.done = this.done.filter((done) => done !== act);
    if (this.view.link !== 'up') this.returned(act.id, act, here('offline'));
    else if (act.stakes.length > 0 && act.isPlaced && !this.isRegistered(act)) this.returned(act.id, act, here('too-late'));
  }

  /** Whether the house holds what was on its way when the line was lost: what lies there, or lay in the round that is over. */
  private isRegistered({ expected, round, letter }: Act): boolean {
    if (letter.sequence === null) return false;
    const { seat, table } = this.view;
    const last = seat?.last;
    const held = table?.round === round && table.phase !== 'settled' && table.phase !== 'void' ? registered(seat) : [];
    const lines = last?.round === round ? last.lines.map(({ box, staked }) => ({ box, amount: staked })) : [];
    return expected.every(({ box, amount }) => [...held, ...lines].some((lies) => lies.box === box && lies.amount >= amount));
  }

  private forget(letter: Letter): Act | undefined {
    const act = this.acts.find((act) => act.letter === letter);
    this.acts = this.acts.filter((other) => other !== act);
    return act;
  }

  private returned(id: number, what: Pick<Act, 'stakes' | 'isPlaced' | 'done'>, why: Why): void {
    if (what.done) what.done({ refused: why });
    else if (what.isPlaced && what.stakes.length > 0) this.around.word({ kind: 'returned', returned: { id, stakes: what.stakes, why } });
    else this.around.word({ kind: 'refused', why });
    this.show();
  }

  private show(): void {
    const moving = this.acts.filter(({ stakes }) => stakes.length > 0).map(({ id, stakes, isPlaced }) => ({ id, stakes, isPlaced }));
    this.view = { ...this.view, moving, canUndo: this.done.length > 0 };
    this.around.show(this.view);
  }
}
