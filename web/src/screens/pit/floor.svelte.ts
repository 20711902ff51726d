// All tables of the house, each followed on a line of its own, and what the reports say of them.

import type { Line } from '../../protocol/line';
import type { LayoutView, ResultLine, TableView } from '../../protocol/messages';
import { asked } from '../../protocol/staff';
import { Attended, type AttendedView } from '../../state/attended';
import type { Staff } from '../staff/staff.svelte';

export interface Row {
  about: TableView;
  view: AttendedView;
}

const OFTEN = 30_000;

export class Floor {
  rows: Row[] = $state.raw([]);
  results: ResultLine[] = $state.raw([]);
  private readonly lines: Line[] = [];
  private readonly timer: ReturnType<typeof setInterval>;

  constructor(readonly staff: Staff) {
    void this.begin();
    void this.report();
    this.timer = setInterval(() => void this.report(), OFTEN);
  }

  resultOf(table: number): ResultLine | undefined {
    return this.results.find((line) => line.table === table);
  }

  layoutOf(table: number): Promise<LayoutView> {
    return this.staff.call<LayoutView>(`tables/${table}/layout`);
  }

  end(): void {
    clearInterval(this.timer);
    this.lines.forEach((line) => line.end());
  }

  private async begin(): Promise<void> {
    const tables = await this.staff.call<TableView[]>('tables').catch(() => []);
    this.rows = tables.map((about) => ({ about, view: { isUp: false, table: null, staff: null, announcedIn: null } }));
    tables.forEach(({ table }, at) => {
      const attended: Attended = new Attended({ again: () => line.again(), show: (view) => (this.rows = this.rows.with(at, { ...this.rows[at]!, view })) });
      const line: Line = this.staff.follow(`tables/${table}/console`, { message: (message) => attended.hear(message), lost: () => attended.lost() });
      this.lines.push(line);
    });
  }

  private async report(): Promise<void> {
    const path = asked('reports/results', { by: 'table', training: this.staff.house?.is_training || null });
    this.results = await this.staff.call<{ lines: ResultLine[] }>(path).then(({ lines }) => lines, () => this.results);
  }
}
