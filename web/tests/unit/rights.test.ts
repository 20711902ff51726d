// Staff screens agree with the server's files on who is offered what and which events have names. Files and refusals arrive the same way.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RefusedError, file } from '../../src/protocol/staffApi';
import { alertOf } from '../../src/state/alerts';
import { read, rightOf } from '../../src/state/acts';
import { approves, clearsLocks, isCashier, managesHouse, paysByHand, readsReports, ROLES, rules, runsTable, sees } from '../../src/state/rights';

const ROOT = join(import.meta.dirname, '../../..');
const profile = readFileSync(join(ROOT, 'profiles/singapore.toml'), 'utf8');
const doors = readFileSync(join(ROOT, 'crates/server/src/ws/house.rs'), 'utf8');
const reports = readFileSync(join(ROOT, 'crates/server/src/reports/params.rs'), 'utf8');

const holders = (may: (me: { roles: (typeof ROLES)[number][] }) => boolean) => ROLES.filter((role) => may({ roles: [role] })).sort();
const by = (act: string) => (JSON.parse(new RegExp(`^${act} += \\{ by = (\\[.*?\\])`, 'm').exec(profile)![1]!) as string[]).sort();
const inCode = (text: string) => [...text.matchAll(/Role::(\w+)/g)].map(([, name]) => name!.replace(/(?<=.)[A-Z]/g, (letter) => `-${letter}`).toLowerCase()).sort();

describe('what is offered', () => {
  it.each([['run-table', runsTable], ['rule', rules], ['clear-lock', clearsLocks], ['cage', isCashier], ['hand-pay', paysByHand], ['manage-people', managesHouse], ['manage-devices', managesHouse]] as const)('%s is for those of the profile', (act, may) =>
    expect(holders(may)).toEqual(by(act)),
  );

  it.each(['pit', 'cage', 'audit'] as const)('the %s is for those whom the server lets in', (screen) => {
    const name = screen[0]!.toUpperCase() + screen.slice(1);
    const body = new RegExp(`Self::${name} => &\\[([^\\]]*)\\]`).exec(doors)![1]!;
    expect(holders((me) => sees(me, screen))).toEqual(inCode(body));
  });

  it('approvals are shown to everyone whom the profile lets be the second person', () => {
    const second = [...profile.matchAll(/with = (\[.*?\])/g)].flatMap(([, roles]) => JSON.parse(roles!) as string[]);
    expect(holders(approves)).toEqual([...new Set(second)].sort());
  });

  it('reports are for those who may read them', () => expect(holders(readsReports)).toEqual(inCode(/const READERS[^;]*;[^;]*\[([^\]]*)\];/.exec(reports)![1]!)));
});

describe('a file', () => {
  it('is what the server sends', async () => {
    const found = await file('reports/meters?format=csv', async (path) => new Response(String(path)));
    expect(await found.file.text()).toBe('/api/v1/reports/meters?format=csv');
    expect(found.isCut).toBe(false);
  });

  it('of a list is joined from its pages, with one head, and is cut after a hundred', async () => {
    const paged = (pages: number) => {
      const paths: string[] = [];
      const ask = async (path: unknown) => new Response(`when,what\r\n${paths.push(String(path))},"a\nb"\r\n`, { headers: paths.length < pages ? { 'taisai-after': `9.t ${paths.length}` } : {} });
      return { paths, found: file('events?format=csv', ask) };
    };
    const three = paged(3);
    expect(await (await three.found).file.text()).toBe('when,what\r\n1,"a\nb"\r\n2,"a\nb"\r\n3,"a\nb"\r\n');
    expect(three.paths).toEqual(['/api/v1/events?format=csv', '/api/v1/events?format=csv&after=9.t+1', '/api/v1/events?format=csv&after=9.t+2']);
    expect([(await three.found).isCut, (await paged(100).found).isCut, (await paged(101).found).isCut]).toEqual([false, false, true]);
  });

  it('is refused in the server’s words', async () => {
    const refused = { code: 'not-yet', paragraphs: [], sentence: 'Not yet.' };
    const evidence = file('tables/1/rounds/2/evidence', async () => Response.json({ refused }, { status: 409 }));
    await expect(evidence).rejects.toEqual(new RefusedError(refused));
  });
});

it('an act about a person is read whole, and needs the right to manage people', () => {
  const what = { house: { 'add-person': { person: 31, name: 'Goh Li Ting', roles: ['dealer' as const] } } };
  expect(read(JSON.stringify(what))).toEqual({ name: 'add-person', table: null, fields: what.house['add-person'] });
  expect(rightOf(what)).toBe('manage-people');
  expect(rightOf({ password: { person: 31 } })).toBe('manage-people');
});

it('an alert says whose voucher numbers were wrong (F45)', () => {
  const cluster = { table: 2, number: 0 };
  const of = (what: Parameters<typeof alertOf>[0]['what']) => alertOf({ number: 4, time: 9, who: 'system', what });
  expect(of({ 'redemption-locked': { person: 8 } })).toMatchObject({ person: 8, redeemer: { person: 8 }, device: null });
  expect(of({ 'redemption-locked': { seat: { cluster, seat: 4 } } })).toMatchObject({ table: 2, seat: 4, redeemer: { seat: { cluster, seat: 4 } } });
  expect(of({ 'redemption-unlocked': { person: 8 } })).toMatchObject({ person: 8, redeemer: null, isUrgent: false });
});

it('an event has a name in words for every kind that the record writes', async () => {
  const { audit } = await import('../../src/words/staff/en-audit');
  const round = readFileSync(join(ROOT, 'crates/reports/src/round.rs'), 'utf8');
  const kinds = [...round.matchAll(/self\.event\("([a-z-]+)"/g)].map(([, kind]) => kind!);
  const happenings = readFileSync(join(ROOT, 'web/src/words/staff/en-pit.ts'), 'utf8').match(/ {2}kinds: \{([\s\S]*?)\n {2}\}/)![1]!;
  const significant = [...happenings.matchAll(/(?:'([a-z-]+)'|\b([a-z]+)): '/g)].map(([, one, other]) => one ?? other!);
  expect(kinds.length).toBeGreaterThan(12);
  expect([...kinds, ...significant].filter((kind) => !(kind in audit.events))).toEqual([]);
});
