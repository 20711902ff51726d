import { describe, expect, it } from 'vitest';
import { changed, withResult } from '../../src/protocol/numbered';
import { table } from './given';

describe('numbered parts', () => {
  it('take the next change and no other', () => {
    const before = table({ number: 4 });
    expect(changed(before, { number: 5, phase: 'closed' })?.phase).toBe('closed');
    expect(changed(before, { number: 4, phase: 'closed' })).toBeUndefined();
    expect(changed(before, { number: 6, phase: 'closed' })).toBeUndefined();
  });

  it('add the latest result, or change the one it corrects', () => {
    const results = [{ round: 9, dice: [1, 2, 3] }, { round: 8, dice: [1, 1, 1] }];
    const before = table({ number: 1, results });
    const added = changed(before, { number: 2, latest: { round: 10, dice: [6, 6, 6] } });
    expect(added?.results?.map(({ round }) => round)).toEqual([10, 9, 8]);
    const corrected = changed(added!, { number: 3, latest: { round: 8, dice: [2, 2, 5] } });
    expect(corrected?.results?.map(({ dice }) => dice)).toEqual([[6, 6, 6], [1, 2, 3], [2, 2, 5]]);
  });

  it('keep a hundred results', () => {
    const many = Array.from({ length: 100 }, (_, at) => ({ round: 100 - at, dice: [1, 2, 3] }));
    const results = withResult(many, { round: 101, dice: [4, 5, 6] });
    expect([results.length, results[0]?.round, results.at(-1)?.round]).toEqual([100, 101, 2]);
  });
});
