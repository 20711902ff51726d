// Which area the arrow keys lead to: the nearest one that way, as the eye sees it.

import type { Rect } from './fit';

export type Way = 'ArrowLeft' | 'ArrowRight' | 'ArrowUp' | 'ArrowDown';

export function isWay(key: string): key is Way {
  return key === 'ArrowLeft' || key === 'ArrowRight' || key === 'ArrowUp' || key === 'ArrowDown';
}

/** The place of the area to go to; the same one where nothing lies that way. */
export function towards(areas: readonly Rect[], from: number, way: Way): number {
  const here = areas[from];
  if (here === undefined) return from;
  let best = from;
  let least = Infinity;
  areas.forEach((there, place) => {
    const [along, across] = distance(here, there, way);
    const far = along + 3 * across;
    if (along > 0 && far < least) [best, least] = [place, far];
  });
  return best;
}

/** How far ahead, and how far aside. Areas that overlap sideways are not aside, but a little by their middles. */
function distance(from: Rect, to: Rect, way: Way): [number, number] {
  const [x, y] = [to.x + to.width / 2 - from.x - from.width / 2, to.y + to.height / 2 - from.y - from.height / 2];
  const gap = (a: number, aLong: number, b: number, bLong: number) => Math.max(0, b - a - aLong, a - b - bLong);
  if (way === 'ArrowLeft' || way === 'ArrowRight') {
    const ahead = way === 'ArrowRight' ? to.x - from.x - from.width : from.x - to.x - to.width;
    return [ahead < 0 ? -1 : ahead + 0.01 * Math.abs(x) + 0.01, gap(from.y, from.height, to.y, to.height) + 0.02 * Math.abs(y)];
  }
  const ahead = way === 'ArrowDown' ? to.y - from.y - from.height : from.y - to.y - to.height;
  return [ahead < 0 ? -1 : ahead + 0.01 * Math.abs(y) + 0.01, gap(from.x, from.width, to.x, to.width) + 0.02 * Math.abs(x)];
}
