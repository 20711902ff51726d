// What is looked up of the stand-in house by pit and audit: results, dice, events and rounds, the same each time.

import type { MockHouse } from './house';

/** What is found under a path; nothing where there is no such thing. */
export function found(_house: MockHouse, _path: string, _asked: URLSearchParams, _method: string): unknown {
  return undefined;
}
