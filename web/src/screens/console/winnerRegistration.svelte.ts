// A live table that registers winners. After the dice the Dealer goes through the winning boxes: a box, a seat, its chips. The server's
// view decides what is registered.

import type { ApprovalOnFile, Box, Cents, ClusterCommand, CommandReply, PayLine, PublicView } from '../../protocol/messages';
import { rightOf } from '../../state/acts';
import { chipsByBox, type BoxChips } from '../../state/bets';
import { isAt, typedOn, type SeatPlace, type Sent } from '../../state/betEntry';
import { ledThrough, missing, nextBox, waitingOf, wantedOn, type Waiting } from '../../state/winners';
import { staffLocale } from '../../words/staffLocale.svelte';
import type { ConsoleState } from './consoleState.svelte';

const APPROVAL_POLL_MS = 2_000;

export class WinnerRegistration {
  seat: SeatPlace | null = $state.raw(null);
  /** The amount being typed, in whole money, and the total counted in chips. */
  typed = $state('');
  counted: Cents = $state(0);
  /** Stakes that wait for approval, from the server's file. */
  waiting: readonly Waiting[] = $state.raw([]);
  private chosen: Box | null = $state(null);
  private sent: readonly Sent[] = $state.raw([]);
  private round = 0;
  private isLooking = false;
  private isStale = false;

  constructor(private readonly consoleState: ConsoleState) {}

  /** Whether the table registers winners only: nothing is entered before the dice. */
  readonly isOfTable = $derived.by(() => this.consoleState.table?.registration === 'winners');
  readonly view = $derived.by(() => (this.consoleState.table?.is_registering ? (this.consoleState.staffView?.registering ?? null) : null));
  readonly isOn = $derived.by(() => this.view !== null && !this.view.is_registered);
  readonly led = $derived.by(() => (this.view ? ledThrough(this.view) : []));
  readonly missing = $derived.by(() => (this.view ? missing(this.view) : []));
  /** The Dealer confirmed that no other losing box is over its maximum or Differential (5.1.1). */
  isNoneOver = $state(false);
  readonly asksLosing = $derived.by(() => (this.view?.boxes ?? []).some(({ cap }) => cap != null));
  /** Why the round cannot be settled yet; empty if it can. */
  readonly lacks = $derived.by(() => {
    if (this.waiting.length > 0) return staffLocale.words.winners.lacksApproval;
    if (this.missing.length > 0) return staffLocale.words.winners.lacks(this.missing.map(({ box }) => this.consoleState.labels.get(box)).join(', '));
    return this.asksLosing && !this.isNoneOver ? staffLocale.words.winners.lacksLosing : '';
  });
  /** The chosen box, or the first. */
  readonly box: Box | null = $derived.by(() => this.chosen ?? this.led[0]?.box ?? null);
  readonly at = $derived.by(() => this.view?.boxes.find(({ box }) => box === this.box));
  readonly wanted = $derived.by(() => wantedOn(this.at));
  readonly lines: readonly PayLine[] = $derived.by(() => (this.view ? (this.consoleState.staffView?.pay_list?.lines ?? []) : []));
  /** The chips on the felt: registered and pending. */
  readonly lies: Map<Box, BoxChips> = $derived.by(() => chipsByBox(this.lines.map(({ box, stake: amount }) => ({ box, amount })), this.sent));
  readonly amount: Cents = $derived.by(() => (this.typed ? Number(this.typed) * 100 : this.counted));

  stakeOf(place: SeatPlace): Cents {
    const own = this.lines.filter(({ seat, box }) => seat === place.seat && box === this.box).reduce((sum, { stake }) => sum + stake, 0);
    const sent = this.sent.filter((one) => isAt(one, place)).flatMap(({ isPlaced, stakes }) => stakes.filter(({ box }) => box === this.box).map(({ amount }) => (isPlaced ? amount : -amount)));
    return sent.reduce((sum, amount) => sum + amount, own);
  }

  touchBox(box: Box): void {
    // A game without limits asks for no losing box.
    const isAsked = this.view?.boxes.some((of) => of.box === box || of.cap != null);
    if (!isAsked) return this.consoleState.staff.notify(staffLocale.words.winners.loses);
    this.chosen = box;
    this.clear();
    this.seat = null;
  }

  touchSeat({ cluster, seat }: SeatPlace): void {
    if (this.wanted === 'total') return this.consoleState.staff.notify(staffLocale.words.winners.totalFirst);
    this.seat = { cluster, seat };
    this.clear();
  }

  touchChip(chip: Cents): void {
    this.typed = '';
    if (this.wanted === 'total') this.counted += chip;
    else void this.register(chip);
  }

  type(key: string): void {
    this.counted = 0;
    this.typed = typedOn(this.typed, key);
  }

  clear(): void {
    [this.typed, this.counted] = ['', 0];
  }

  next(): void {
    this.chosen = nextBox(this.led, this.box);
    this.clear();
    this.seat = null;
  }

  async enter(amount = this.amount): Promise<void> {
    if (this.wanted === 'stakes') return amount > 0 ? this.register(amount) : undefined;
    if (this.box && (await this.consoleState.sendTo(0, { 'tell-total': { box: this.box, amount } }))) this.clear();
  }

  /** Removes a wrong line. */
  async remove({ seat, box, chips, stake: amount }: PayLine): Promise<void> {
    const off: Sent = { cluster: 0, seat, chips, stakes: [{ box, amount }], isPlaced: false };
    const reply = await this.during(off, { withdraw: { seat, chips, stakes: off.stakes } });
    this.consoleState.staff.isDone(reply);
  }

  async allRegistered(): Promise<void> {
    await this.consoleState.sendTo(0, 'all-registered');
  }

  /** Withdraws the request for approval. */
  async giveUp(waiting: Waiting): Promise<void> {
    this.waiting = this.waiting.filter(({ approval }) => approval !== waiting.approval);
    await this.consoleState.staff.atHouse({ 'withdraw-approval': { approval: waiting.approval } });
  }

  follow({ round, is_registering }: PublicView): void {
    if (round !== this.round || !is_registering) {
      for (const waiting of this.waiting) void this.giveUp(waiting);
      [this.chosen, this.seat, this.sent, this.isNoneOver] = [null, null, [], false];
      this.clear();
    }
    this.round = round;
    if (is_registering) void this.pollApprovals();
  }

  private async register(amount: Cents): Promise<void> {
    const { seat: place, box } = this;
    if (!place || !box) return this.consoleState.staff.notify(staffLocale.words.winners.seatFirst);
    this.clear();
    const { cluster, seat } = place;
    const stakes = [{ box, amount }];
    const command = { register: { seat, stakes } };
    const reply = await this.during({ cluster, seat, chips: 'own', stakes, isPlaced: true }, command);
    if ('refused' in reply && reply.refused.code === 'second-person-missing') return this.askSecond(cluster, command);
    this.consoleState.staff.isDone(reply);
  }

  /** Shows the stake as pending until the reply. */
  private async during(sent: Sent, command: ClusterCommand): Promise<CommandReply> {
    this.sent = [...this.sent, sent];
    const reply = await this.consoleState.staff.cluster(this.consoleState.number, sent.cluster, command);
    this.sent = this.sent.filter((one) => one !== sent);
    return reply;
  }

  private async askSecond(cluster: number, command: ClusterCommand): Promise<void> {
    const { staff, number: table } = this.consoleState;
    const what = { cluster: { table, number: cluster, command } };
    const reply = await staff.atHouse({ 'request-approval': { act: rightOf(what), what: JSON.stringify(what) } });
    if (staff.isDone(reply)) await this.pollApprovals();
  }

  /** Polls the requests for approval, also those from before a reload. An approved stake is registered at the next poll. */
  private async pollApprovals(): Promise<void> {
    // The poll under way may be older than the latest request, so it runs once more.
    this.isStale = true;
    if (this.isLooking) return;
    this.isLooking = true;
    try {
      while (this.isStale || this.waiting.length > 0) {
        this.isStale = false;
        const own = await this.consoleState.staff.poll<ApprovalOnFile[]>('house/approvals');
        if (own) this.waiting = waitingOf(own, this.consoleState.number);
        for (const one of this.waiting) if (one.stand !== 'waiting') await this.answered(one);
        if (this.waiting.length > 0) await new Promise((done) => setTimeout(done, APPROVAL_POLL_MS));
      }
    } finally {
      this.isLooking = false;
    }
  }

  private async answered(waiting: Waiting): Promise<void> {
    const { staff, number } = this.consoleState;
    if (waiting.stand === 'refused') {
      staff.notify(staffLocale.words.pit.wasRefused, true);
      return this.giveUp(waiting);
    }
    const reply = await staff.cluster(number, waiting.cluster, waiting.command, waiting.approval);
    if (staff.isDone(reply)) this.waiting = this.waiting.filter(({ approval }) => approval !== waiting.approval);
    else await this.giveUp(waiting);
  }
}
