// Figures of staff screens: amounts as they are typed, and as they are compared.

import type { Cents } from '../protocol/messages';
import { money } from './money';

/** An amount to the nearest whole, for figures that are compared. */
export function whole(cents: number): string {
  return money(Math.round(cents / 100) * 100, true);
}

export function figure(value: number | null | undefined, decimals = 1): string {
  return value == null ? '–' : value.toFixed(decimals).replace('-', '−');
}

/** Whole cents as they were typed, `1,234.50` or `1234`; nothing where it is no amount above zero. `10,50` is none. */
export function cents(text: string): Cents | null {
  return centsOrZero(text) || null;
}

/** The same where nothing at all is an amount too, as for a Differential of 0. */
export function centsOrZero(text: string): Cents | null {
  const found = /^(\d{1,12}|\d{1,3}(?:,\d{3}){1,3})(?:\.(\d{1,2}))?$/.exec(text.trim());
  if (!found) return null;
  return Number(found[1]!.replaceAll(',', '')) * 100 + Number((found[2] ?? '').padEnd(2, '0'));
}
