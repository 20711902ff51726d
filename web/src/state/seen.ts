// What a terminal is at a moment, and what its player is told.

import type { GameLine, PublicView, Refused, ResultView, SeatView, Stake } from '../protocol/messages';
import type { Moving } from './bets';

export type Link = 'connecting' | 'up' | 'lost' | 'denied';

/** Chips that came back, and why. */
export interface Returned {
  id: number;
  stakes: Stake[];
  why: Why;
}

/** A reason in the house's words, or one that only this screen knows. */
export type Why = Pick<Refused, 'code' | 'paragraphs' | 'sentence'>;

export const here = (code: string): Why => ({ code, paragraphs: [], sentence: '' });

/** What the player is told once. */
export type Word =
  | { kind: 'back'; amount: number }
  | { kind: 'returned'; returned: Returned }
  | { kind: 'refused'; why: Why }
  /** A round that was over came out otherwise, or is void after all. */
  | { kind: 'changed'; result: ResultView };

/** What a terminal is at a moment. */
export interface TerminalView {
  link: Link;
  reason: string;
  table: PublicView | null;
  seat: SeatView | null;
  moving: Moving[];
  /** The last games of this terminal as the record has them (F30); nothing until the house has told them. */
  games: GameLine[] | null;
  canUndo: boolean;
}

export const NOTHING: TerminalView = { link: 'connecting', reason: '', table: null, seat: null, moving: [], games: null, canUndo: false };

/** What a terminal is made of. */
export interface Surroundings {
  say(message: unknown): void;
  /** Asks for a new snapshot. */
  again(): void;
  show(view: TerminalView): void;
  word(word: Word): void;
  used(sequence: number): void;
}
