// The terminal in the browser: joins the connection, the state and the notices, and keeps what must survive a reload.

import { prove, type Device } from '../../protocol/device';
import { socketAt } from '../../protocol/publicApi';
import { browser, Connection } from '../../protocol/connection';
import type { Box, Cents, HouseView, LayoutView, Voucher } from '../../protocol/messages';
import { chipsByBox, registered, type BoxChips } from '../../state/bets';
import { unreadOf } from '../../state/changes';
import { chips, firstChip, limitOf } from '../../state/limits';
import { money } from '../../state/money';
import { outcomeOf, type Outcome } from '../../state/outcome';
import { NOTHING, type TerminalView, type Why, type PlayerNotice } from '../../state/terminalView';
import { Terminal } from '../../state/terminal';
import { locale } from '../../words/locale.svelte';
import type { FlownBack } from '../../parts/laid';
import { Now } from '../../parts/now.svelte';
import { settings } from '../../parts/settings.svelte';
import { sound } from '../../parts/sound';
import { began, keepSequence, keptSequence } from './localStore';

/** A notice that disappears after a while. */
export type TimedNotice = { id: number } & PlayerNotice;

const NOTICE_MS = 6_000;
const FLIGHT_MS = 800;
const MAX_NOTICES = 3;
/** As many as fit on the tray of a phone. */
const MAX_TRAY_CHIPS = 6;

export class Player {
  readonly now = new Now();
  readonly terminal: Terminal;
  view: TerminalView = $state.raw(NOTHING);
  notices: TimedNotice[] = $state.raw([]);
  back: FlownBack[] = $state.raw([]);
  chosen: Cents | null = $state(null);
  /** The voucher of a cash-out, until the player is done with it: its number arrives only once (F42). */
  voucher: Voucher | null = $state.raw(null);
  /** A voucher is requested, and its number has not arrived yet. */
  isIssuing = $state(false);
  began = $state(0);
  readonly table = $derived(this.view.table);
  readonly seat = $derived(this.view.seat);
  /** Late corrections, voids and reversed buy-ins that the player has not read yet. */
  readonly unread = $derived(unreadOf(this.seat?.messages ?? []));
  readonly #limited = $derived(this.table?.limits);
  readonly #boxes = $derived.by(() => this.layout.boxes.map(({ box }) => box));
  readonly tray: readonly Cents[] = $derived(chips({ limits: this.#limited, boxes: this.#boxes, room: MAX_TRAY_CHIPS }));
  /** The chosen one, as long as the limits have it on the tray. */
  readonly chip: Cents = $derived(this.chosen !== null && this.tray.includes(this.chosen) ? this.chosen : firstChip(this.#limited, this.#boxes));
  readonly isOver = $derived(this.table?.phase === 'result' || this.table?.phase === 'settled');
  /** The player's game of this round, once it is over. */
  readonly #over = $derived(this.isOver && this.seat?.last?.round === this.table?.round ? (this.seat?.last ?? null) : null);
  /** The chips on the felt: the bets, or those of the finished round until the next one opens. */
  readonly lies: Map<Box, BoxChips> = $derived.by(() => {
    const isGone = this.#over && this.seat?.bets.length === 0;
    const bets = isGone ? this.#over!.lines.map(({ box, staked }) => ({ box, amount: staked, chips: 'own' as const })) : (this.seat?.bets ?? []);
    return (this.#lay = chipsByBox(bets, this.view.moving, this.#lay));
  });
  /** How it came out, net of the stakes; nothing before it is over, or without a bet in it. */
  readonly outcome: Outcome | null = $derived(this.#over && outcomeOf(this.#over));
  readonly winners: ReadonlySet<Box> = $derived.by(() => {
    const latest = this.table?.latest;
    return new Set(this.isOver && latest && latest.round === this.table?.round && !latest.void ? latest.winners : []);
  });
  readonly paid: Map<Box, Cents> = $derived(new Map(this.#over?.lines.filter(({ paid }) => paid > 0).map(({ box, paid }) => [box, paid])));
  readonly bets = $derived(registered(this.seat));
  #lay = new Map<Box, BoxChips>();
  #next = 1;
  #connection: Connection;

  constructor(
    readonly house: HouseView,
    readonly layout: LayoutView,
    device: Device,
  ) {
    this.now.sync(house.time);
    this.terminal = new Terminal(
      {
        send: (message) => this.#connection.send(message),
        resync: () => this.#connection.resync(),
        show: (view) => this.#show(view),
        notify: (notice) => this.notify(notice),
        used: keepSequence,
      },
      keptSequence(),
    );
    this.#connection = new Connection(
      socketAt(`tables/${device.table}/terminal`),
      {
        message: (message) => this.#receive(message),
        lost: (reason, isDenied) => this.terminal.lost(reason, isDenied),
      },
      { ...browser, prove: (challenge) => prove(device, challenge) },
    );
  }

  limits(box: Box): string {
    const { min, max } = limitOf(this.#limited, box);
    return min === null && max === null ? '' : locale.words.takes(min === null ? '0' : money(min, true), max === null ? '–' : money(max, true));
  }

  place(box: Box): void {
    if (settings.sound) sound('chip');
    this.terminal.place([{ box, amount: this.chip }]);
  }

  /** The player has read up to this message. It stays until the server has recorded that. */
  read(message: number): void {
    this.terminal.request({ read: { seat: this.terminal.seat, message } }, (reply) => {
      if ('refused' in reply && reply.refused.code !== 'nothing-to-read') this.notify({ kind: 'refused', why: reply.refused });
    });
  }

  #receive(message: Record<string, unknown>): void {
    const time = (message['snapshot'] as { time?: number } | undefined)?.time ?? message['beat'];
    if (typeof time === 'number') this.now.sync(time);
    this.terminal.receive(message);
  }

  notify(notice: PlayerNotice): void {
    if (notice.kind === 'returned') {
      const flown = notice.returned.stakes.map(({ box, amount }) => ({ id: notice.returned.id, box, amount }));
      this.back = [...this.back, ...flown];
      setTimeout(() => (this.back = this.back.filter((one) => !flown.includes(one))), FLIGHT_MS);
      if (settings.sound) sound('back');
    }
    const id = this.#next++;
    this.notices = [...this.notices, { ...notice, id }].slice(-MAX_NOTICES);
    setTimeout(() => (this.notices = this.notices.filter((one) => one.id !== id)), NOTICE_MS);
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

/** A reason in the player's language. For an unknown code: the server's sentence in English, a general reason in Chinese. */
export function reason({ code, sentence }: Why): string {
  const { reasons } = locale.words;
  return reasons[code] ?? (locale.language === 'en' && sentence ? sentence : reasons['other']!);
}
