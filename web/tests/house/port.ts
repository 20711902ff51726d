// A port for a house that is killed and started again: nobody else is given it meanwhile. The tests in Rust reserve theirs in the same
// way, in crates/journal/src/suite/port.rs.

import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';

/** Ports below are for servers that are no test's. */
const LOWEST = 10_000;
const HIGHEST = 65_535;

/** Whoever holds a port here has it on every loopback address. Nothing else listens at this address. */
const REGISTER = '127.0.0.2';

/** Ports that the system gives to nobody who asks for any port, neither to listen nor to connect; all, where it gives all of them. */
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

/** A loopback port that no other test uses, in this process or another, as long as it is held. */
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
      // A server that is no test's may listen there.
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
