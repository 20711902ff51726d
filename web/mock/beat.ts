// The beat of the stand-in house, in the real one's measure: it comes when nothing was heard for a while, so a screen that speaks
// puts it off.

import type { WebSocket } from 'ws';

const QUIET = 1_000;
const ANSWERED = 850;

/** Beats on a line until it ends, and ends it when no sign of life answers. */
export function beat(line: WebSocket): void {
  let heard = Date.now();
  let isAsked = false;
  const hear = () => ([heard, isAsked] = [Date.now(), false]);
  const after = (milliseconds: number) => setTimeout(quiet, milliseconds);
  const quiet = () => {
    if (isAsked) return line.terminate();
    const left = heard + QUIET - Date.now();
    if (left > 0) return void (timer = after(left));
    line.ping();
    line.send(JSON.stringify({ beat: Date.now() }));
    isAsked = true;
    timer = after(ANSWERED);
  };
  let timer = after(QUIET);
  line.on('message', hear);
  line.on('pong', hear);
  line.on('close', () => clearTimeout(timer));
}
