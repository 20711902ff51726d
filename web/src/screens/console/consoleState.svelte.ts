// The state of the Game Console: follows the table, keeps the entered faces and sends the Dealer's commands. `betEntry.svelte.ts` enters
// the bets of a live table, `winnerRegistration.svelte.ts` its winners.

import type { Connection } from '../../protocol/connection';
import type { Box, Cents, ClusterCommand, CommandReply, HouseConfiguration, LayoutView, PublicView, RoundCommand, TableView } from '../../protocol/messages';
import { StaffTableFeed, type StaffTableView } from '../../state/staffTableFeed';
import { paragraphsOf, type Cited } from '../../state/cited';
import { nextStep, Reading, TUMBLES } from '../../state/console';
import { totalsOf } from '../../state/excess';
import { paidAtTable } from '../../state/payList';
import { followsHouse, sees } from '../../state/rights';
import { isSameVoid, latestVoid, type Voided } from '../../state/voids';
import { litBy } from '../../felt/wins';
import { boxNames } from '../../words/boxes';
import { staffLocale } from '../../words/staffLocale.svelte';
import { BetEntry } from './betEntry.svelte';
import { WinnerRegistration } from './winnerRegistration.svelte';
import { HouseState } from '../staff/houseState.svelte';
import type { Staff } from '../staff/staff.svelte';

export class ConsoleState {
  view: StaffTableView = $state.raw({ isUp: false, table: null, staff: null, announcedIn: null });
  faces: number[] = $state.raw([]);
  /** The totals of the boxes when their players were advised in this round (5.2). */
  advised: ReadonlyMap<Box, Cents> = $state.raw(new Map());
  /** The void that the Dealer has to announce (F82), until it is announced or the next round opens. */
  toAnnounce: Voided | null = $state.raw(null);
  isSending = $state(false);
  configuration: HouseConfiguration | null = $state.raw(null);
  readonly table = $derived(this.view.table);
  readonly staffView = $derived(this.view.staff);
  readonly totals = $derived(totalsOf(this.view.staff));
  /** While bets are open, boxes whose total is below the minimum (5.2). */
  readonly below = $derived(this.table?.phase === 'open' ? (this.view.staff?.below ?? []) : []);
  /** The pay list of the finished round, until the next one opens. */
  readonly payList = $derived.by(() => {
    const { table, staff } = this.view;
    const list = staff?.pay_list;
    return this.isLive && table?.phase !== 'open' && list?.is_settled && list.round === table?.round ? list : null;
  });
  /** Seats of the pay list that are not paid in full. */
  readonly unpaid = $derived(this.payList && !this.isHandedBack ? paidAtTable(this.payList).filter(({ isDone }) => !isDone).length : 0);
  readonly proposed = $derived(this.configuration?.tables.find(({ table }) => table === this.number)?.proposed ?? null);
  readonly labels = $derived.by(() => boxNames(this.layout.boxes));
  readonly entry = new BetEntry(this);
  readonly winners = new WinnerRegistration(this);
  readonly number: number;
  readonly isLive: boolean;
  private readonly connection: Connection;
  private readonly reading = new Reading();
  private round = 0;
  private houseState: HouseState | null = null;

  constructor(
    readonly staff: Staff,
    readonly about: TableView,
    readonly layout: LayoutView,
  ) {
    this.number = about.table;
    this.isLive = !about.has_terminals;
    const feed = new StaffTableFeed({ resync: () => this.connection.resync(), show: (view) => this.show(view) });
    this.connection = staff.follow(`tables/${about.table}/console`, { message: (message) => feed.receive(message), lost: () => feed.lost() });
    void this.loadConfiguration();
  }

  get step() {
    return nextStep(this.layout, this.view, this.staff.me!, this.faces);
  }

  /** Empty where the game has no such rule. */
  cited(rule: Cited): readonly string[] {
    return paragraphsOf(this.layout, rule);
  }

  /** The round became void before the chips were collected: they are returned as they lie, registered or not. */
  get isHandedBack(): boolean {
    return this.winners.isOfTable && this.table?.phase === 'void';
  }

  get isOver(): boolean {
    return this.table?.phase === 'result' || this.table?.phase === 'settled';
  }

  /** The dice to show: those entered, or those of the finished round. */
  get dice(): readonly number[] {
    if (this.faces.length > 0) return this.faces;
    const latest = this.table?.latest;
    return this.isOver && latest?.round === this.table?.round && !latest?.void ? (latest?.dice ?? []) : [];
  }

  get lit() {
    return this.dice.length === 3 ? litBy(this.layout, this.dice) : new Set<never>();
  }

  get canEnter(): boolean {
    const { name, isMine } = this.step;
    return isMine && (name === 'enter-dice' || name === 'commit');
  }

  enter(face: number): void {
    if (this.canEnter && this.faces.length < 3) this.faces = [...this.faces, face];
  }

  takeBack(at = this.faces.length - 1): void {
    this.faces = this.faces.filter((_, place) => place !== at);
  }

  async tick(seat: number, is_paid: boolean): Promise<void> {
    await this.sendTo(0, { 'tick-off': { seat, is_paid } });
  }

  next(): void {
    const { name } = this.step;
    if (name === 'tumbled') void this.send({ tumbled: { times: TUMBLES - (this.table?.tumbles ?? 0) } });
    else if (name === 'commit') void this.commit();
    else if (name === 'all-registered') void this.winners.allRegistered();
    else if (name === 'open-table' || name === 'open-bets' || name === 'close-bets' || name === 'activate' || name === 'continue' || name === 'close-table') void this.send(name);
  }

  async send(command: RoundCommand): Promise<boolean> {
    return this.submit(() => this.staff.round(this.number, command));
  }

  async sendTo(cluster: number, command: ClusterCommand): Promise<boolean> {
    return this.submit(() => this.staff.cluster(this.number, cluster, command));
  }

  /** Takes a buy-in. Above the limit a second person approves it (F50). */
  async takeIn(cluster: number, command: ClusterCommand): Promise<boolean> {
    this.isSending = true;
    const reply = await this.staff.cluster(this.number, cluster, command);
    this.isSending = false;
    const isLarge = 'refused' in reply && reply.refused.code === 'second-person-missing';
    if (isLarge && followsHouse(this.staff.me!)) return this.house.ask({ cluster: { table: this.number, number: cluster, command } });
    if (isLarge) this.staff.notify(staffLocale.words.console.largeBuyIn, true);
    return !isLarge && this.staff.isDone(reply);
  }

  /** Asks for approval to reverse a buy-in; it is reversed once approved. */
  async reverse(cluster: number, command: ClusterCommand): Promise<boolean> {
    if (followsHouse(this.staff.me!)) return this.house.ask({ cluster: { table: this.number, number: cluster, command } });
    this.staff.notify(staffLocale.words.console.reverseElsewhere, true);
    return false;
  }

  async advise(box: Box, total: Cents): Promise<void> {
    if (await this.sendTo(0, { advise: { box } })) this.advised = new Map([...this.advised, [box, total]]);
  }

  /** For approvals. Created on first use: most Dealers never need it. */
  get house(): HouseState {
    return (this.houseState ??= new HouseState(this.staff, sees(this.staff.me!, 'pit') ? 'pit' : 'cage'));
  }

  async loadConfiguration(): Promise<void> {
    this.configuration = await this.staff.call<HouseConfiguration>('house/configuration').catch(() => null);
  }

  end(): void {
    this.connection.close();
    this.houseState?.end();
  }

  /** After an interruption the unknown dice are reported first, then all three are committed (5.4.1). */
  private async commit(): Promise<void> {
    const faces = [...this.faces];
    const isRead = !this.table?.is_interrupted || this.staffView?.faces?.every((face) => face !== null);
    if (isRead || (await this.send({ 'at-rest': { faces } }))) await this.send({ commit: { dice: faces } });
  }

  /** On the first view only a void of the current round is announced: earlier ones were announced before. */
  private announce(before: PublicView | null, table: PublicView): void {
    const voided = latestVoid(table);
    const isNew = before ? !isSameVoid(voided, latestVoid(before)) : voided?.to === table.round;
    if (isNew) this.toAnnounce = voided;
    else if (before && table.round !== before.round) this.toAnnounce = null;
  }

  private async submit(request: () => Promise<CommandReply>): Promise<boolean> {
    this.isSending = true;
    const reply = await request();
    this.isSending = false;
    const accepted = 'accepted' in reply ? (reply.accepted as { committed?: { differs: boolean } } | null) : null;
    if (accepted?.committed?.differs) this.staff.notify(staffLocale.words.console.differs, true);
    return this.staff.isDone(reply);
  }

  private show(view: StaffTableView): void {
    const before = this.view.table;
    this.view = view;
    const { table, staff } = view;
    if (table) this.announce(before, table);
    const isNew = table !== null && (table.round !== this.round || table.phase !== 'closed');
    if (isNew) this.faces = [];
    if (table !== null && table.round !== this.round) this.advised = new Map();
    if (table) this.entry.follow(table);
    if (table) this.winners.follow(table);
    this.round = table?.round ?? 0;
    const read = this.reading.next(table?.phase === 'closed' ? staff?.faces : null);
    if (read && this.faces.length === 0) this.faces = read;
  }
}
