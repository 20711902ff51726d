// The receipt of a buy-in, from the server's data only.

import type { SeatHealth } from '../protocol/messages';

export type BuyIn = NonNullable<SeatHealth['buy_in']>;

/** The number as people read it: those of a cluster are counted by themselves. */
export const receiptNumber = (table: number, cluster: number, { receipt }: BuyIn) => `${table}-${cluster}-${receipt}`;

export function receiptPage(title: string, lines: readonly string[]): string {
  const text = (line: string) => line.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
  return `<!doctype html><title>${text(title)}</title><h1>${text(title)}</h1>${lines.map((line) => `<p>${text(line)}</p>`).join('')}`;
}
