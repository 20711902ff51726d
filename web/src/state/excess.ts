// Big against Small, Odd against Even: the difference at a live table, and what is over a limit (5.1). For display only: the server
// computes what is rejected.

import type { Box, Cents, StaffView, TableLimits } from '../protocol/messages';
import { limitOf, OPPOSITES } from './limits';

export interface Balance {
  left: Box;
  right: Box;
  leftTotal: Cents;
  rightTotal: Cents;
  /** The most that they may differ by. */
  most: Cents;
  over: Cents;
}

const PAIRS: readonly (readonly [Box, Box])[] = [
  ['small', 'big'],
  ['odd', 'even'],
];

export function totalsOf(staff: StaffView | null): Map<Box, Cents> {
  return new Map(staff?.totals.map(({ box, amount }) => [box, amount]));
}

/** The pairs that the layout has, where a Differential is on display. */
export function balances(totals: Map<Box, Cents>, limits: TableLimits | null | undefined, boxes: readonly Box[]): Balance[] {
  const most = limits?.differential;
  if (most == null) return [];
  return PAIRS.filter(([left]) => boxes.includes(left)).map(([left, right]) => {
    const [leftTotal, rightTotal] = [totals.get(left) ?? 0, totals.get(right) ?? 0];
    return { left, right, leftTotal, rightTotal, most, over: Math.max(0, Math.abs(leftTotal - rightTotal) - most) };
  });
}

/** The room left on a box (3.5): up to its maximum, and where there is a Differential up to that over what lies on the other side. */
export function roomOf(totals: Map<Box, Cents>, limits: TableLimits | null | undefined, box: Box): Cents {
  return Math.max(0, capOf(totals, limits, box) - (totals.get(box) ?? 0));
}

/** The most that may lie on a box now (5.1). */
export function capOf(totals: Map<Box, Cents>, limits: TableLimits | null | undefined, box: Box): Cents {
  const opposite = OPPOSITES[box];
  const apart = opposite === undefined || limits?.differential == null ? Infinity : (totals.get(opposite) ?? 0) + limits.differential;
  return Math.min(limitOf(limits, box).max ?? Infinity, apart);
}

/** Boxes over their maximum, with the excess. */
export function overMaximum(totals: Map<Box, Cents>, limits: TableLimits | null | undefined): { box: Box; over: Cents }[] {
  return [...totals].flatMap(([box, total]) => {
    const { max } = limitOf(limits, box);
    return max !== null && total > max ? [{ box, over: total - max }] : [];
  });
}
