// The state of a terminal that its screen draws, and the notices that its player sees.

import type { GameLine, PublicView, Refused, ResultView, SeatView, Stake } from '../protocol/messages';
import type { Moving } from './bets';

export type Link = 'connecting' | 'up' | 'lost' | 'denied';

export interface Returned {
  id: number;
  stakes: Stake[];
  why: Why;
}

/** A refusal of the server, or a reason that only this screen knows. */
export type Why = Pick<Refused, 'code' | 'paragraphs' | 'sentence'>;

export const here = (code: string): Why => ({ code, paragraphs: [], sentence: '' });

export type PlayerNotice =
  | { kind: 'back'; amount: number }
  | { kind: 'returned'; returned: Returned }
  | { kind: 'refused'; why: Why }
  /** A finished round was corrected or voided. */
  | { kind: 'changed'; result: ResultView };

export interface TerminalView {
  link: Link;
  reason: string;
  table: PublicView | null;
  seat: SeatView | null;
  moving: Moving[];
  /** The last games of this terminal, from the record (F30); null until they arrive. */
  games: GameLine[] | null;
  canUndo: boolean;
}

export const NOTHING: TerminalView = { link: 'connecting', reason: '', table: null, seat: null, moving: [], games: null, canUndo: false };

/** Tests put in their own. */
export interface TerminalDeps {
  send(message: unknown): void;
  /** Reconnects for a new snapshot. */
  resync(): void;
  show(view: TerminalView): void;
  notify(notice: PlayerNotice): void;
  used(sequence: number): void;
}
