// The terminal in the browser: it joins the line, the state and what the player is told, and keeps what lasts over a reload.

import { prove, type Device } from '../../protocol/device';
import { socketAt } from '../../protocol/house';
import { browser, Line } from '../../protocol/line';
import type { Box, Cents, HouseView, LayoutView, Voucher } from '../../protocol/messages';
import { lying, registered, type Lying } from '../../state/bets';
import { unreadOf } from '../../state/changes';
import { chips, firstChip, limitOf } from '../../state/limits';
import { money } from '../../state/money';
import { outcomeOf, type Outcome } from '../../state/outcome';
import { NOTHING, type TerminalView, type Why, type Word } from '../../state/seen';
import { Terminal } from '../../state/terminal';
import { speech } from '../../words/speech.svelte';
import type { FlownBack } from '../../parts/laid';
import { Now } from '../../parts/now.svelte';
import { settings } from '../../parts/settings.svelte';
import { sound } from '../../parts/sound';
import { began, keepSequence, keptSequence } from './kept';

/** Something the player is told for a while. */
export type Told = { id: number } & Word;

const LASTS = 6_000;
const FLIES = 800;
const MOST_TOLD = 3;
/** So many chips fit on the tray of a phone. */
const TRAY = 6;

export class Player {
  readonly now = new Now();
  readonly terminal: Terminal;
  view: TerminalView = $state.raw(NOTHING);
  told: Told[] = $state.raw([]);
  back: FlownBack[] = $state.raw([]);
  chosen: Cents | null = $state(null);
  /** The voucher of a cash-out, until the player is done with it: it is told once (F42). */
  voucher: Voucher | null = $state.raw(null);
  /** Whether a voucher was asked for and its number is on its way. */
  isIssuing = $state(false);
  began = $state(0);
  readonly table = $derived(this.view.table);
  readonly seat = $derived(this.view.seat);
  /** Late corrections, voids and reversed buy-ins that the player has not read yet. */
  readonly unread = $derived(unreadOf(this.seat?.messages ?? []));
  readonly #limited = $derived(this.table?.limits);
  readonly #boxes = $derived.by(() => this.layout.boxes.map(({ box }) => box));
  readonly tray: readonly Cents[] = $derived(chips({ limits: this.#limited, boxes: this.#boxes, room: TRAY }));
  /** The chosen one, as long as the limits have it on the tray. */
  readonly chip: Cents = $derived(this.chosen !== null && this.tray.includes(this.chosen) ? this.chosen : firstChip(this.#limited, this.#boxes));
  readonly isOver = $derived(this.table?.phase === 'result' || this.table?.phase === 'settled');
  /** The player's game of this round, once it is over. */
  readonly #over = $derived(this.isOver && this.seat?.last?.round === this.table?.round ? (this.seat?.last ?? null) : null);
  /** What lies on the felt: the bets, and until the next round those of the one that is over. */
  readonly lies: Map<Box, Lying> = $derived.by(() => {
    const isGone = this.#over && this.seat?.bets.length === 0;
    const bets = isGone ? this.#over!.lines.map(({ box, staked }) => ({ box, amount: staked, chips: 'own' as const })) : (this.seat?.bets ?? []);
    return (this.#lay = lying(bets, this.view.moving, this.#lay));
  });
  /** How it came out, net of the stakes; nothing before it is over, or without a bet in it. */
  readonly outcome: Outcome | null = $derived(this.#over && outcomeOf(this.#over));
  readonly winners: ReadonlySet<Box> = $derived.by(() => {
    const latest = this.table?.latest;
    return new Set(this.isOver && latest && latest.round === this.table?.round && !latest.void ? latest.winners : []);
  });
  readonly paid: Map<Box, Cents> = $derived(new Map(this.#over?.lines.filter(({ paid }) => paid > 0).map(({ box, paid }) => [box, paid])));
  readonly bets = $derived(registered(this.seat));
  #lay = new Map<Box, Lying>();
  #next = 1;
  #line: Line;

  constructor(
    readonly house: HouseView,
    readonly layout: LayoutView,
    device: Device,
  ) {
    this.now.told(house.time);
    this.terminal = new Terminal(
      {
        say: (message) => this.#line.say(message),
        again: () => this.#line.again(),
        show: (view) => this.#show(view),
        word: (word) => this.word(word),
        used: keepSequence,
      },
      keptSequence(),
    );
    this.#line = new Line(
      socketAt(`tables/${device.table}/terminal`),
      {
        message: (message) => this.#hear(message),
        lost: (reason, isDenied) => this.terminal.lost(reason, isDenied),
      },
      { ...browser, prove: (challenge) => prove(device, challenge) },
    );
  }

  limits(box: Box): string {
    const { min, max } = limitOf(this.#limited, box);
    return min === null && max === null ? '' : speech.words.takes(min === null ? '0' : money(min, true), max === null ? '–' : money(max, true));
  }

  place(box: Box): void {
    if (settings.sound) sound('chip');
    this.terminal.place([{ box, amount: this.chip }]);
  }

  /** The player has read up to a message. It stays until the house knows. */
  read(message: number): void {
    this.terminal.request({ read: { seat: this.terminal.seat, message } }, (verdict) => {
      if ('refused' in verdict && verdict.refused.code !== 'nothing-to-read') this.word({ kind: 'refused', why: verdict.refused });
    });
  }

  #tell(told: Word): void {
    const id = this.#next++;
    this.told = [...this.told, { ...told, id }].slice(-MOST_TOLD);
    setTimeout(() => (this.told = this.told.filter((one) => one.id !== id)), LASTS);
  }

  #hear(message: Record<string, unknown>): void {
    const time = (message['snapshot'] as { time?: number } | undefined)?.time ?? message['beat'];
    if (typeof time === 'number') this.now.told(time);
    this.terminal.hear(message);
  }

  word(word: Word): void {
    if (word.kind === 'returned') {
      const flown = word.returned.stakes.map(({ box, amount }) => ({ id: word.returned.id, box, amount }));
      this.back = [...this.back, ...flown];
      setTimeout(() => (this.back = this.back.filter((one) => !flown.includes(one))), FLIES);
      if (settings.sound) sound('back');
    }
    this.#tell(word);
  }

  #show(view: TerminalView): void {
    const before = this.view;
    this.view = view;
    const last = view.seat?.last;
    const isNew = last !== undefined && last !== null && before.seat !== null && last.round !== before.seat.last?.round;
    if (settings.sound && isNew && outcomeOf(last).net > 0) sound('won');
    if (settings.sound && before.table?.phase === 'open' && view.table?.phase !== 'open') sound('close');
    const session = view.seat?.session ?? null;
    if (view.seat && (!before.seat || session !== (before.seat.session ?? null))) this.began = began(session, this.now.clock.time());
  }
}

/** A reason in the player's words. What they lack, the house says in English. */
export function reason({ code, sentence }: Why): string {
  const { reasons } = speech.words;
  return reasons[code] ?? (speech.language === 'en' && sentence ? sentence : reasons['other']!);
}
