// Applies numbered changes to views: a change fits only if its number is the next one.

import type { PublicChange, PublicView, ResultView, SeatView } from './messages';

/** As many results as the screens show (F63). */
const MAX_RESULTS = 100;

/** The table after a change; nothing if a change is missing before it. */
export function changed(before: PublicView, change: PublicChange): PublicView | undefined {
  if (change.number !== before.number + 1) return undefined;
  const results = change.latest ? withResult(before.results ?? [], change.latest) : (before.results ?? []);
  return { ...before, ...change, results } as PublicView;
}

/** The results with one that came or changed, the newest first. */
export function withResult(results: ResultView[], latest: ResultView): ResultView[] {
  const others = results.filter((result) => result.round !== latest.round);
  const at = others.findIndex((result) => result.round < latest.round);
  const place = at < 0 ? others.length : at;
  return [...others.slice(0, place), latest, ...others.slice(place)].slice(0, MAX_RESULTS);
}

export function follows(before: SeatView, seat: SeatView): boolean {
  return seat.number === before.number + 1;
}
