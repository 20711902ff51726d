// Where a citation leads in the approved rules, and how their passages stand.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { LayoutView, RulesView } from '../../src/protocol/messages';
import { depthOf, placeOf, sectionsOf } from '../../src/state/rules';

const read = <T>(path: string): T => JSON.parse(readFileSync(join(import.meta.dirname, '../../mock', path), 'utf8')) as T;
const classic = read<RulesView>('rules/tai-sai-classic@1.json');

it('leads to the own document, or to the one that is named', () => {
  expect(placeOf(classic, '3.2')).toEqual({ document: '001', number: '3.2' });
  expect(placeOf(classic, '003:5.14')).toEqual({ document: '003', number: '5.14' });
  expect(placeOf(classic, '5.14')).toBeNull();
  expect(placeOf(classic, '009:1')).toBeNull();
  expect(placeOf({ game: 'x@1', texts: [] }, '1')).toBeNull();
});

it.each(['tai-sai-classic-A', 'tai-sai-E', 'tai-sai-open-cover-C', 'sic-bo-etg-B'])('finds every paragraph that %s cites', (name) => {
  const layout = read<LayoutView>(`layouts/${name}.json`);
  const rules = read<RulesView>(`rules/${layout.game}.json`);
  const cited = Object.values(layout.paragraphs).flat();
  expect(cited.length).toBeGreaterThan(20);
  expect(cited.filter((paragraph) => placeOf(rules, paragraph) === null)).toEqual([]);
});

it('lists the five sections of each document', () => {
  for (const text of classic.texts) expect(sectionsOf(text).map(({ number }) => number)).toEqual(['1', '2', '3', '4', '5']);
  expect(['5', '5.5', '5.5.1'].map(depthOf)).toEqual([1, 2, 3]);
});
