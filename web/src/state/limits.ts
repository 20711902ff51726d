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

const STEPS = [1, 5, 10, 25, 50, 100, 500, 1_000, 5_000, 10_000];

/** Chips of a table with this unit and these limits: as many as there is room for, the smallest worth the least that a box takes. */
export function chips(limits: Limits, count = 6): Cents[] {
  const unit = limits?.unit ?? 100;
  const least = Math.min(...all(limits).map(({ min }) => min ?? unit), Infinity);
  const whole = STEPS.map((step) => step * 100).filter((chip) => chip % unit === 0);
  const from = whole.findIndex((chip) => chip >= Math.max(unit, Number.isFinite(least) ? least : unit));
  return whole.slice(Math.max(0, Math.min(from, whole.length - 6))).slice(0, count);
}

/** The chip to begin with: the smallest that suits every box. */
export function firstChip(limits: Limits): Cents {
  const tray = chips(limits);
  const most = Math.max(0, ...all(limits).map(({ min }) => min ?? 0));
  return tray.find((chip) => chip >= most) ?? tray[0] ?? 100;
}
