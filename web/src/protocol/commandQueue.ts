// The commands of a signed-in person, sent one after the other, each under its own number. A command without a reply is sent again under
// the same number, so the server carries it out once. After some tries the person decides whether to go on.

import type { CommandReply } from './messages';
import { RefusedError, unreachable } from './staffApi';

/** Tests put in their own. */
export interface CommandQueueDeps {
  post(path: string, body: unknown): Promise<CommandReply>;
  wait(milliseconds: number): Promise<void>;
  now(): number;
  /** Remembers the last number over a reload of the page. */
  used(sequence: number): void;
  shouldRetry(path: string, command: unknown): Promise<boolean>;
  /** Asks for the password; whether it was given. */
  isPasswordGiven(): Promise<boolean>;
}

const MAX_SILENT_TRIES = 5;
const FIRST_RETRY_MS = 300;

/** After these refusals the command may have been carried out. */
const OUTCOME_UNKNOWN = ['unreachable', 'too-slow', 'not-sent', 'elsewhere', 'stopped', 'internal'];

export class CommandQueue {
  private tail: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly deps: CommandQueueDeps,
    readonly source: number,
    private lastSequence = 0,
  ) {}

  /** Sends a command once those before it have their replies. */
  send(path: string, command: unknown, approval?: number): Promise<CommandReply> {
    const reply = this.tail.then(() => this.sendNumbered(path, command, approval));
    this.tail = reply;
    return reply;
  }

  private async sendNumbered(path: string, command: unknown, approval?: number): Promise<CommandReply> {
    this.lastSequence = Math.max(this.lastSequence + 1, this.deps.now());
    this.deps.used(this.lastSequence);
    const body = { source: this.source, sequence: this.lastSequence, ...(approval === undefined ? {} : { approval }), command };
    for (let tried = 1; ; tried += 1) {
      const reply = await this.attempt(path, body);
      if (!('refused' in reply)) return reply;
      const { code } = reply.refused;
      if (code === 'sign-in-again') {
        // An earlier try may have been carried out, so the number stays.
        if (!(await this.deps.isPasswordGiven())) return reply;
      } else if (!OUTCOME_UNKNOWN.includes(code)) return reply;
      else if (tried < MAX_SILENT_TRIES) await this.deps.wait(FIRST_RETRY_MS * 2 ** (tried - 1));
      else if (!(await this.deps.shouldRetry(path, command))) return reply;
    }
  }

  private async attempt(path: string, body: unknown): Promise<CommandReply> {
    try {
      return await this.deps.post(path, body);
    } catch (error) {
      return { refused: error instanceof RefusedError ? error.refused : unreachable };
    }
  }
}
