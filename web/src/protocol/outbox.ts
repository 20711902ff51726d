// A terminal's commands on their way to the server, under rising numbers. No more are unanswered than the server remembers. After a lost
// connection they are sent again under the same numbers, so the server carries each out once.

import type { Answered, CommandReply, SeatCommand } from './messages';

/** The server remembers this many commands of a source. */
const MAX_UNANSWERED = 4;

export interface QueuedCommand {
  readonly command: SeatCommand;
  /** Sent only once that one is accepted; cancelled if it is not. */
  readonly after?: QueuedCommand | undefined;
  sequence: number | null;
  reply: CommandReply | null;
}

export interface OutboxListener {
  send(message: { commands: { sequence: number; command: SeatCommand }[] }): void;
  answered(queued: QueuedCommand, reply: CommandReply): void;
  /** It was not sent, and will not be. */
  cancelled(queued: QueuedCommand): void;
  /** Remembers the last number over a reload of the page. */
  used(sequence: number): void;
}

export class Outbox {
  #waiting: QueuedCommand[] = [];
  #unanswered: QueuedCommand[] = [];
  #isUp = false;
  readonly #listener: OutboxListener;
  #lastSequence: number;

  constructor(listener: OutboxListener, lastSequence = 0) {
    [this.#listener, this.#lastSequence] = [listener, lastSequence];
  }

  put(command: SeatCommand, after?: QueuedCommand): QueuedCommand {
    const queued: QueuedCommand = { command, after: after?.reply ? undefined : after, sequence: null, reply: null };
    this.#waiting.push(queued);
    this.#sendNext();
    return queued;
  }

  /** Connected. Numbers begin above the server's time, so that none is used twice even if the last one was forgotten. */
  up(time: number, isStillWanted: (queued: QueuedCommand) => boolean): void {
    this.#lastSequence = Math.max(this.#lastSequence, time);
    this.#isUp = true;
    const wanted = this.#unanswered.filter(isStillWanted);
    const unwanted = this.#unanswered.filter((queued) => !isStillWanted(queued));
    this.#unanswered = wanted;
    unwanted.forEach((queued) => this.#listener.cancelled(queued));
    this.#transmit(wanted);
    this.#sendNext();
  }

  /** Disconnected: cancels what was not sent. What was sent stays unanswered until the next snapshot. */
  down(): void {
    this.#isUp = false;
    this.cancel();
  }

  /** Cancels commands that were not sent yet. */
  cancel(commands: QueuedCommand[] = this.#waiting): void {
    const cancelled = this.#waiting.filter((queued) => commands.includes(queued));
    this.#waiting = this.#waiting.filter((queued) => !commands.includes(queued));
    cancelled.forEach((queued) => this.#listener.cancelled(queued));
  }

  receive(answers: Answered[]): void {
    for (const { sequence, answer } of answers) {
      const queued = this.#unanswered.find((sent) => sent.sequence === sequence);
      if (queued === undefined) continue;
      this.#unanswered = this.#unanswered.filter((sent) => sent !== queued);
      queued.reply = answer as CommandReply;
      this.#listener.answered(queued, queued.reply);
    }
    this.#sendNext();
  }

  #sendNext(): void {
    if (!this.#isUp) return;
    const now: QueuedCommand[] = [];
    const cancelled: QueuedCommand[] = [];
    for (const queued of this.#waiting) {
      const before = queued.after;
      if (before && this.#has(before)) continue;
      if (before?.reply && 'refused' in before.reply) cancelled.push(queued);
      else if (this.#unanswered.length + now.length < MAX_UNANSWERED) now.push(queued);
    }
    this.#waiting = this.#waiting.filter((queued) => !now.includes(queued) && !cancelled.includes(queued));
    for (const queued of now) {
      this.#lastSequence += 1;
      queued.sequence = this.#lastSequence;
      this.#unanswered.push(queued);
    }
    if (now.length > 0) this.#listener.used(this.#lastSequence);
    this.#transmit(now);
    cancelled.forEach((queued) => this.#listener.cancelled(queued));
  }

  #has(queued: QueuedCommand): boolean {
    return this.#waiting.includes(queued) || this.#unanswered.includes(queued);
  }

  #transmit(commands: QueuedCommand[]): void {
    if (commands.length === 0) return;
    const numbered = commands.flatMap(({ sequence, command }) => (sequence === null ? [] : [{ sequence, command }]));
    this.#listener.send({ commands: numbered });
  }
}
