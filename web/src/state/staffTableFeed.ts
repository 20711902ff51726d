// A table as staff follow it: the public view and the staff view. A gap asks for a new snapshot.

import type { PublicChange, PublicView, SeatHealth, Snapshot, StaffChange, StaffView } from '../protocol/messages';
import { changed } from '../protocol/numbered';

export interface StaffTableView {
  isUp: boolean;
  table: PublicView | null;
  staff: StaffView | null;
  /** The round in which the closing of the table was announced, where this screen saw it. */
  announcedIn: number | null;
}

/** The staff view after a change; undefined if one is missing before it. A change lists only the seats that changed or left. */
export function staffChanged(before: StaffView, change: StaffChange): StaffView | undefined {
  if (change.number !== before.number + 1) return undefined;
  return { ...before, ...change, seats: withSeats(before.seats, change), gone: [] } as StaffView;
}

function withSeats(before: SeatHealth[], { seats: changed = [], gone = [] }: StaffChange): SeatHealth[] {
  const key = ({ cluster, seat }: Pick<SeatHealth, 'cluster' | 'seat'>) => cluster * 100_000 + seat;
  const seats = new Map(before.map((seat) => [key(seat), seat]));
  changed.forEach((seat) => seats.set(key(seat), seat));
  gone.forEach((seat) => seats.delete(key(seat)));
  return [...seats.values()].sort((one, other) => key(one) - key(other));
}

export class StaffTableFeed {
  private view: StaffTableView = { isUp: false, table: null, staff: null, announcedIn: null };

  constructor(private readonly deps: { resync(): void; show(view: StaffTableView): void }) {}

  receive(message: Record<string, unknown>): void {
    if ('snapshot' in message) {
      const { public: table, staff } = message['snapshot'] as Snapshot;
      const announcedIn = table.closure_announced ? this.view.announcedIn : null;
      this.show({ isUp: true, table, staff: staff ?? null, announcedIn });
    }
    if ('public' in message) this.follow(this.view.table && changed(this.view.table, message['public'] as PublicChange), this.view.staff);
    if ('staff' in message) this.follow(this.view.table, this.view.staff && staffChanged(this.view.staff, message['staff'] as StaffChange));
  }

  lost(): void {
    this.show({ ...this.view, isUp: false });
  }

  private follow(table: PublicView | null | undefined, staff: StaffView | null | undefined): void {
    if (!table || staff === undefined) return this.deps.resync();
    const wasAnnounced = this.view.table?.closure_announced ?? false;
    const announcedIn = !table.closure_announced ? null : wasAnnounced ? this.view.announcedIn : table.round;
    this.show({ isUp: true, table, staff, announcedIn });
  }

  private show(view: StaffTableView): void {
    this.view = view;
    this.deps.show(view);
  }
}
