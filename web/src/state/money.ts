// Money as people read it, from whole cents. No amount is reckoned here, only written.

import type { Cents } from '../protocol/messages';

/** `1,234.50`; whole amounts without cents where `isShort`. */
export function money(cents: Cents, isShort = false): string {
  const sign = cents < 0 ? '−' : '';
  const size = Math.abs(cents);
  const whole = String(Math.trunc(size / 100)).replace(/\B(?=(\d{3})+(?!\d))/g, ',');
  const rest = size % 100;
  return isShort && rest === 0 ? `${sign}${whole}` : `${sign}${whole}.${String(rest).padStart(2, '0')}`;
}

/** A short amount for a chip or a small box: `500`, `1.5k`, `20k`, `1M`. */
export function brief(cents: Cents): string {
  const whole = cents / 100;
  for (const [size, letter] of [
    [1_000_000, 'M'],
    [1_000, 'k'],
  ] as const) {
    if (whole >= size && (whole * 100) % size === 0) return `${whole / size}${letter}`;
  }
  return Number.isInteger(whole) ? String(whole) : whole.toFixed(2);
}

/** With its sign. */
export function signed(cents: Cents): string {
  return cents > 0 ? `+${money(cents)}` : money(cents);
}
