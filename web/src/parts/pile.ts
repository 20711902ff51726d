// How what lies on an area is drawn: where each pile stands, how high it is and what is written on it, and the label of what is
// paid. All of an area is found at once, as it changes at once.

import type { Rect } from '../felt/fit';
import type { Cents } from '../protocol/messages';
import { brief, money } from '../state/money';
import { colourFor, heightOf } from './chips';
import type { Laid } from './laid';

export type Look = 'registered' | 'pending' | 'leaving' | 'tray';

/** A pile of chips about the middle of its foot. */
export interface Pile {
  text: string;
  size: number;
  colour: string;
  /** How far its upper chip lies above its foot. */
  lift: number;
  side: string;
}

export function pileOf(amount: Cents, radius: number, look: Look): Pile {
  const text = (look === 'pending' ? '+' : '') + brief(amount);
  const size = Math.min(radius * 0.82, (radius * (look === 'pending' ? 1.6 : 1.32)) / (0.57 * text.length));
  const lift = look === 'tray' ? 0 : (heightOf(amount) - 1) * radius * 0.16;
  const round = `${radius} ${radius} 0 0 `;
  const side = `M${-radius} ${-lift}V${radius * 0.09}A${round}0 ${radius} ${radius * 0.09}V${-lift}A${round}1 ${-radius} ${-lift}`;
  return { text, size, colour: colourFor(amount), lift, side };
}

/** A label with an amount, about its middle. */
interface Label {
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

export interface Picture {
  lies: { amount: Cents; look: Look } | null;
  pending: { amount: Cents; x: number; y: number } | null;
  paid: Label | null;
}

export function cornerOf(at: Rect): Corner {
  const radius = Math.min(44, Math.max(29, 0.27 * Math.min(at.width, at.height)));
  return { radius, x: at.x + at.width - radius - 4, y: at.y + at.height - radius - 4 };
}

export function pictureOf(at: Rect, { radius, x, y }: Corner, { lies, paid }: Laid): Picture {
  const drawn: Picture = { lies: null, pending: null, paid: null };
  const held = lies?.registered ?? 0;
  const staying = held - Math.min(lies?.leaving ?? 0, held);
  if (staying > 0) drawn.lies = { amount: staying, look: 'registered' };
  else if (held > 0) drawn.lies = { amount: held, look: 'leaving' };
  if (lies && lies.pending > 0) {
    const aside = held > 0 ? Math.max(0, Math.min(radius * 1.5, at.width - 2 * radius - 8)) : 0;
    const up = held > 0 && aside < radius ? radius * 0.5 : 0;
    drawn.pending = { amount: lies.pending, x: x - aside, y: y - up };
  }
  if (paid) drawn.paid = labelOf(at, radius, money(paid, true));
  return drawn;
}

const LEAST = 24;
const MOST = 36;

/** Beside the pile where there is room for it; otherwise above it, over the edge if it must be, so that it can be read. */
function labelOf(at: Rect, radius: number, text: string): Label {
  const ems = 0.62 * text.length + 0.8;
  const beside = (at.width - 2 * radius - 16) / ems;
  const isBeside = beside >= LEAST;
  const size = Math.min(MOST, isBeside ? beside : Math.max(LEAST, (at.width - 8) / ems));
  const width = size * ems;
  if (isBeside) return { text, size, width, x: at.x + 8 + width / 2, y: at.y + at.height - size * 0.8 - 6 };
  const above = Math.max(at.y + size * 0.8, at.y + at.height - 2 * radius - size * 0.8 - 10);
  return { text, size, width, x: at.x + at.width / 2, y: above };
}
