// How the chips of an area are drawn: position, height and text of each pile, and the label of a payout.

import { figureOf } from '../felt/figures';
import type { Rect } from '../felt/fit';
import type { Cents } from '../protocol/messages';
import type { BoxChips } from '../state/bets';
import { brief } from '../state/money';
import { colourFor, heightOf } from './chips';

export type Look = 'registered' | 'pending' | 'withdrawing' | 'tray';

/** A pile of chips about the middle of its foot, in parts of its radius. */
export interface Pile {
  look: Look;
  colour: string;
  /** Its side, and how its upper chip is lifted above its foot. */
  side: string;
  lift: string;
  /** Its text, and the transform that makes it fit. */
  figure: string;
  fit: string;
}

const CHIP_HEIGHT = 0.16;
const SIDES = [0, 1, 2, 3].map((above) => `M-1 ${-above * CHIP_HEIGHT}V.09A1 1 0 0 0 1 .09V${-above * CHIP_HEIGHT}A1 1 0 0 1-1 ${-above * CHIP_HEIGHT}`);
const LIFTS = [0, 1, 2, 3].map((above) => `translate(0 ${-above * CHIP_HEIGHT})`);

/** A cache: a felt has few different piles. */
const drawn = new Map<string, Pile>();
const MAX_CACHED_PILES = 500;

export function pileOf(amount: Cents, look: Look): Pile {
  const key = look + amount;
  const known = drawn.get(key);
  if (known) return known;
  if (drawn.size === MAX_CACHED_PILES) drawn.clear();
  const text = (look === 'pending' ? '+' : '') + brief(amount);
  const size = Math.min(0.82, (look === 'pending' ? 1.6 : 1.32) / (0.57 * text.length));
  const above = look === 'tray' ? 0 : heightOf(amount) - 1;
  const pile = { look, colour: colourFor(amount), side: SIDES[above]!, lift: LIFTS[above]!, figure: figureOf(text), fit: `translate(0 ${size * 0.35})scale(${size / 100})` };
  drawn.set(key, pile);
  return pile;
}

/** A label with an amount, about its middle. */
export interface Label {
  text: string;
  size: number;
  width: number;
  x: number;
  y: number;
}

/** Where piles stand on an area: in a corner, so that the print stays readable. */
export interface Corner {
  radius: number;
  x: number;
  y: number;
}

export function cornerOf(at: Rect): Corner {
  const radius = Math.min(44, Math.max(29, 0.27 * Math.min(at.width, at.height)));
  return { radius, x: at.x + at.width - radius - 4, y: at.y + at.height - radius - 4 };
}

/** A pile that is on its way to an area, and where it stands there. */
export interface Pending {
  pile: Pile;
  x: number;
  y: number;
}

export function pendingOn(at: Rect, { registered, pending }: BoxChips): Pending {
  const { radius, x, y } = cornerOf(at);
  const aside = registered > 0 ? Math.max(0, Math.min(radius * 1.5, at.width - 2 * radius - 8)) : 0;
  const up = registered > 0 && aside < radius ? radius * 0.5 : 0;
  return { pile: pileOf(pending, 'pending'), x: x - aside, y: y - up };
}

const MIN_LABEL_SIZE = 24;
const MAX_LABEL_SIZE = 36;

/** Beside the pile where there is room for it; otherwise above it, over the edge if it must be, so that it can be read. */
export function labelOf(at: Rect, text: string): Label {
  const { radius } = cornerOf(at);
  const ems = 0.62 * text.length + 0.8;
  const beside = (at.width - 2 * radius - 16) / ems;
  const isBeside = beside >= MIN_LABEL_SIZE;
  const size = Math.min(MAX_LABEL_SIZE, isBeside ? beside : Math.max(MIN_LABEL_SIZE, (at.width - 8) / ems));
  const width = size * ems;
  if (isBeside) return { text, size, width, x: at.x + 8 + width / 2, y: at.y + at.height - size * 0.8 - 6 };
  const above = Math.max(at.y + size * 0.8, at.y + at.height - 2 * radius - size * 0.8 - 10);
  return { text, size, width, x: at.x + at.width / 2, y: above };
}
