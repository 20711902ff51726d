// Reserves a port for a program that is killed and restarted. The Rust tests reserve theirs in the same way, in
// crates/journal/src/suite/port.rs.

import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';

/** Lower ports belong to servers outside the tests. */
const LOWEST = 10_000;
const HIGHEST = 65_535;

/** Holding a port at this address reserves it on every loopback address. Nothing else listens here. */
const REGISTER = '127.0.0.2';

/** Ports outside the system's ephemeral range; all ports if the range is everything. */
function ports(): number[] {
  const [first, last] = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').trim().split(/\s+/).map(Number) as [number, number];
  const all = Array.from({ length: HIGHEST - LOWEST + 1 }, (_, at) => LOWEST + at);
  const others = all.filter((port) => port < first || port > last);
  return others.length > 0 ? others : all;
}

const listen = (port: number, host: string) =>
  new Promise<Server | null>((done) => {
    const server = createServer();
    server.once('error', () => done(null));
    server.listen({ port, host, exclusive: true }, () => done(server));
  });

/** A loopback port that no other test uses while it is held. */
export class ReservedPort {
  private constructor(
    readonly number: number,
    private readonly held: Server,
  ) {}

  static async take(): Promise<ReservedPort> {
    const all = ports();
    const start = Math.floor(Math.random() * all.length);
    for (const port of [...all.slice(start), ...all.slice(0, start)]) {
      const held = await listen(port, REGISTER);
      // A server outside the tests may listen there.
      const own = held && (await listen(port, '127.0.0.1'));
      if (held && own) {
        await new Promise((closed) => own.close(closed));
        return new ReservedPort(port, held);
      }
      held?.close();
    }
    throw new Error('every port is taken');
  }

  release(): void {
    this.held.close();
  }
}
