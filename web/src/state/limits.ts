// The limits on display: which apply to a box, and which chips suit them.

import type { Box, BoxKey, Cents, TableLimits } from '../protocol/messages';

export interface Limit {
  min: Cents | null;
  max: Cents | null;
}

type Limits = TableLimits | null | undefined;

/** The kind of a box: `sum:4` is a `sum`. */
export function kindOf(box: Box): BoxKey {
  return box.split(':')[0] as BoxKey;
}

/** The box that the Differential compares a box with (1.3). */
export const OPPOSITES: Partial<Record<Box, Box>> = { big: 'small', small: 'big', odd: 'even', even: 'odd' };

const entryOf = (limits: Limits, key: BoxKey) => limits?.boxes.find((entry) => entry.boxes === key);

/** A box's own limit wins over its kind's, and that over the one for every box that is not named. */
export function limitOf(limits: Limits, box: Box): Limit {
  const entry = entryOf(limits, box) ?? entryOf(limits, kindOf(box)) ?? limits?.rest;
  return { min: entry?.min ?? null, max: entry?.max ?? null };
}

/** The limits of every box of a layout (3.3): kinds and single boxes with the same ones stand in one row. */
export function limitRows(limits: Limits, boxes: readonly Box[]): (Limit & { of: BoxKey[] })[] {
  const rows = new Map<string, Limit & { of: BoxKey[] }>();
  for (const box of boxes) {
    const key = entryOf(limits, box) ? box : kindOf(box);
    const limit = limitOf(limits, box);
    if (limit.min === null && limit.max === null) continue;
    const row = rows.get(`${limit.min}.${limit.max}`) ?? { ...limit, of: [] };
    if (!row.of.includes(key)) row.of.push(key);
    rows.set(`${limit.min}.${limit.max}`, row);
  }
  return [...rows.values()];
}

/** Every limit that is set, whichever boxes it is for. */
function all(limits: Limits): Limit[] {
  const entries = (limits?.boxes ?? []).map(({ min = null, max = null }) => ({ min, max }));
  return limits?.rest ? [...entries, limits.rest] : entries;
}

/** The least that any box takes, and the most. */
export function range(limits: Limits): { min: Cents; max: Cents } {
  const entries = all(limits);
  return {
    min: Math.min(...entries.map(({ min }) => min ?? limits?.unit ?? 0), entries.length > 0 ? Infinity : 0),
    max: Math.max(0, ...entries.map(({ max }) => max ?? 0)),
  };
}

/** Chips that people know from a casino, in cents: those that a tray has first, and those that it has where there is room. */
const USUAL_CHIPS = [5, 25, 100, 500, 2_500, 10_000, 50_000, 100_000, 500_000, 1_000_000, 5_000_000, 10_000_000];
const EXTRA_CHIPS = [10, 50, 1_000, 5_000];
/** Multiples of a unit that none of those are multiples of. */
const UNIT_MULTIPLES = [1, 2, 5].flatMap((digit) => [1, 10, 100, 1_000, 10_000, 100_000].map((size) => digit * size)).sort((one, other) => one - other);

/** The highest maximum takes at most this many touches. */
const MAX_TOUCHES = 5;
/** Two chips beside each other are no further apart than this where the usual ones can help it. */
const MAX_RATIO = 10;
/** Where there is no maximum, chips are as for this one. */
const DEFAULT_MAXIMUM_CENTS = 500_000;

export interface TrayOf {
  limits: Limits;
  boxes: readonly Box[];
  /** How many chips there is room for. All minima are there, also where they are more. */
  room: number;
  /** Adds chips below the minimum: at a live table such bets lie there (5.2). */
  hasUnit?: boolean;
}

/** The chips of a tray: each is whole units and none is above every maximum, every box's minimum is one of them, and few touches reach the
 * maximum. At a terminal nothing below a box's minimum is taken, so the minimum must be one chip (3.3). */
export function chips({ limits, boxes, room, hasUnit = false }: TrayOf): Cents[] {
  const unit = limits?.unit ?? 100;
  const limited = boxes.map((box) => limitOf(limits, box));
  const most = Math.max(...limited.map(({ max }) => max ?? DEFAULT_MAXIMUM_CENTS));
  const suits = (chip: Cents) => chip % unit === 0 && chip <= most;
  const [usual, between, multiples] = [USUAL_CHIPS, EXTRA_CHIPS, UNIT_MULTIPLES.map((count) => count * unit)].map((all) => all.filter(suits)) as [Cents[], Cents[], Cents[]];
  const tray = new Set(limited.map(({ min }) => Math.max(min ?? 0, unit)));
  if (hasUnit) tray.add(unit);
  const reaches = (chip: Cents) => chip * MAX_TOUCHES >= most;
  const top = usual.find(reaches) ?? multiples.find(reaches);
  if (top && tray.size < room && ![...tray].some(reaches)) tray.add(top);
  fill(tray, usual, room);
  fill(tray, between, room);
  fill(tray, multiples, room, MAX_RATIO);
  for (const chip of usual) if (tray.size < room && chip > Math.max(...tray)) tray.add(chip);
  return [...tray].sort((one, other) => one - other);
}

/** Adds chips while there is room, each where those beside it are furthest apart, if they are further than `apart` times. */
function fill(tray: Set<Cents>, candidates: readonly Cents[], room: number, apart = 1): void {
  while (tray.size < room) {
    const sorted = [...tray].sort((one, other) => one - other);
    const gaps = sorted.slice(1).map((above, at) => {
      const below = sorted[at]!;
      const off = (chip: Cents) => Math.abs(Math.log((chip * chip) / (above * below)));
      const within = candidates.filter((chip) => chip > below && chip < above).sort((one, other) => off(one) - off(other));
      return { ratio: above / below, chip: within[0] };
    });
    const widest = gaps.filter(({ chip, ratio }) => chip !== undefined && ratio > apart).sort((one, other) => other.ratio - one.ratio)[0];
    if (widest?.chip === undefined) return;
    tray.add(widest.chip);
  }
}

/** The chip to begin with: the smallest that every box takes. */
export function firstChip(limits: Limits, boxes: readonly Box[]): Cents {
  return Math.max(...boxes.map((box) => limitOf(limits, box).min ?? limits?.unit ?? 100));
}
