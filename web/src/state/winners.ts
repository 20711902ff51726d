// Registering winners after the dice: what the Dealer enters, box by box. The server decides what is needed.

import type { ApprovalOnFile, Box, Cents, ClusterCommand, RegisteringBox, RegisteringView } from '../protocol/messages';
import { standOf, type ApprovableAct, type ApprovalProgress } from './acts';
import type { SeatPlace } from './betEntry';

/** Stakes by seat, or the total of the box. */
export type Wanted = 'stakes' | 'total';

/** Stakes are entered on a box that wins, and on one that loses and had more on it than counts there (5.1.1). */
export function wantedOn(of: RegisteringBox | undefined): Wanted {
  const isOver = of?.told != null && of.cap != null && of.told > of.cap;
  return of && (of.wins || of.asked_for === 'stakes' || isOver) ? 'stakes' : 'total';
}

/** The winning boxes in the felt's order, then losing boxes that need a total. */
export function ledThrough({ boxes }: Pick<RegisteringView, 'boxes'>): RegisteringBox[] {
  return [...boxes.filter(({ wins }) => wins), ...boxes.filter(({ wins }) => !wins)];
}

/** Whether the box has its entries. A winning box counts as entered with its first stake, because its total is unknown. */
export function isEntered({ wins, asked_for, registered, told }: RegisteringBox): boolean {
  return wins ? registered > 0 && (told == null || told === registered) : asked_for == null;
}

/** Boxes that block settlement: missing totals, and stakes that do not add up to a total. */
export function missing({ boxes }: Pick<RegisteringView, 'boxes'>): RegisteringBox[] {
  return boxes.filter((of) => (of.wins ? of.told != null && of.told !== of.registered : of.asked_for != null));
}

/** The box to go on with: the next one that lacks something, or the next one. */
export function nextBox(led: readonly RegisteringBox[], box: Box | null): Box | null {
  const at = led.findIndex((of) => of.box === box);
  const others = [...led.slice(at + 1), ...led.slice(0, Math.max(at, 0))];
  return (others.find((of) => !isEntered(of)) ?? others[0])?.box ?? box;
}

/** A stake that waits for approval. */
export interface Waiting extends SeatPlace {
  box: Box;
  amount: Cents;
  approval: number;
  stand: ApprovalProgress;
  command: ClusterCommand;
}

/** The stakes of a table among a Dealer's requests for approval. */
export function waitingOf(own: readonly ApprovalOnFile[], table: number): Waiting[] {
  return own.flatMap((approval) => {
    const what = JSON.parse(approval.what) as ApprovableAct;
    if (!('cluster' in what) || what.cluster.table !== table) return [];
    const { number: cluster, command } = what.cluster;
    if (typeof command === 'string' || !('register' in command)) return [];
    const { seat, stakes } = command.register;
    return stakes.map(({ box, amount }) => ({ cluster, seat, box, amount, approval: approval.id, stand: standOf(approval), command }));
  });
}
