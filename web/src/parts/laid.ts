// What is to be seen on one area of a felt: its pile, and what is seldom beside it. What has not changed stays the same, so that
// nobody looks at it again.

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

/** What is told of an area. */
export interface AreaState {
  lies: BoxChips | undefined;
  isWon: boolean;
  paid: Cents | undefined;
  back: FlownBack[] | undefined;
}

/** Whether a pile lies there, and what is seldom beside it. */
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

export function laidOn(at: Rect, told: AreaState, before: Laid | undefined): Laid {
  const { lies, isWon, paid, back } = told;
  if (before && before.at === at && before.lies === lies && before.isWon === isWon && before.paid === paid && before.back === back) return before;
  const held = lies?.registered ?? 0;
  const staying = held - Math.min(lies?.withdrawing ?? 0, held);
  const pile = held === 0 ? null : staying > 0 ? pileOf(staying, 'registered') : pileOf(held, 'withdrawing');
  const isAlone = !lies?.pending && !isWon && !paid && !back;
  const beside = pile ? ALONE : NOTHING;
  if (isAlone) return { ...told, at, pile, beside };
  const [pending, label] = [lies?.pending ? pendingOn(at, lies) : null, paid ? labelOf(at, money(paid, true)) : null];
  return { ...told, at, pile, beside: { ...beside, isWon, pending, paid: label, back: back ?? [] } };
}

/** What an area is called, with what lies on it and what became of that. */
export function named(name: string, { lies, isWon, paid }: AreaState, words: Words): string {
  let told = name;
  if (lies?.registered) told += `, ${words.lies(money(lies.registered))}`;
  if (lies?.pending) told += `, ${words.waits(money(lies.pending))}`;
  if (isWon) told += `, ${words.hasWon}`;
  if (paid) told += `, ${words.paid(money(paid))}`;
  return told;
}
