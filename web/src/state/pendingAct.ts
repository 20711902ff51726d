// A command of a terminal that has no reply yet.

import type { CommandReply, Stake } from '../protocol/messages';
import type { QueuedCommand } from '../protocol/outbox';

export interface PendingAct {
  queued: QueuedCommand;
  id: number;
  stakes: Stake[];
  /** The chips on its boxes once it is carried out. */
  expected: Stake[];
  isPlaced: boolean;
  round: number;
  isUndoable: boolean;
  /** Receives the reply; a bet has none, because the seat shows it. */
  done?: ((reply: CommandReply) => void) | undefined;
}
