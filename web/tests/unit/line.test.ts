import { describe, expect, it } from 'vitest';
import { Line, type Made, type Socket } from '../../src/protocol/line';

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
  const waits: { milliseconds: number; act: () => void; isOff: boolean }[] = [];
  const heard: unknown[] = [];
  const lost: [string, boolean][] = [];
  const line = new Line('ws://house', { message: (m) => heard.push(m), lost: (why, isDenied) => lost.push([why, isDenied]) }, {
    open: () => {
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
  return { line, sockets, waits, due, heard, lost };
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
    const { sockets, due, waits } = setup();
    for (let lost = 0; lost < 7; lost += 1) {
      sockets.at(-1)!.onclose?.({ code: 1006, reason: '' });
      due().at(-1)!.act();
    }
    expect(waits.map(({ milliseconds }) => Math.round(milliseconds))).toEqual([250, 500, 1000, 2000, 4000, 5000, 5000]);
    await sockets.at(-1)!.hear({ snapshot: {} });
    sockets.at(-1)!.onclose?.({ code: 1006, reason: '' });
    expect(waits.at(-1)!.milliseconds).toBe(250);
  });

  it('does not connect again when the house denies it', () => {
    const { sockets, waits, lost } = setup();
    sockets[0]!.onclose?.({ code: 4000, reason: 'not-proven' });
    expect(lost).toEqual([['not-proven', true]]);
    expect(waits).toEqual([]);
  });

  it('counts a house that stops beating as lost, and one that never beat not', async () => {
    const { sockets, due, lost } = setup();
    await sockets[0]!.hear({ snapshot: {} });
    expect(due()).toEqual([]);
    await sockets[0]!.hear({ beat: 1 });
    await sockets[0]!.hear({ beat: 2 });
    expect(due()).toHaveLength(1);
    due()[0]!.act();
    expect(lost).toEqual([['silent', false]]);
    expect(sockets[0]!.isClosed).toBe(true);
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
