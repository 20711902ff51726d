// The terminal in the browser: it joins the line, the state and what the player is told, and keeps what lasts over a reload.

import { prove, type Device } from '../../protocol/device';
import { socketAt } from '../../protocol/house';
import { browser, Line } from '../../protocol/line';
import type { Box, Cents, HouseView, LayoutView } from '../../protocol/messages';
import { lying, registered, type Lying } from '../../state/bets';
import { firstChip, limitOf } from '../../state/limits';
import { money } from '../../state/money';
import { Terminal, type TerminalView, type Why, type Word } from '../../state/terminal';
import { speech } from '../../words/speech.svelte';
import type { FlownBack } from '../../parts/flown';
import { Now } from '../../parts/now.svelte';
import { settings } from '../../parts/settings.svelte';
import { sound } from '../../parts/sound';
import { began, keptSequence, keepSequence } from './kept';

/** Something the player is told for a while. */
export type Told = { id: number } & (Word | { kind: 'void'; round: number; reason: string } | { kind: 'kept'; place: number });

const LASTS = 6_000;
const FLIES = 800;
const MOST_TOLD = 3;

export class Player {
  readonly now = new Now();
  readonly terminal: Terminal;
  view: TerminalView = $state.raw({ link: 'connecting', reason: '', table: null, seat: null, moving: [], games: [], canUndo: false });
  told: Told[] = $state.raw([]);
  back: FlownBack[] = $state.raw([]);
  chosen: Cents | null = $state(null);
  began = $state(0);
  private next = 1;
  private line: Line;

  constructor(
    readonly house: HouseView,
    readonly layout: LayoutView,
    device: Device,
    table: number,
  ) {
    this.terminal = new Terminal(
      {
        say: (message) => this.line.say(message),
        again: () => this.line.again(),
        show: (view) => this.show(view),
        word: (word) => this.word(word),
        used: keepSequence,
      },
      keptSequence(),
    );
    this.line = new Line(
      socketAt(`tables/${table}/terminal`),
      {
        message: (message) => this.hear(message),
        lost: (reason, isDenied) => this.terminal.lost(reason, isDenied),
      },
      { ...browser, prove: (challenge) => prove(device, challenge) },
    );
  }

  get chip(): Cents {
    return this.chosen ?? firstChip(this.view.table?.limits);
  }

  get isOver(): boolean {
    const phase = this.view.table?.phase;
    return phase === 'result' || phase === 'settled';
  }

  /** What lies on the felt: the bets, and until the next round those of the one that is over. */
  get lies(): Map<Box, Lying> {
    const { seat, moving, table } = this.view;
    const last = seat?.last;
    if (this.isOver && last && last.round === table?.round && seat.bets.length === 0) {
      return new Map(last.lines.map(({ box, staked }) => [box, { registered: staked, pending: 0, leaving: 0 }]));
    }
    return lying(seat, moving);
  }

  get winners(): ReadonlySet<Box> {
    const latest = this.view.table?.latest;
    return new Set(this.isOver && latest && latest.round === this.view.table?.round && !latest.void ? latest.winners : []);
  }

  get paid(): Map<Box, Cents> {
    const last = this.view.seat?.last;
    const isShown = this.isOver && last?.round === this.view.table?.round;
    return new Map(isShown ? last!.lines.filter(({ paid }) => paid > 0).map(({ box, paid }) => [box, paid]) : []);
  }

  get bets(): { box: Box; amount: Cents }[] {
    return registered(this.view.seat);
  }

  limits(box: Box): string {
    const { min, max } = limitOf(this.view.table?.limits, box);
    return min === null && max === null ? '' : speech.words.takes(min === null ? '0' : money(min, true), max === null ? '–' : money(max, true));
  }

  place(box: Box): void {
    if (settings.sound) sound('chip');
    this.terminal.place([{ box, amount: this.chip }]);
  }

  tell(told: Omit<Extract<Told, { kind: 'kept' }>, 'id'> | Word | Omit<Extract<Told, { kind: 'void' }>, 'id'>): void {
    const id = this.next++;
    this.told = [...this.told, { ...told, id } as Told].slice(-MOST_TOLD);
    setTimeout(() => (this.told = this.told.filter((one) => one.id !== id)), LASTS);
  }

  private hear(message: Record<string, unknown>): void {
    const time = (message['snapshot'] as { time?: number } | undefined)?.time ?? message['beat'];
    if (typeof time === 'number') this.now.told(time);
    this.terminal.hear(message);
  }

  private word(word: Word): void {
    if (word.kind === 'returned') {
      const flown = word.returned.stakes.map(({ box, amount }) => ({ id: word.returned.id, box, amount }));
      this.back = [...this.back, ...flown];
      setTimeout(() => (this.back = this.back.filter((one) => !flown.includes(one))), FLIES);
      if (settings.sound) sound('back');
    }
    this.tell(word);
  }

  private show(view: TerminalView): void {
    const before = this.view;
    this.view = view;
    const last = view.seat?.last;
    const isNew = last !== undefined && last !== null && before.seat !== null && (last.round !== before.seat.last?.round || last.void !== before.seat.last?.void);
    if (isNew && last.void) this.tell({ kind: 'void', round: last.round, reason: last.void });
    if (settings.sound && isNew && last.paid > 0) sound('won');
    if (settings.sound && before.table?.phase === 'open' && view.table?.phase !== 'open') sound('close');
    const session = view.seat?.session ?? null;
    if (session !== (before.seat?.session ?? null)) this.began = session === null ? 0 : began(session, this.now.clock.time());
  }
}

/** A reason in the player's words; the house's own where there is none. */
export function reason(why: Why): string {
  return speech.words.reasons[why.code] ?? why.sentence;
}
