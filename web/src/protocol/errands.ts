// The commands of a person, one after the other, each under a number of its own. One that got no answer is sent again under the
// same number, so that it is carried out once; after some tries whoever asked is told, and may leave it.

import type { Refused } from './messages';
import { Denied, unreachable } from './staff';

/** The table is that which refused, whose rules are cited. */
export type Verdict = { accepted: unknown } | { refused: Refused; table?: number };

/** What errands are made of; tests put their own in. */
export interface Ways {
  post(path: string, body: unknown): Promise<Verdict>;
  wait(milliseconds: number): Promise<void>;
  now(): number;
  used(sequence: number): void;
  /** No answer has come to a command: whether it is to be asked again. */
  isToBeAskedAgain(path: string, command: unknown): Promise<boolean>;
  /** The password is wanted again: whether it was given. */
  isPasswordGiven(): Promise<boolean>;
}

const TRIES = 5;
const FIRST_WAIT = 300;

/** What may have been done although no answer came. */
const UNSURE = ['unreachable', 'too-slow', 'not-sent', 'elsewhere', 'stopped', 'internal'];

export class Errands {
  private turn: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly ways: Ways,
    readonly source: number,
    private last = 0,
  ) {}

  /** Puts a command before a table or the House, once those before it are answered. */
  ask(path: string, command: unknown, approval?: number): Promise<Verdict> {
    const verdict = this.turn.then(() => this.put(path, command, approval));
    this.turn = verdict;
    return verdict;
  }

  private async put(path: string, command: unknown, approval?: number): Promise<Verdict> {
    this.last = Math.max(this.last + 1, this.ways.now());
    this.ways.used(this.last);
    const body = { source: this.source, sequence: this.last, ...(approval === undefined ? {} : { approval }), command };
    for (let tried = 1; ; tried += 1) {
      const verdict = await this.once(path, body);
      if (!('refused' in verdict)) return verdict;
      const { code } = verdict.refused;
      if (code === 'sign-in-again') {
        // It may have been done when it was sent before: its number stays.
        if (!(await this.ways.isPasswordGiven())) return verdict;
      } else if (!UNSURE.includes(code)) return verdict;
      else if (tried < TRIES) await this.ways.wait(FIRST_WAIT * 2 ** (tried - 1));
      else if (!(await this.ways.isToBeAskedAgain(path, command))) return verdict;
    }
  }

  private async once(path: string, body: unknown): Promise<Verdict> {
    try {
      return await this.ways.post(path, body);
    } catch (error) {
      return { refused: error instanceof Denied ? error.refused : unreachable };
    }
  }
}
