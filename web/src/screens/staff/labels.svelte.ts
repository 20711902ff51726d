// Names of boxes by table. Each layout is loaded once, when it is first needed, and again after a failure.

import type { InLanguages, LayoutView } from '../../protocol/messages';
import { boxName } from '../../words/boxes';
import type { Staff } from './staff.svelte';

const RETRY_MS = 5_000;

export class Labels {
  private known: ReadonlyMap<number, ReadonlyMap<string, InLanguages>> = $state.raw(new Map());
  private readonly requested = new Set<number>();

  constructor(private readonly staff: Staff) {}

  /** Undefined until the layout of the table is loaded. */
  of(table: number, box: string): string | undefined {
    const label = this.known.get(table)?.get(box);
    return label && boxName(label);
  }

  know(tables: Iterable<number | null | undefined>): void {
    for (const table of tables) if (table != null && !this.requested.has(table)) void this.ask(table);
  }

  private async ask(table: number): Promise<void> {
    this.requested.add(table);
    const layout = await this.staff.poll<LayoutView>(`tables/${table}/layout`);
    if (layout) this.known = new Map([...this.known, [table, new Map(layout.boxes.map(({ box, label }) => [box as string, label]))]]);
    else if (this.staff.me) setTimeout(() => void this.ask(table), RETRY_MS);
    else this.requested.delete(table);
  }
}
