// The form for the limits of a table: all must be there (3.3), and faults are found field by field before anything is sent.

import type { Box, BoxKey, LayoutView, TableLimits } from '../protocol/messages';
import { centsOrZero } from './figures';
import { kindOf } from './limits';
import { money } from './money';

/** A line of the form: for a kind, for a single box, or for every box that has no line. */
export interface LimitLine {
  boxes: BoxKey | 'rest';
  min: string;
  max: string;
}

export interface LimitForm {
  lines: LimitLine[];
  unit: string;
  differential: string;
}

export type Field = 'min' | 'max' | 'unit' | 'differential';
export type Wrong = 'missing' | 'not-amount' | 'below-unit' | 'off-unit' | 'below-minimum';

export interface Fault {
  /** The line of the field, if it has one. */
  boxes?: LimitLine['boxes'];
  field: Field;
  wrong: Wrong;
}

type Laid = Pick<LayoutView, 'boxes' | 'has_limits' | 'has_differential'>;

const written = (amount: number | null | undefined) => (amount == null ? '' : money(amount, true));

/** The form filled with limits. If a box of the layout has none, there is an empty line for the rest. */
export function formOf(limits: TableLimits | null | undefined, layout: Laid): LimitForm {
  const lines: LimitLine[] = (limits?.boxes ?? []).map(({ boxes, min, max }) => ({ boxes, min: written(min), max: written(max) }));
  if (layout.has_limits && (limits?.rest || isLeftOpen(lines, layout))) lines.push({ boxes: 'rest', min: written(limits?.rest?.min), max: written(limits?.rest?.max) });
  return { lines, unit: written(limits?.unit), differential: written(limits?.differential) };
}

const has = (lines: readonly LimitLine[], key: LimitLine['boxes']) => lines.some(({ boxes }) => boxes === key);

/** Whether a box of the layout has no line, neither its own nor its kind's. */
export function isLeftOpen(lines: readonly LimitLine[], { boxes }: Pick<Laid, 'boxes'>): boolean {
  return boxes.some(({ box }) => !has(lines, box) && !has(lines, kindOf(box)));
}

/** The kinds of the layout without a line of their own. */
export function kindsLeft(lines: readonly LimitLine[], { boxes }: Pick<Laid, 'boxes'>): BoxKey[] {
  return [...new Set(boxes.map(({ box }) => kindOf(box)))].filter((kind) => !has(lines, kind));
}

/** The single boxes without a line of their own. A box that is all of its kind stands among the kinds. */
export function boxesLeft(lines: readonly LimitLine[], { boxes }: Pick<Laid, 'boxes'>): Box[] {
  return boxes.map(({ box }) => box).filter((box) => box !== kindOf(box) && !has(lines, box));
}

/** The limits, or everything that is wrong with the form. */
export function readLimits({ lines, unit: unitText, differential: differentialText }: LimitForm, layout: Laid): { limits: TableLimits } | { faults: Fault[] } {
  const faults: Fault[] = [];
  const amount = (text: string, fault: Omit<Fault, 'wrong'>): number | null => {
    const value = centsOrZero(text);
    if (value === null) faults.push({ ...fault, wrong: text.trim() === '' ? 'missing' : 'not-amount' });
    return value;
  };
  const unit = amount(unitText, { field: 'unit' });
  if (unit === 0) faults.push({ field: 'unit', wrong: 'not-amount' });
  /** A whole multiple of the unit. */
  const limit = (text: string, fault: Omit<Fault, 'wrong'>): number => {
    const value = amount(text, fault);
    if (value !== null && unit && value % unit !== 0) faults.push({ ...fault, wrong: 'off-unit' });
    return value ?? 0;
  };
  const read = lines.map(({ boxes, min: minText, max: maxText }) => {
    const before = faults.length;
    const [min, max] = [limit(minText, { boxes, field: 'min' }), limit(maxText, { boxes, field: 'max' })];
    if (faults.length === before && unit && min < unit) faults.push({ boxes, field: 'min', wrong: 'below-unit' });
    else if (faults.length === before && max < min) faults.push({ boxes, field: 'max', wrong: 'below-minimum' });
    return { boxes, min, max };
  });
  const differential = layout.has_differential ? limit(differentialText, { field: 'differential' }) : null;
  if (faults.length > 0) return { faults };
  const rest = read.find(({ boxes }) => boxes === 'rest');
  const boxes = read.flatMap(({ boxes, ...range }) => (boxes === 'rest' ? [] : [{ boxes, ...range }]));
  return { limits: { unit: unit ?? 0, boxes, rest: rest ? { min: rest.min, max: rest.max } : null, differential } };
}
