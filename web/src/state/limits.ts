// The limits on display: which apply to a box, and which chips suit them.

import type { Box, BoxKey, Cents, TableLimits } from '../protocol/messages';

export interface Limit {
  min: Cents | null;
  max: Cents | null;
}

/** The kind of a box: `sum:4` is a `sum`. */
export function kindOf(box: Box): BoxKey {
  return box.split(':')[0] as BoxKey;
}

/** The box that the Differential compares a box with (1.3). */
export const OPPOSITES: Partial<Record<Box, Box>> = { big: 'small', small: 'big', odd: 'even', even: 'odd' };

/** A box's own limit wins over its kind's. */
export function limitOf(limits: TableLimits | null | undefined, box: Box): Limit {
  const of = (key: BoxKey) => limits?.boxes.find((entry) => entry.boxes === key);
  const entry = of(box) ?? of(kindOf(box));
  return { min: entry?.min ?? null, max: entry?.max ?? null };
}

/** The least that any box takes, and the most. */
export function range(limits: TableLimits | null | undefined): { min: Cents; max: Cents } {
  const entries = limits?.boxes ?? [];
  return {
    min: Math.min(...entries.map(({ min }) => min ?? limits?.unit ?? 0), entries.length > 0 ? Infinity : 0),
    max: Math.max(0, ...entries.map(({ max }) => max ?? 0)),
  };
}

const STEPS = [1, 5, 10, 25, 50, 100, 500, 1_000, 5_000, 10_000];

/** Chips of a table with this unit and these limits: six, the smallest worth the least that a box takes. */
export function chips(limits: TableLimits | null | undefined): Cents[] {
  const unit = limits?.unit ?? 100;
  const least = Math.min(...(limits?.boxes ?? []).map((entry) => entry.min ?? unit), Infinity);
  const whole = STEPS.map((step) => step * 100).filter((chip) => chip % unit === 0);
  const from = whole.findIndex((chip) => chip >= Math.max(unit, Number.isFinite(least) ? least : unit));
  return whole.slice(Math.max(0, Math.min(from, whole.length - 6))).slice(0, 6);
}

/** The chip to begin with: the smallest that suits every box. */
export function firstChip(limits: TableLimits | null | undefined): Cents {
  const tray = chips(limits);
  const most = Math.max(0, ...(limits?.boxes ?? []).map((entry) => entry.min ?? 0));
  return tray.find((chip) => chip >= most) ?? tray[0] ?? 100;
}
