// A table as a display follows it: its last view, and whether it is connected.

import type { PublicChange, PublicView, Snapshot } from '../protocol/messages';
import { changed } from '../protocol/numbered';

export interface PublicTableView {
  isUp: boolean;
  table: PublicView | null;
}

export class PublicTableFeed {
  private view: PublicTableView = { isUp: false, table: null };

  constructor(
    private readonly deps: { resync(): void; show(view: PublicTableView): void },
  ) {}

  receive(message: Record<string, unknown>): void {
    if ('snapshot' in message) this.show({ isUp: true, table: (message['snapshot'] as Snapshot).public });
    if ('public' in message) {
      const table = this.view.table && changed(this.view.table, message['public'] as PublicChange);
      if (table) this.show({ isUp: true, table });
      else this.deps.resync();
    }
  }

  lost(): void {
    this.show({ ...this.view, isUp: false });
  }

  private show(view: PublicTableView): void {
    this.view = view;
    this.deps.show(view);
  }
}
