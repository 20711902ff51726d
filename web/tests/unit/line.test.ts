import { describe, expect, it } from 'vitest';
import { Line, SILENT, type Made, type Socket } from '../../src/protocol/line';

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
  async hear(message: unknown) {
    this.onmessage?.({ data: JSON.stringify(message) });
    await Promise.resolve();
    await Promise.resolve();
  }
}

function setup(made: Partial<Made> = {}) {
  const sockets: FakeSocket[] = [];
  const urls: string[] = [];
  const waits: { milliseconds: number; act: () => void; isOff: boolean }[] = [];
  const heard: unknown[] = [];
  const lost: [string, boolean][] = [];
  const line = new Line('ws://house', { message: (m) => heard.push(m), lost: (why, isDenied) => lost.push([why, isDenied]) }, {
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
  const again = () => waits.filter(({ milliseconds }) => milliseconds !== SILENT).map(({ milliseconds }) => Math.round(milliseconds));
  return { line, sockets, urls, due, again, heard, lost };
}

describe('a line to the house', () => {
  it('proves itself when it is challenged, and hears the rest', async () => {
    const { sockets, heard } = setup({ prove: async (challenge) => `signed ${challenge}` });
    await sockets[0]!.hear({ challenge: 'ab' });
    await sockets[0]!.hear({ public: { number: 1 } });
    expect(sockets[0]!.sent).toEqual(['signed ab']);
    expect(heard).toEqual([{ public: { number: 1 } }]);
  });

  it('waits longer each time, to a bound, and begins anew after a snapshot', async () => {
    const { sockets, due, again } = setup();
    for (let lost = 0; lost < 7; lost += 1) {
      sockets.at(-1)!.onclose?.({ code: 1006, reason: '' });
      due().at(-1)!.act();
    }
    expect(again()).toEqual([250, 500, 1000, 2000, 4000, 5000, 5000]);
    await sockets.at(-1)!.hear({ snapshot: {} });
    sockets.at(-1)!.onclose?.({ code: 1006, reason: '' });
    expect(again().at(-1)).toBe(250);
  });

  it('does not connect again when the house denies it', () => {
    const { sockets, due, lost } = setup();
    sockets[0]!.onclose?.({ code: 4000, reason: 'not-proven' });
    expect(lost).toEqual([['not-proven', true]]);
    expect(due()).toEqual([]);
  });

  it('names its cluster at once where it is told that it is played elsewhere, and waits where that helps no more', () => {
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
    for (const message of messages) await sockets[0]!.hear(message);
    expect(due()).toHaveLength(1);
    due()[0]!.act();
    expect(lost).toEqual([['silent', false]]);
    expect(sockets[0]!.isClosed).toBe(true);
  });

  it('takes any word as a sign of life: a house that is asked all the time does not beat', async () => {
    const { sockets, due } = setup();
    await sockets[0]!.hear({ beat: 1 });
    const [before] = due();
    await sockets[0]!.hear({ answers: [] });
    expect(before!.isOff).toBe(true);
    expect(due()).toHaveLength(1);
  });

  it('hears nothing more on a line that was given up', async () => {
    const { line, sockets, heard } = setup();
    line.again();
    await sockets[0]!.hear({ public: {} });
    sockets[0]!.onclose?.({ code: 1000, reason: '' });
    expect(heard).toEqual([]);
    line.end();
  });
});
