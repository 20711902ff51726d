// A table as a display follows it: the last thing heard of it, or that nothing is heard.

import type { PublicChange, PublicView, Snapshot } from '../protocol/messages';
import { changed } from '../protocol/numbered';

export interface WatchedView {
  isUp: boolean;
  table: PublicView | null;
}

export class Watched {
  private view: WatchedView = { isUp: false, table: null };

  constructor(
    private readonly around: { again(): void; show(view: WatchedView): void },
  ) {}

  hear(message: Record<string, unknown>): void {
    if ('snapshot' in message) this.show({ isUp: true, table: (message['snapshot'] as Snapshot).public });
    if ('public' in message) {
      const table = this.view.table && changed(this.view.table, message['public'] as PublicChange);
      if (table) this.show({ isUp: true, table });
      else this.around.again();
    }
  }

  lost(): void {
    this.show({ ...this.view, isUp: false });
  }

  private show(view: WatchedView): void {
    this.view = view;
    this.around.show(view);
  }
}
