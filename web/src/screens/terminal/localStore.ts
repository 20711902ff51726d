// What a terminal keeps in the browser over a reload: its last command number, the start of the session, and the player's favourites.

import type { Stake } from '../../protocol/messages';

const SEQUENCE_KEY = 'taisai.sequence';
const SESSION_KEY = 'taisai.session';
const FAVOURITES_KEY = 'taisai.favourites';

const MAX_FAVOURITES = 3;

export function keptSequence(): number {
  return Number(localStorage.getItem(SEQUENCE_KEY)) || 0;
}

export function keepSequence(sequence: number): void {
  localStorage.setItem(SEQUENCE_KEY, String(sequence));
}

/** When this session was first seen here; 0 without a player. A new session clears the last player's favourites. */
export function began(session: number | null, now: number): number {
  const kept = read<{ session: number | null; since: number }>(SESSION_KEY);
  if (kept?.session === session) return kept.since;
  const since = session === null ? 0 : now;
  localStorage.removeItem(FAVOURITES_KEY);
  localStorage.setItem(SESSION_KEY, JSON.stringify({ session, since }));
  return since;
}

/** Per layout, because layouts have different boxes. */
export function favourites(layout: string): (Stake[] | null)[] {
  const kept = read<Record<string, (Stake[] | null)[]>>(FAVOURITES_KEY)?.[layout] ?? [];
  return Array.from({ length: MAX_FAVOURITES }, (_, at) => kept[at] ?? null);
}

export function keepFavourite(layout: string, place: number, stakes: Stake[]): void {
  const all = read<Record<string, (Stake[] | null)[]>>(FAVOURITES_KEY) ?? {};
  localStorage.setItem(FAVOURITES_KEY, JSON.stringify({ ...all, [layout]: favourites(layout).with(place, stakes) }));
}

function read<T>(key: string): T | undefined {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}
