// The state of a screen that follows the House (pit, cage, audit): its lists, requests for approval, and approved acts.

import type { Connection } from '../../protocol/connection';
import { voucherOf, type Issued } from '../../protocol/issued';
import type { ApprovalOnFile, EmployeeOnFile, HouseCommand, ResultView, Voucher } from '../../protocol/messages';
import { RefusedError } from '../../protocol/staffApi';
import { carried, ownOf, rightOf, standOf, type ApprovableAct } from '../../state/acts';
import { money } from '../../state/money';
import { HouseFeed, type HouseFeedView } from '../../state/houseFeed';
import { staffLocale, reasonOf } from '../../words/staffLocale.svelte';
import type { Staff } from './staff.svelte';

export class HouseState {
  view: HouseFeedView = $state.raw({ isUp: false, parts: {} });
  /** A set-up code or a one-time password, shown only once. */
  given: { code?: string; device?: number; password?: string; person?: number } | null = $state.raw(null);
  /** A voucher that was sold or reissued, shown only once (F42). */
  voucher: Voucher | null = $state.raw(null);
  readonly approvals: ApprovalOnFile[] = $derived(this.view.parts.approvals?.all ?? []);
  readonly people: EmployeeOnFile[] = $derived(this.view.parts.people?.all ?? []);
  /** Approvals used here; the House removes them from its list a moment later. */
  used: ReadonlySet<number> = $state.raw(new Set());
  /** The voucher number in the form, once it is complete. */
  number: string | null = $state(null);
  /** The result of a round, where the screen knows it. */
  registered: (table: number, round: number) => ResultView | undefined = () => undefined;
  private readonly connection: Connection;
  /** Requests made at this screen, by approval: they are sent as soon as they are approved. */
  private readonly requested = new Map<number, { what: ApprovableAct; send?: HouseCommand | undefined; done?: (() => void) | undefined }>();

  constructor(
    readonly staff: Staff,
    screen: 'pit' | 'cage' | 'audit',
  ) {
    const feed = new HouseFeed({ resync: () => this.connection.resync(), show: (view) => this.show(view) });
    this.connection = staff.follow(`house/${screen}`, { message: (message) => feed.receive(message), lost: () => feed.lost() });
  }

  nameOf(person: number): string {
    return this.people.find(({ id }) => id === person)?.name ?? staffLocale.words.person(person);
  }

  /** Requests approval of an act. `send` is the command to send once approved, if it differs from what the second person reads. */
  async ask(what: ApprovableAct, more: { send?: HouseCommand; done?: () => void } = {}): Promise<boolean> {
    const reply = await this.staff.atHouse({ 'request-approval': { act: rightOf(what), what: JSON.stringify(what) } });
    if (!this.staff.isDone(reply)) return false;
    const { approval } = (reply.accepted as { 'approval-requested': { approval: number } })['approval-requested'];
    this.requested.set(approval, { what, ...more });
    this.staff.notify(staffLocale.words.pit.requested);
    this.settleRequests();
    return true;
  }

  async answer(approval: number, approve: boolean): Promise<void> {
    this.staff.isDone(await this.staff.atHouse({ 'answer-approval': { approval, approve } }));
  }

  async withdraw(approval: number): Promise<void> {
    this.staff.isDone(await this.staff.atHouse({ 'withdraw-approval': { approval } }));
  }

  canCarryOut(approval: ApprovalOnFile): boolean {
    return standOf(approval) === 'approved' && (this.requested.has(approval.id) || carried(approval.what, this.number) !== null);
  }

  async carryOut({ id, what }: ApprovalOnFile): Promise<void> {
    const requested = this.requested.get(id);
    const act = requested?.what ?? carried(what, this.number);
    this.requested.delete(id);
    if (!act || !(await this.isSent(act, id, requested?.send))) return;
    this.used = new Set([...this.used, id]);
    this.staff.notify(staffLocale.words.pit.carriedOut);
    requested?.done?.();
  }

  /** Shows the voucher that a command issued. */
  issue(accepted: unknown): void {
    const issued = accepted as Issued;
    this.voucher = voucherOf(issued);
    // An earlier try was carried out: its number cannot be shown again.
    if ('on-file' in issued) {
      const on = issued['on-file'].voucher;
      const { onFile, onFileUnknown } = staffLocale.words.pit.cage;
      this.staff.notify(on ? onFile(on.serial, money(on.amount), on.digits) : onFileUnknown, true);
    }
  }

  /** Requests a set-up code or a one-time password. */
  async give(act: Extract<ApprovableAct, { code: unknown } | { password: unknown }>, approval?: number): Promise<boolean> {
    const path = 'code' in act ? `devices/${act.code.device}/code` : `people/${act.password.person}/password`;
    try {
      this.given = await this.staff.call(path, { approval: approval ?? null });
      return true;
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      if (error.refused.code === 'not-approved' && approval === undefined) return this.ask(act);
      this.staff.notify(reasonOf(error.refused), true);
      return false;
    }
  }

  end(): void {
    this.connection.close();
  }

  private async isSent(act: ApprovableAct, approval: number, send?: HouseCommand): Promise<boolean> {
    if ('code' in act || 'password' in act) return this.give(act, approval);
    const request =
      'table' in act ? this.staff.round(act.table.table, act.table.round, approval) : 'cluster' in act ? this.staff.cluster(act.cluster.table, act.cluster.number, act.cluster.command, approval) : this.staff.atHouse(send ?? act.house, approval);
    const reply = await request;
    if (!this.staff.isDone(reply)) return false;
    if ('house' in act && typeof act.house === 'object' && ('sell' in act.house || 'reissue' in act.house)) this.issue(reply.accepted);
    return true;
  }

  private show(view: HouseFeedView): void {
    this.view = view;
    this.settleRequests();
  }

  private settleRequests(): void {
    for (const approval of ownOf(this.approvals, this.staff.me?.person ?? 0)) {
      if (!this.requested.has(approval.id)) continue;
      if (standOf(approval) === 'approved') void this.carryOut(approval);
      if (standOf(approval) === 'refused') {
        this.requested.delete(approval.id);
        this.staff.notify(staffLocale.words.pit.wasRefused, true);
      }
    }
  }
}
