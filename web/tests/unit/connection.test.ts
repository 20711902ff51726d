import { describe, expect, it } from 'vitest';
import { Connection, SILENCE_TIMEOUT_MS, type ConnectionDeps, type Socket } from '../../src/protocol/connection';

class FakeSocket implements Socket {
  sent: string[] = [];
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onclose: ((event: { code: number; reason: string }) => void) | null = null;
  isClosed = false;
  send(text: string) {
    this.sent.push(text);
  }
  close() {
    this.isClosed = true;
  }
  async receive(message: unknown) {
    this.onmessage?.({ data: JSON.stringify(message) });
    await Promise.resolve();
    await Promise.resolve();
  }
}

function setup(made: Partial<ConnectionDeps> = {}) {
  const sockets: FakeSocket[] = [];
  const urls: string[] = [];
  const waits: { milliseconds: number; act: () => void; isOff: boolean }[] = [];
  const received: unknown[] = [];
  const lost: [string, boolean][] = [];
  const connection = new Connection('ws://house', { message: (m) => received.push(m), lost: (why, isDenied) => lost.push([why, isDenied]) }, {
    open: (url) => {
      urls.push(url);
      const socket = new FakeSocket();
      sockets.push(socket);
      return socket;
    },
    after: (milliseconds, act) => {
      const wait = { milliseconds, act, isOff: false };
      waits.push(wait);
      return () => (wait.isOff = true);
    },
    chance: () => 0.5,
    ...made,
  });
  const due = () => waits.filter((wait) => !wait.isOff);
  /** How long it waited each time before it connected again. */
  const again = () => waits.filter(({ milliseconds }) => milliseconds !== SILENCE_TIMEOUT_MS).map(({ milliseconds }) => Math.round(milliseconds));
  return { connection, sockets, urls, due, again, received, lost };
}

describe('a connection', () => {
  it('answers the challenge, and receives the rest', async () => {
    const { sockets, received } = setup({ prove: async (challenge) => `signed ${challenge}` });
    await sockets[0]!.receive({ challenge: 'ab' });
    await sockets[0]!.receive({ public: { number: 1 } });
    expect(sockets[0]!.sent).toEqual(['signed ab']);
    expect(received).toEqual([{ public: { number: 1 } }]);
  });

  it('waits longer each time, up to a bound, and starts over after a snapshot', async () => {
    const { sockets, due, again } = setup();
    for (let lost = 0; lost < 7; lost += 1) {
      sockets.at(-1)!.onclose?.({ code: 1006, reason: '' });
      due().at(-1)!.act();
    }
    expect(again()).toEqual([250, 500, 1000, 2000, 4000, 5000, 5000]);
    await sockets.at(-1)!.receive({ snapshot: {} });
    sockets.at(-1)!.onclose?.({ code: 1006, reason: '' });
    expect(again().at(-1)).toBe(250);
  });

  it('does not reconnect when the server denies it', () => {
    const { sockets, due, lost } = setup();
    sockets[0]!.onclose?.({ code: 4000, reason: 'not-proven' });
    expect(lost).toEqual([['not-proven', true]]);
    expect(due()).toEqual([]);
  });

  it('names its cluster immediately when another node plays it, and waits if that does not help', () => {
    const { sockets, urls, lost, again } = setup();
    sockets[0]!.onclose?.({ code: 4001, reason: '3' });
    expect(urls).toEqual(['ws://house', 'ws://house?cluster=3']);
    expect([lost, again()]).toEqual([[], []]);
    sockets[1]!.onclose?.({ code: 4001, reason: '3' });
    expect(again()).toEqual([250]);
  });

  it.each([
    ['never speaks', []],
    ['falls silent after its challenge', [{ challenge: 'ab' }]],
    ['falls silent between the snapshot and the first beat', [{ snapshot: {} }]],
    ['stops beating', [{ snapshot: {} }, { beat: 1 }, { beat: 2 }]],
    ['stops answering', [{ snapshot: {} }, { beat: 1 }, { answers: [] }]],
  ])('counts a house as lost that %s', async (_, messages) => {
    const { sockets, due, lost } = setup();
    for (const message of messages) await sockets[0]!.receive(message);
    expect(due()).toHaveLength(1);
    due()[0]!.act();
    expect(lost).toEqual([['silent', false]]);
    expect(sockets[0]!.isClosed).toBe(true);
  });

  it('takes any message as a sign of life: a busy server sends no heartbeat', async () => {
    const { sockets, due } = setup();
    await sockets[0]!.receive({ beat: 1 });
    const [before] = due();
    await sockets[0]!.receive({ answers: [] });
    expect(before!.isOff).toBe(true);
    expect(due()).toHaveLength(1);
  });

  it('ignores messages after it was closed', async () => {
    const { connection, sockets, received } = setup();
    connection.resync();
    await sockets[0]!.receive({ public: {} });
    sockets[0]!.onclose?.({ code: 1000, reason: '' });
    expect(received).toEqual([]);
    connection.close();
  });
});
