// All tables, each over its own connection, and their reports.

import type { Connection } from '../../protocol/connection';
import type { ResultLine, ResultView, SeatHealth, TableView } from '../../protocol/messages';
import { withQuery } from '../../protocol/staffApi';
import { StaffTableFeed, type StaffTableView } from '../../state/staffTableFeed';
import { readsReports } from '../../state/rights';
import type { Staff } from '../staff/staff.svelte';

export interface Row {
  about: TableView;
  view: StaffTableView;
}

const REPORT_POLL_MS = 30_000;
const RETRY_MS = 2_000;

export class Floor {
  rows: Row[] = $state.raw([]);
  results: ResultLine[] = $state.raw([]);
  days: 'today' | 'all' = $state('today');
  private readonly connections: Connection[] = [];
  private isEnded = false;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private readonly timer: ReturnType<typeof setInterval>;

  constructor(readonly staff: Staff) {
    void this.begin();
    void this.report();
    this.timer = setInterval(() => void this.report(), REPORT_POLL_MS);
  }

  /** Clears the results of other days while it loads. */
  choose(days: 'today' | 'all'): void {
    this.days = days;
    this.results = [];
    void this.report(true);
  }

  resultOf(table: number): ResultLine | undefined {
    return this.results.find((line) => line.table === table);
  }

  /** The result of a round, if it is among the last. */
  registered(table: number, round: number): ResultView | undefined {
    return this.rowOf(table)?.view.table?.results?.find((result) => result.round === round);
  }

  healthOf(table: number, cluster: number, seat: number): SeatHealth | undefined {
    return this.rowOf(table)?.view.staff?.seats.find((one) => one.cluster === cluster && one.seat === seat);
  }

  end(): void {
    this.isEnded = true;
    clearTimeout(this.retry);
    clearInterval(this.timer);
    this.connections.forEach((connection) => connection.close());
  }

  private rowOf(table: number): Row | undefined {
    return this.rows.find(({ about }) => about.table === table);
  }

  private async begin(): Promise<void> {
    const tables = await this.staff.poll<TableView[]>('tables');
    if (this.isEnded) return;
    if (!tables) {
      this.retry = setTimeout(() => void this.begin(), RETRY_MS);
      return;
    }
    this.rows = tables.map((about) => ({ about, view: { isUp: false, table: null, staff: null, announcedIn: null } }));
    tables.forEach(({ table }, at) => {
      const feed: StaffTableFeed = new StaffTableFeed({ resync: () => connection.resync(), show: (view) => (this.rows = this.rows.with(at, { ...this.rows[at]!, view })) });
      const connection: Connection = this.staff.follow(`tables/${table}/console`, { message: (message) => feed.receive(message), lost: () => feed.lost() });
      this.connections.push(connection);
    });
  }

  /** Shows a failure only to someone who asked. */
  private async report(isAsked = false): Promise<void> {
    if (!this.staff.me || !readsReports(this.staff.me)) return;
    const { days } = this;
    const path = withQuery('reports/results', { by: 'table', training: this.staff.house?.is_training || null, from: days === 'today' ? days : null });
    const found = await (isAsked ? this.staff.load<{ lines: ResultLine[] }>(path) : this.staff.poll<{ lines: ResultLine[] }>(path));
    if (found && days === this.days) this.results = found.lines;
  }
}
