// A terminal with a player, and a server that replies as the test says.

import type { Box } from '../../src/protocol/messages';
import { chipsByBox } from '../../src/state/bets';
import type { TerminalView, PlayerNotice } from '../../src/state/terminalView';
import { Terminal } from '../../src/state/terminal';
import { seat, snapshot, table } from './given';

interface SentMessage {
  commands: { sequence: number; command: Record<string, any> }[];
}

export function setup(publicView = table(), seatView = seat()) {
  const messages: SentMessage[] = [];
  const notices: PlayerNotice[] = [];
  const around = { view: null as TerminalView | null, again: 0 };
  const terminal = new Terminal({
    send: (message) => messages.push(message as SentMessage),
    resync: () => (around.again += 1),
    show: (view) => (around.view = view),
    notify: (notice) => notices.push(notice),
    used: () => {},
  });
  let current = seatView;
  terminal.receive(snapshot(publicView, seatView));
  const answer = (sequence: number, reply: unknown, change: object = {}) => {
    current = { ...current, ...change, number: current.number + 1 };
    terminal.receive({ answers: [{ sequence, answer: reply }], seat: current });
  };
  const sent = () => messages.flatMap(({ commands }) => commands);
  const lies = (box: Box) => chipsByBox(around.view!.seat!.bets, around.view!.moving).get(box);
  return { terminal, messages, sent, notices, around, answer, lies };
}

export const big = (amount: number) => [{ box: 'big' as const, amount }];
export const refused = (code: string) => ({ refused: { code, paragraphs: ['3.5'], sentence: 'No.' } });
