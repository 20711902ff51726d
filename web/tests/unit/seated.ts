// A terminal at a table with somebody who plays at it, and a house that answers as the test says.

import type { Box } from '../../src/protocol/messages';
import { lying } from '../../src/state/bets';
import type { TerminalView, Word } from '../../src/state/seen';
import { Terminal } from '../../src/state/terminal';
import { seat, snapshot, table } from './given';

interface Said {
  commands: { sequence: number; command: Record<string, any> }[];
}

export function setup(publicView = table(), seatView = seat()) {
  const said: Said[] = [];
  const words: Word[] = [];
  const around = { view: null as TerminalView | null, again: 0 };
  const terminal = new Terminal({
    say: (message) => said.push(message as Said),
    again: () => (around.again += 1),
    show: (view) => (around.view = view),
    word: (word) => words.push(word),
    used: () => {},
  });
  let current = seatView;
  terminal.hear(snapshot(publicView, seatView));
  const answer = (sequence: number, verdict: unknown, change: object = {}) => {
    current = { ...current, ...change, number: current.number + 1 };
    terminal.hear({ answers: [{ sequence, answer: verdict }], seat: current });
  };
  const sent = () => said.flatMap(({ commands }) => commands);
  const lies = (box: Box) => lying(around.view!.seat!.bets, around.view!.moving).get(box);
  return { terminal, said, sent, words, around, answer, lies };
}

export const big = (amount: number) => [{ box: 'big' as const, amount }];
export const refused = (code: string) => ({ refused: { code, paragraphs: ['3.5'], sentence: 'No.' } });
