// How long the browser works at an update of a hundred boxes of the terminal: script, style and layout by its own trace, as time
// of its thread. A bare page that sets as many nodes by plain calls is the rival. A benchmark: it prints, and fails nothing.

import { createServer } from 'vite';

const WANTED = 8;
const BOXES = 100;
const RUNS = 5;
const UPDATES = 20;
const APART = 250;
const CLOSE = 60_000;
const KINDS = { FunctionCall: 'script', RunMicrotasks: 'script', UpdateLayoutTree: 'style', Layout: 'layout', 'V8.GC_SCAVENGER': 'garbage', MinorGC: 'garbage' };

const vite = await createServer({ server: { middlewareMode: true }, appType: 'custom', mode: 'speed', logLevel: 'error' });
const { Stage } = await vite.ssrLoadModule('/tests/browser/stage.ts');
const stage = await Stage.open();

/** What each update took, in milliseconds, from a trace, and of what kind: nested events count once, as the outer one; those of
 * one update lie close together. */
function taken(events) {
  const threads = {};
  for (const event of events) if (event.name in KINDS && event.dur !== undefined) (threads[`${event.pid}.${event.tid}`] ??= []).push(event);
  const [work] = Object.values(threads).sort((one, other) => other.length - one.length);
  const updates = [];
  let [end, last] = [0, -Infinity];
  for (const { name, ts, dur, tdur = dur } of work.sort((a, b) => a.ts - b.ts)) {
    if (ts - last > CLOSE) updates.push({ whole: 0 });
    const update = updates.at(-1);
    if (ts >= end) {
      update.whole += tdur / 1_000;
      update[KINDS[name]] = (update[KINDS[name]] ?? 0) + tdur / 1_000;
    }
    end = Math.max(end, ts + dur);
    last = end;
  }
  return updates.sort((a, b) => b.whole - a.whole).slice(0, UPDATES);
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

/** The best of the runs' medians: others work on the same machine. */
async function measured(page, update) {
  const medians = [];
  for (let run = 0; run < RUNS; run += 1) {
    await stage.browser.startTracing(page, { categories: ['devtools.timeline', 'v8.execute', 'disabled-by-default-v8.gc'] });
    for (let at = 1; at <= UPDATES; at += 1) {
      await update(run * UPDATES + at);
      await page.waitForTimeout(APART);
      await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
    }
    const updates = taken(JSON.parse(String(await stage.browser.stopTracing())).traceEvents);
    const of = (kind) => median(updates.map((update) => update[kind] ?? 0));
    medians.push(Object.fromEntries(['whole', ...new Set(Object.values(KINDS))].map((kind) => [kind, of(kind)])));
  }
  return medians.sort((one, other) => one.whole - other.whole)[0];
}

const amount = (at) => 1_000 * at;

async function ofTerminal() {
  const table = stage.house.table(2);
  const page = await stage.terminal(2, 41);
  table.open(600);
  await page.locator('[data-phase=open]').waitFor();
  const boxes = table.layout.boxes.slice(0, BOXES);
  const took = await measured(page, async (at) => table.update(table.seat(41), { bets: boxes.map(({ box }) => ({ chips: 'own', box, amount: amount(at) })) }));
  await page.context().close();
  return took;
}

/** A name, a pile and its figure for each box, and nothing else on the page. */
async function ofBarePage() {
  const page = await stage.page();
  await page.evaluate((count) => {
    const NS = 'http://www.w3.org/2000/svg';
    const felt = document.body.appendChild(document.createElementNS(NS, 'svg'));
    felt.setAttribute('viewBox', '0 0 1000 1000');
    const boxes = Array.from({ length: count }, (_, at) => {
      const box = felt.appendChild(document.createElementNS(NS, 'g'));
      box.setAttribute('transform', `translate(${50 + (at % 10) * 90} ${50 + Math.trunc(at / 10) * 90})`);
      const [pile, figure] = ['path', 'text'].map((name) => box.appendChild(document.createElementNS(NS, name)));
      return { box, pile, figure: figure.appendChild(document.createTextNode('')), text: figure };
    });
    globalThis.update = (amount) => {
      for (const { box, pile, figure, text } of boxes) {
        box.setAttribute('aria-label', `Box, pays 1 to 1, ${amount} bet`);
        pile.setAttribute('d', `M-30 ${amount % 7}V3A30 30 0 0 0 30 3V-3A30 30 0 0 1-30-3`);
        text.setAttribute('font-size', String(20 + (amount % 7)));
        figure.data = String(amount);
      }
    };
  }, BOXES);
  const took = await measured(page, (at) => page.evaluate((amount) => requestAnimationFrame(() => globalThis.update(amount)), amount(at)));
  await page.context().close();
  return took;
}

const [rival, own] = [await ofBarePage(), await ofTerminal()];
const report = (what, took, split = '') => console.log(`${what.padEnd(34)} ${took.toFixed(1)} ms${split}`);
const ofKinds = ({ whole, ...kinds }) => `  (${Object.entries(kinds).map(([kind, took]) => `${kind} ${took.toFixed(1)}`).join(', ')})`;
console.log(`An update of ${BOXES} boxes: script, style and layout, the best median of ${RUNS} runs of ${UPDATES}`);
report('terminal', own.whole, ofKinds(own));
report('wanted, at most', WANTED);
report('bare page with plain calls', rival.whole, ofKinds(rival));
console.log(`${'ratio to the bare page'.padEnd(34)} ${(own.whole / rival.whole).toFixed(1)}`);
await stage.close();
await vite.close();
