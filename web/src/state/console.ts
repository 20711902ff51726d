// The next lawful step, and whose step it is. The server decides whether it is carried out.

import type { LayoutView, Me, Phase, PublicView } from '../protocol/messages';
import type { StaffTableView } from './staffTableFeed';
import { rules, runsTable } from './rights';

export type StepName = 'open-table' | 'assign' | 'show-limits' | 'open-bets' | 'close-bets' | 'activate' | 'tumbled' | 'enter-dice' | 'commit' | 'all-registered' | 'continue' | 'wait' | 'ruling' | 'close-table';

export interface Step {
  name: StepName;
  /** Whether the person signed in may take it. */
  isMine: boolean;
}

/** A valid throw has at least this many (3.7 and its like). */
export const TUMBLES = 3;

export const deals = (me: Me, table: PublicView) => table.dealer === me.person && me.roles.includes('dealer');

const BETWEEN: readonly Phase[] = ['idle', 'settled', 'void'];

export const isBetween = (phase: Phase) => BETWEEN.includes(phase);
export const isInPlay = (phase: Phase) => phase === 'open' || phase === 'closing' || phase === 'closed';

/** The next step. `faces` are those that the Dealer has entered. */
export function nextStep(layout: Pick<LayoutView, 'is_covered' | 'has_limits'>, { table, announcedIn }: Pick<StaffTableView, 'table' | 'announcedIn'>, me: Me, faces: readonly number[]): Step {
  if (!table) return { name: 'wait', isMine: false };
  const of = (name: StepName, isMine: boolean): Step => ({ name, isMine });
  const [isRunner, isDealer] = [runsTable(me), deals(me, table)];
  if (table.phase === 'shut') return of('open-table', isRunner);
  if (table.dealer == null) return of('assign', isRunner);
  if (table.is_held) return of('continue', isDealer);
  if (isBetween(table.phase)) {
    if (table.closure_announced && announcedIn !== null && table.round > announcedIn) return of('close-table', isRunner);
    if (table.limits == null && layout.has_limits) return of('show-limits', isRunner);
    return of('open-bets', isDealer);
  }
  if (table.phase === 'open') return layout.is_covered && !isTumbled(table) ? tumble(table, isDealer) : of('close-bets', isDealer);
  if (table.phase === 'closed') {
    if (!isTumbled(table)) return tumble(table, isDealer);
    // 5.4.1: the Dealer settles by the known dice once the rest is read; if it cannot be read, a ruling decides.
    if (table.is_interrupted && !isDealer) return of('ruling', rules(me));
    return of(faces.length === 3 ? 'commit' : 'enter-dice', isDealer);
  }
  if (table.phase === 'result' && table.is_registering) return of('all-registered', isDealer);
  return of('wait', false);
}

function isTumbled({ tumbles }: PublicView): boolean {
  return (tumbles ?? 0) >= TUMBLES;
}

function tumble({ tumbles }: PublicView, isMine: boolean): Step {
  return { name: tumbles == null ? 'activate' : 'tumbled', isMine };
}

/** Under a cover the dice may be tumbled while bets are open, but bets can be closed first. */
export function canCloseFirst(step: Step, table: PublicView): boolean {
  return table.phase === 'open' && step.name !== 'close-bets' && !table.is_held && step.isMine;
}

/** Takes each reading of the tumbler once: a reading that the Dealer cleared does not return until it changes (F10). */
export class Reading {
  private last = '';

  /** The faces of a reading that is whole and new. */
  next(faces: readonly (number | null)[] | null | undefined): number[] | null {
    const read = faces?.filter((face) => face !== null) ?? [];
    const before = this.last;
    this.last = read.join();
    return faces && read.length === faces.length && this.last !== before ? read : null;
  }
}
