// Deals rounds without end at every table of the mock server, to look at the screens.

import type { MockHouse } from './house';

const THROWS = [[2, 4, 6], [1, 1, 5], [3, 3, 3], [6, 5, 4], [1, 2, 4], [5, 5, 6], [2, 3, 3], [4, 4, 1], [6, 6, 2], [1, 3, 5]];

/** Results to begin with, the same each time. */
export function history(count: number): number[][] {
  let seed = 2_026;
  const face = () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return 1 + (((mixed ^ (mixed >>> 14)) >>> 0) % 6);
  };
  return Array.from({ length: count }, () => [face(), face(), face()]);
}

export function deal(house: MockHouse, seconds = 20): () => void {
  let round = 0;
  const step = () => {
    const phase = house.table(1).phase;
    for (const table of house.tables) {
      if (phase === 'open') table.close();
      else if (phase === 'closed') table.commit(THROWS[round % THROWS.length]!);
      else table.open(seconds);
    }
    if (phase === 'closed') round += 1;
    timer = setTimeout(step, house.table(1).phase === 'open' ? seconds * 1_000 : 5_000);
  };
  house.tables.forEach((table) => table.remember(history(73)));
  let timer = setTimeout(step, 500);
  return () => clearTimeout(timer);
}
