// How long the browser works at an update of a hundred boxes: script, style and layout, from its own trace.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { Stage } from './stage';

/** Wanted are 8 ms; what is seen on two shared cores is about 12 to 16, so this only keeps it from getting worse. */
const MOST = 25;
const UPDATES = 20;
const APART = 400;
const CLOSE = 60_000;
const WORK = ['FunctionCall', 'RunMicrotasks', 'UpdateLayoutTree', 'Layout', 'V8.GC_SCAVENGER'];

let stage: Stage;
beforeAll(async () => (stage = await Stage.open()));
afterAll(() => stage.close());

interface Event {
  name: string;
  ts: number;
  dur?: number;
  tdur?: number;
  tid: number;
}

it(`an update of 100 boxes takes at most ${MOST} ms of script and layout in the median`, async () => {
  const table = stage.house.table(2);
  const { page } = await stage.terminal(2, 41);
  table.open(60);
  await page.waitForTimeout(1_000);
  await stage.browser.startTracing(page, { categories: ['devtools.timeline', 'v8.execute'] });
  for (let update = 1; update <= UPDATES; update += 1) {
    const bets = table.layout.boxes.slice(0, 100).map(({ box }) => ({ chips: 'own' as const, box, amount: 1_000 * update }));
    table.tell(table.seat(41), { bets });
    await page.waitForTimeout(APART);
  }
  const trace = JSON.parse((await stage.browser.stopTracing()).toString()) as { traceEvents: Event[] };
  const work = trace.traceEvents.filter(({ name, dur }) => WORK.includes(name) && dur !== undefined).sort((a, b) => a.ts - b.ts);
  // Nested events count once, by the time their thread worked; those of one update lie close together.
  const updates: number[] = [];
  let [end, last] = [0, -Infinity];
  for (const { ts, dur = 0, tdur = dur } of work) {
    if (ts - last > CLOSE) updates.push(0);
    if (ts >= end) updates[updates.length - 1]! += tdur / 1_000;
    end = Math.max(end, ts + dur);
    last = end;
  }
  const large = updates.sort((a, b) => b - a).slice(0, UPDATES);
  const median = large[Math.floor(large.length / 2)]!;
  console.log(`an update of 100 boxes: ${median.toFixed(1)} ms in the median, ${large[0]!.toFixed(1)} at most`);
  expect(large.length).toBeGreaterThanOrEqual(UPDATES - 2);
  expect(median).toBeLessThanOrEqual(MOST);
  await page.context().close();
});
