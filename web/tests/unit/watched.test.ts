import { expect, it } from 'vitest';
import { Watched, type WatchedView } from '../../src/state/watched';
import { snapshot, table } from './given';

it('a display follows the table, says when it is lost, and asks anew after a gap', () => {
  const shown: WatchedView[] = [];
  let again = 0;
  const watched = new Watched({ again: () => (again += 1), show: (view) => shown.push(view) });
  watched.hear(snapshot(table({ number: 3 })));
  watched.hear({ public: { number: 4, phase: 'closed' } });
  watched.lost();
  watched.hear({ public: { number: 7, phase: 'open' } });
  expect(shown.map(({ isUp, table }) => [isUp, table?.phase])).toEqual([[true, 'open'], [true, 'closed'], [false, 'closed']]);
  expect(again).toBe(1);
});
