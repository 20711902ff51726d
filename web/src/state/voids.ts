// The void that everyone at the table is told of (F82): that of the round in play, or of rounds that were voided late.

import type { PublicView, VoidReason } from '../protocol/messages';

export interface Voided {
  from: number;
  to: number;
  reason: VoidReason;
}

/** The latest void, until another result comes. Damaged dice void a row of rounds at once (5.6). */
export function latestVoid({ latest, results = [] }: Pick<PublicView, 'latest' | 'results'>): Voided | null {
  const found = latest ?? results?.[0];
  const reason = found?.void;
  if (!found || !reason) return null;
  let from = found.round;
  const isSame = (round: number) => results?.some((result) => result.round === round && result.void === reason);
  while (reason === 'damaged-dice' && isSame(from - 1)) from -= 1;
  return { from, to: found.round, reason };
}

export const isSameVoid = (one: Voided | null, other: Voided | null) => one?.from === other?.from && one?.to === other?.to && one?.reason === other?.reason;
