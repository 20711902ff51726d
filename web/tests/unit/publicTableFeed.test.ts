import { expect, it } from 'vitest';
import { PublicTableFeed, type PublicTableView } from '../../src/state/publicTableFeed';
import { snapshot, table } from './given';

it('a display follows the table, says when it is offline, and asks for a snapshot after a gap', () => {
  const views: PublicTableView[] = [];
  let again = 0;
  const feed = new PublicTableFeed({ resync: () => (again += 1), show: (view) => views.push(view) });
  feed.receive(snapshot(table({ number: 3 })));
  feed.receive({ public: { number: 4, phase: 'closed' } });
  feed.lost();
  feed.receive({ public: { number: 7, phase: 'open' } });
  expect(views.map(({ isUp, table }) => [isUp, table?.phase])).toEqual([[true, 'open'], [true, 'closed'], [false, 'closed']]);
  expect(again).toBe(1);
});
