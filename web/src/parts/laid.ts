// What to draw on one area of a felt: its pile, and rarer things beside it. Unchanged objects stay the same, so that Svelte skips them.

import type { Rect } from '../felt/fit';
import type { Box, Cents } from '../protocol/messages';
import type { BoxChips } from '../state/bets';
import { money } from '../state/money';
import type { Words } from '../words/en';
import { labelOf, pendingOn, pileOf, type Label, type Pending, type Pile } from './pile';

/** Chips on their way back to the player. */
export interface FlownBack {
  id: number;
  box: Box;
  amount: Cents;
}

export interface AreaState {
  lies: BoxChips | undefined;
  isWon: boolean;
  paid: Cents | undefined;
  back: FlownBack[] | undefined;
}

export interface Beside {
  hasPile: boolean;
  isWon: boolean;
  pending: Pending | null;
  paid: Label | null;
  back: FlownBack[];
}

export interface Laid extends AreaState {
  at: Rect;
  pile: Pile | null;
  beside: Beside;
}

const ALONE: Beside = { hasPile: true, isWon: false, pending: null, paid: null, back: [] };
const NOTHING: Beside = { ...ALONE, hasPile: false };

export function laidOn(at: Rect, state: AreaState, before: Laid | undefined): Laid {
  const { lies, isWon, paid, back } = state;
  if (before && before.at === at && before.lies === lies && before.isWon === isWon && before.paid === paid && before.back === back) return before;
  const held = lies?.registered ?? 0;
  const staying = held - Math.min(lies?.withdrawing ?? 0, held);
  const pile = held === 0 ? null : staying > 0 ? pileOf(staying, 'registered') : pileOf(held, 'withdrawing');
  const isAlone = !lies?.pending && !isWon && !paid && !back;
  const beside = pile ? ALONE : NOTHING;
  if (isAlone) return { ...state, at, pile, beside };
  const [pending, label] = [lies?.pending ? pendingOn(at, lies) : null, paid ? labelOf(at, money(paid, true)) : null];
  return { ...state, at, pile, beside: { ...beside, isWon, pending, paid: label, back: back ?? [] } };
}

/** The name of an area with its chips and outcome. */
export function named(name: string, { lies, isWon, paid }: AreaState, words: Words): string {
  let text = name;
  if (lies?.registered) text += `, ${words.lies(money(lies.registered))}`;
  if (lies?.pending) text += `, ${words.waits(money(lies.pending))}`;
  if (isWon) text += `, ${words.hasWon}`;
  if (paid) text += `, ${words.paid(money(paid))}`;
  return text;
}
