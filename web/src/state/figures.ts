// Figures of staff screens: amounts as they are typed, and as they are compared.

import type { Cents } from '../protocol/messages';
import { money } from './money';

/** An amount to the nearest whole, for figures that are compared. */
export function whole(cents: number): string {
  return money(Math.round(cents / 100) * 100, true);
}

/** A figure with so many decimals, and a minus sign where it is below zero. */
export function figure(value: number | null | undefined, decimals = 1): string {
  return value == null ? '–' : value.toFixed(decimals).replace('-', '−');
}

/** Whole cents as they were typed, `1,234.50` or `1234`; nothing where it is no amount above zero. `10,50` is none. */
export function cents(text: string): Cents | null {
  const found = /^(\d{1,12}|\d{1,3}(?:,\d{3}){1,3})(?:\.(\d{1,2}))?$/.exec(text.trim());
  if (!found) return null;
  const amount = Number(found[1]!.replaceAll(',', '')) * 100 + Number((found[2] ?? '').padEnd(2, '0'));
  return amount > 0 ? amount : null;
}

/** Whether a field that may be left empty holds an amount or nothing. */
export function isAmountOrEmpty(text: string): boolean {
  return text.trim() === '' || cents(text) !== null;
}
