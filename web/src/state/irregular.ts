// The irregularities that may be reported now, by the game's paragraphs, and their consequences.

import type { LayoutView, PublicView, RoundCommand } from '../protocol/messages';
import { isInPlay, TUMBLES } from './console';
import { paragraphsOf, type Cited } from './cited';

export type Irregularity = 'few-tumbles' | 'not-flat' | 'exposed' | 'activated-early' | 'interrupted';

export interface IrregularityOption {
  name: Irregularity;
  paragraphs: readonly string[];
  /** Whether it can be reported at this moment. */
  isLawful: boolean;
  then: 'void' | 'concluded';
}

/** The irregularities of the table's game, in the order of its rules. `known` are the dice read before an interruption. */
export function irregularities(layout: Pick<LayoutView, 'is_covered' | 'paragraphs'>, table: PublicView, known: readonly number[] = []): IrregularityOption[] {
  // 5.4.1: known dice bind, so neither 5.5.1 nor 5.5.2 voids the round.
  const isPlayed = isInPlay(table.phase) && !table.is_held && !table.is_interrupted;
  const isActivated = table.tumbles != null;
  const of = (name: Irregularity, cited: Cited, isLawful: boolean, then: IrregularityOption['then'] = 'void'): IrregularityOption => {
    const cites = [...paragraphsOf(layout, cited), ...(then === 'void' ? paragraphsOf(layout, 'void-returned') : [])];
    return { name, paragraphs: cites, isLawful, then };
  };
  const isConcluded = known.length > 0;
  return [
    of('few-tumbles', 'few-tumbles', isPlayed && isActivated && (table.tumbles ?? 0) < TUMBLES),
    of('not-flat', 'not-flat', isPlayed && isActivated),
    layout.is_covered ? of('exposed', 'exposed', isPlayed && table.phase === 'open') : of('activated-early', 'activated-early', isPlayed && table.phase === 'open'),
    of('interrupted', isConcluded ? 'concluded' : 'not-established', isInPlay(table.phase) && !table.is_interrupted, isConcluded ? 'concluded' : 'void'),
  ];
}

/** Whether dice can be known: after a valid tumble, with bets closed. */
export function canBeKnown(table: PublicView): boolean {
  return table.phase === 'closed' && (table.tumbles ?? 0) >= TUMBLES;
}

/** How an irregularity is reported to the table. */
export function report(name: Irregularity, known: readonly number[]): RoundCommand {
  switch (name) {
    case 'few-tumbles':
    case 'not-flat':
    case 'exposed':
      return { void: { reason: name } };
    case 'activated-early':
      // The table voids the round by itself when the tumbler starts too early.
      return 'activate';
    case 'interrupted':
      return { interrupt: { known: [...known] } };
  }
}
