// The House's lists as staff screens follow them. Each has its own number; a gap asks for a new snapshot.

import type { HouseParts } from '../protocol/messages';

export interface HouseFeedView {
  isUp: boolean;
  parts: HouseParts;
}

type Numbered = { number: number; all: unknown[] };

export class HouseFeed {
  private view: HouseFeedView = { isUp: false, parts: {} };

  constructor(private readonly deps: { resync(): void; show(view: HouseFeedView): void }) {}

  receive(message: Record<string, unknown>): void {
    if ('snapshot' in message) this.show({ isUp: true, parts: (message['snapshot'] as { parts: HouseParts }).parts });
    if ('parts' in message) {
      const changed = message['parts'] as Record<string, Numbered>;
      const before = this.view.parts as Record<string, Numbered | undefined>;
      const isNext = Object.entries(changed).every(([name, { number }]) => number === (before[name]?.number ?? 0) + 1);
      if (isNext) this.show({ isUp: true, parts: { ...this.view.parts, ...changed } as HouseParts });
      else this.deps.resync();
    }
  }

  lost(): void {
    this.show({ ...this.view, isUp: false });
  }

  private show(view: HouseFeedView): void {
    this.view = view;
    this.deps.show(view);
  }
}
