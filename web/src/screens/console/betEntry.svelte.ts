// Bets of a live table as the Dealer enters them: a seat and then its boxes, or a box and then its seats. The chip stays chosen.

import type { BetView, Box, Cents, ClusterCommand, CommandReply, PublicView } from '../../protocol/messages';
import { chipsByBox, type BoxChips } from '../../state/bets';
import { deals } from '../../state/console';
import { isAt, lessTaken, movingOf, othersOf, takenOff, typedOn, type Entered, type SeatPlace, type Sent } from '../../state/betEntry';
import { chips, firstChip } from '../../state/limits';
import { staffLocale } from '../../words/staffLocale.svelte';
import type { ConsoleState } from './consoleState.svelte';

/** Refusals of bets over a box's maximum or its Differential. */
const EXCESS_CODES = ['over-limit', 'over-differential'];
/** As many as fit on the tray. */
const MAX_TRAY_CHIPS = 9;
const MAX_TYPED_AMOUNTS = 1;

type Tool = 'place' | 'take-chip' | 'take-box';

export class BetEntry {
  by: 'seat' | 'box' = $state('seat');
  seat: SeatPlace | null = $state.raw(null);
  box: Box | null = $state(null);
  tool: Tool = $state('place');
  /** Placed by staff for the player (5.13), and with Colour Chips. */
  isForPlayer = $state(false);
  hasColour = $state(false);
  /** An amount that is being typed, in whole money. */
  typed = $state('');
  /** Entered here in this round, so it can be undone; other bets may lie there too. */
  entered: readonly Entered[] = $state.raw([]);
  /** Chips refused as over a limit, until the Dealer says whether they still lie there (5.1). */
  refused: readonly Entered[] = $state.raw([]);
  private sent: readonly Sent[] = $state.raw([]);
  private chosen: Cents | null = $state(null);
  private amounts: readonly Cents[] = $state.raw([]);
  private round = 0;

  constructor(private readonly consoleState: ConsoleState) {}

  private readonly limited = $derived.by(() => ({ limits: this.consoleState.table?.limits, boxes: this.consoleState.layout.boxes.map(({ box }) => box) }));
  readonly chips: readonly Cents[] = $derived.by(() => chips({ ...this.limited, room: MAX_TRAY_CHIPS, hasUnit: true }));
  /** The chips of the table, and the amounts typed last. */
  readonly tray: readonly Cents[] = $derived.by(() => [...this.chips, ...this.amounts.filter((amount) => !this.chips.includes(amount)).slice(0, MAX_TYPED_AMOUNTS)]);
  readonly chip: Cents = $derived.by(() => {
    if (this.typed) return Number(this.typed) * 100;
    return this.chosen !== null && this.tray.includes(this.chosen) ? this.chosen : firstChip(this.limited.limits, this.limited.boxes);
  });
  readonly isOn = $derived.by(() => this.consoleState.isLive && this.consoleState.table?.phase === 'open' && !this.consoleState.table.is_held && !this.consoleState.winners.isOfTable);
  /** The chips on the felt: those of the chosen seat with its pending ones, or all. */
  readonly lies: Map<Box, BoxChips> = $derived.by(() => {
    if (this.isOn && this.seat) return chipsByBox(this.betsOf(this.seat), movingOf(this.sent, this.seat));
    return chipsByBox([...this.consoleState.totals].map(([box, amount]) => ({ box, amount })), this.sent);
  });
  readonly others: Map<Box, Cents> = $derived.by(() => (this.isOn && this.seat ? othersOf(this.consoleState.totals, this.betsOf(this.seat)) : new Map()));

  choose(by: 'seat' | 'box'): void {
    this.by = by;
    this.seat = null;
    this.box = null;
  }

  take(chip: Cents): void {
    this.chosen = chip;
    this.typed = '';
    this.tool = 'place';
  }

  type(key: string): void {
    this.typed = typedOn(this.typed, key);
    if (this.typed) this.tool = 'place';
  }

  touchBox(box: Box): void {
    if (this.by === 'box') this.box = box;
    else if (this.seat) void this.play(this.seat, box);
  }

  touchSeat({ cluster, seat: number }: SeatPlace): void {
    const seat = { cluster, seat: number };
    if (this.by === 'box') return this.box ? void this.play(seat, this.box) : undefined;
    // Placing for a player (5.13) ends with the choice of another seat.
    if (this.seat && !isAt(this.seat, seat)) this.isForPlayer = false;
    this.seat = seat;
  }

  betsOf(seat: SeatPlace): BetView[] {
    return this.consoleState.staffView?.bets.filter((one) => isAt(one, seat)) ?? [];
  }

  /** Registers bets. Those refused as over a limit may still lie there, so the Dealer is asked. */
  async place(bet: Entered, how: 'place' | 'place-for' | 'place-excess'): Promise<void> {
    const reply = await this.ask({ ...bet, isPlaced: true }, how);
    if (!reply) return;
    if (this.consoleState.staff.isDone(reply)) this.entered = [...this.entered, bet];
    else if ('refused' in reply && EXCESS_CODES.includes(reply.refused.code)) this.refused = [...this.refused, bet];
  }

  /** The Dealer's answer on refused chips: returned, or registered as they lie (5.1.1). */
  async answerRefused(bet: Entered, liesThere: boolean): Promise<void> {
    this.refused = this.refused.filter((one) => one !== bet);
    if (liesThere) await this.place(bet, 'place-excess');
  }

  /** Undoes the last entry: of the chosen seat, or of all. */
  readonly last: Entered | undefined = $derived.by(() => this.entered.findLast((one) => !this.seat || isAt(one, this.seat)));

  async undo(): Promise<void> {
    const { last } = this;
    if (!last) return;
    this.entered = this.entered.filter((one) => one !== last);
    const reply = await this.ask({ ...last, isPlaced: false }, 'withdraw');
    if (reply && !this.consoleState.staff.isDone(reply)) this.entered = [...this.entered, last];
  }

  /** The seat bets what it bet in the last round. */
  async repeat({ cluster, seat }: SeatPlace): Promise<void> {
    await this.consoleState.sendTo(cluster, { repeat: { seat } });
  }

  async withdrawAll(place: SeatPlace): Promise<void> {
    if (await this.consoleState.sendTo(place.cluster, { clear: { seat: place.seat } })) this.entered = this.entered.filter((one) => !isAt(one, place));
  }

  follow({ round, phase }: PublicView): void {
    if (round !== this.round) {
      this.entered = [];
      this.sent = [];
      this.tool = 'place';
      this.typed = '';
      this.isForPlayer = false;
    }
    // Bets count as they lie at the close (5.9): nothing more is registered.
    if (phase !== 'open') this.refused = [];
    this.round = round;
  }

  private async play(seat: SeatPlace, box: Box): Promise<void> {
    if (!this.consoleState.view.isUp) return this.consoleState.staff.notify(staffLocale.words.offline, true);
    if (this.tool !== 'place') return this.takeOff(seat, box);
    const amount = this.chip;
    if (this.typed) {
      this.amounts = [amount, ...this.amounts.filter((one) => one !== amount)];
      this.take(amount);
    }
    const isDealer = this.consoleState.table !== null && deals(this.consoleState.staff.me!, this.consoleState.table);
    await this.place({ ...seat, chips: this.hasColour ? 'colour' : 'own', stakes: [{ box, amount }] }, this.isForPlayer || !isDealer ? 'place-for' : 'place');
  }

  private async takeOff(seat: SeatPlace, box: Box): Promise<void> {
    for (const off of takenOff(this.betsOf(seat), box, this.tool === 'take-box' ? 'all' : this.chip)) {
      const reply = await this.ask({ ...seat, ...off, isPlaced: false }, 'withdraw');
      if (reply && this.consoleState.staff.isDone(reply)) this.entered = lessTaken(this.entered, { ...seat, ...off });
    }
  }

  /** Sends the command, and shows its chips as pending until the reply. A reply for an earlier round is ignored. */
  private async ask(sent: Sent, how: 'place' | 'place-for' | 'place-excess' | 'withdraw'): Promise<CommandReply | null> {
    const { cluster, isPlaced: _, ...bet } = sent;
    const { round } = this;
    this.sent = [...this.sent, sent];
    const reply = await this.consoleState.staff.cluster(this.consoleState.number, cluster, { [how]: bet } as ClusterCommand);
    this.sent = this.sent.filter((one) => one !== sent);
    return this.round === round ? reply : null;
  }
}
