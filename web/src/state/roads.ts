// The results as roads: Big, Small and Triple, totals, and the count of each face. For information only (5.11).

import type { ResultView } from '../protocol/messages';

export type Side = 'big' | 'small' | 'triple';

export interface Mark {
  side: Side;
  sum: number;
  round: number;
}

export function sumOf(dice: readonly number[]): number {
  return dice.reduce((sum, face) => sum + face, 0);
}

export function sideOf(dice: readonly number[]): Side {
  if (new Set(dice).size === 1) return 'triple';
  return sumOf(dice) > 10 ? 'big' : 'small';
}

/** The results with dice that stand, the oldest first. */
export function marks(results: readonly ResultView[]): Mark[] {
  const standing = results.flatMap(({ round, dice, void: isVoid }) =>
    dice && !isVoid ? [{ side: sideOf(dice), sum: sumOf(dice), round }] : [],
  );
  return standing.reverse();
}

/** Where a mark stands on the road. */
export interface Placed extends Mark {
  column: number;
  row: number;
}

/** The road: a new column when the side changes; a column that is full, or meets another, goes on to the right. */
export function road(results: readonly ResultView[], rows = 6): Placed[] {
  const taken = new Set<string>();
  const placed: Placed[] = [];
  let begun = -1;
  for (const mark of marks(results)) {
    const before = placed.at(-1);
    let column: number;
    let row: number;
    if (before?.side === mark.side) {
      const isBelowFree = before.row + 1 < rows && !taken.has(`${before.column}.${before.row + 1}`);
      [column, row] = isBelowFree && !isTurned(placed) ? [before.column, before.row + 1] : [before.column + 1, before.row];
    } else {
      begun += 1;
      while (taken.has(`${begun}.0`)) begun += 1;
      [column, row] = [begun, 0];
    }
    taken.add(`${column}.${row}`);
    placed.push({ ...mark, column, row });
  }
  return placed;
}

/** Whether the last two marks of one side lie side by side: such a run goes on to the right. */
function isTurned(placed: readonly Placed[]): boolean {
  const [last, before] = [placed.at(-1), placed.at(-2)];
  return last !== undefined && before?.side === last.side && before.row === last.row && before.column < last.column;
}

export interface Counts {
  of: number;
  sides: Record<Side, number>;
  faces: number[];
  sums: number[];
}

/** How often each side, face (from 1) and sum (from 3) has come up. */
export function counts(results: readonly ResultView[]): Counts {
  const counted: Counts = { of: 0, sides: { big: 0, small: 0, triple: 0 }, faces: Array(7).fill(0), sums: Array(19).fill(0) };
  for (const { dice, void: isVoid } of results) {
    if (!dice || isVoid) continue;
    counted.of += 1;
    counted.sides[sideOf(dice)] += 1;
    counted.sums[sumOf(dice)]! += 1;
    for (const face of dice) counted.faces[face]! += 1;
  }
  return counted;
}
