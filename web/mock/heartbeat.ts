// The heartbeat of the mock server. As in the real one, a message from the screen postpones it. Unlike the real one it closes no slow
// connection: a busy machine must not look like a lost screen.

import type { WebSocket } from 'ws';

const HEARTBEAT_MS = 1_000;

/** Sends heartbeats until the socket closes, while `isBeating`. */
export function heartbeat(socket: WebSocket, isBeating: () => boolean): void {
  let timer: ReturnType<typeof setTimeout>;
  const wait = () => {
    clearTimeout(timer);
    timer = setTimeout(quiet, HEARTBEAT_MS);
  };
  const quiet = () => {
    if (isBeating()) socket.send(JSON.stringify({ beat: Date.now() }));
    wait();
  };
  wait();
  socket.on('message', wait);
  socket.on('close', () => clearTimeout(timer));
}
