// Commands on their way to the house: numbered, rising, at most as many unanswered as the house remembers, and sent again
// under the same number after the line was lost, so that each is carried out once.

import type { Answered, Refused, SeatCommand } from './messages';

/** The house remembers this many commands of a source. */
const UNANSWERED = 4;

export type Verdict = { accepted: unknown } | { refused: Refused };

/** A command, and who waits for its answer. */
export interface Letter {
  readonly command: SeatCommand;
  /** Not sent before that one is accepted; called off if it is not. */
  readonly after?: Letter | undefined;
  sequence: number | null;
  verdict: Verdict | null;
}

/** What becomes of a letter. */
export interface Post {
  say(message: { commands: { sequence: number; command: SeatCommand }[] }): void;
  answered(letter: Letter, verdict: Verdict): void;
  /** It was not sent, and will not be. */
  calledOff(letter: Letter): void;
  /** Remembers the last number over a reload of the page. */
  used(sequence: number): void;
}

export class Outbox {
  #waiting: Letter[] = [];
  #unanswered: Letter[] = [];
  #isUp = false;

  constructor(
    private readonly post: Post,
    private last = 0,
  ) {}

  put(command: SeatCommand, after?: Letter): Letter {
    const letter: Letter = { command, after: after?.verdict ? undefined : after, sequence: null, verdict: null };
    this.#waiting.push(letter);
    this.#send();
    return letter;
  }

  /** The line is up. Numbers begin above the house's time, so that none is used again even where the last was forgotten. */
  up(time: number, isStillWanted: (letter: Letter) => boolean): void {
    this.last = Math.max(this.last, time);
    this.#isUp = true;
    const again = this.#unanswered.filter(isStillWanted);
    const forgotten = this.#unanswered.filter((letter) => !isStillWanted(letter));
    this.#unanswered = again;
    forgotten.forEach((letter) => this.post.calledOff(letter));
    this.#say(again);
    this.#send();
  }

  /** The line is lost: what was not sent is called off, the fate of the rest is asked for later. */
  down(): void {
    this.#isUp = false;
    this.callOff();
  }

  /** Calls off what was not sent. */
  callOff(letters: Letter[] = this.#waiting): void {
    const off = this.#waiting.filter((letter) => letters.includes(letter));
    this.#waiting = this.#waiting.filter((letter) => !letters.includes(letter));
    off.forEach((letter) => this.post.calledOff(letter));
  }

  hear(answers: Answered[]): void {
    for (const { sequence, answer } of answers) {
      const letter = this.#unanswered.find((sent) => sent.sequence === sequence);
      if (letter === undefined) continue;
      this.#unanswered = this.#unanswered.filter((sent) => sent !== letter);
      letter.verdict = answer as Verdict;
      this.post.answered(letter, letter.verdict);
    }
    this.#send();
  }

  #send(): void {
    if (!this.#isUp) return;
    const now: Letter[] = [];
    const off: Letter[] = [];
    for (const letter of this.#waiting) {
      const before = letter.after;
      if (before && this.#has(before)) continue;
      if (before?.verdict && 'refused' in before.verdict) off.push(letter);
      else if (this.#unanswered.length + now.length < UNANSWERED) now.push(letter);
    }
    this.#waiting = this.#waiting.filter((letter) => !now.includes(letter) && !off.includes(letter));
    for (const letter of now) {
      this.last += 1;
      letter.sequence = this.last;
      this.#unanswered.push(letter);
    }
    if (now.length > 0) this.post.used(this.last);
    this.#say(now);
    off.forEach((letter) => this.post.calledOff(letter));
  }

  #has(letter: Letter): boolean {
    return this.#waiting.includes(letter) || this.#unanswered.includes(letter);
  }

  #say(letters: Letter[]): void {
    if (letters.length === 0) return;
    const numbered = letters.flatMap(({ sequence, command }) => (sequence === null ? [] : [{ sequence, command }]));
    this.post.say({ commands: numbered });
  }
}
