// The beat of the stand-in house: as from the real one it comes when nothing was heard for a while, so a screen that speaks puts it
// off. Unlike the real one it ends no line that is late to answer: a busy machine must not look like a lost screen.

import type { WebSocket } from 'ws';

const HEARTBEAT_MS = 1_000;

/** Beats on a line until it ends, while `isBeating`. */
export function beat(line: WebSocket, isBeating: () => boolean): void {
  let timer: ReturnType<typeof setTimeout>;
  const wait = () => {
    clearTimeout(timer);
    timer = setTimeout(quiet, HEARTBEAT_MS);
  };
  const quiet = () => {
    if (isBeating()) line.send(JSON.stringify({ beat: Date.now() }));
    wait();
  };
  wait();
  line.on('message', wait);
  line.on('close', () => clearTimeout(timer));
}
