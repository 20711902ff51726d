// The void to announce at the table (F82): of the current round, or of rounds voided late.

import type { PublicView, VoidReason } from '../protocol/messages';

export interface Voided {
  from: number;
  to: number;
  reason: VoidReason;
}

/** The latest void, until the next result. Damaged dice void several rounds together (5.6). */
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
