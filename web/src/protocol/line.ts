// The line of a screen to the house: it connects, proves itself where it is asked to, and connects again when it is lost, ever
// later and never all screens at once. What is said on it is not its business.

/** What a line needs of a WebSocket. */
export interface Socket {
  send(text: string): void;
  close(): void;
  onmessage: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
}

/** What happens on a line. */
export interface Heard {
  /** A message of the house. */
  message(message: Record<string, unknown>): void;
  /** The line is lost, with the house's reason where it gave one. It is being opened again, unless the house denied it. */
  lost(reason: string, isDenied: boolean): void;
}

/** What a line is made of; tests put their own in. */
export interface Made {
  open(url: string): Socket;
  prove?(challenge: string): Promise<string>;
  after(milliseconds: number, act: () => void): () => void;
  chance(): number;
}

const FIRST_WAIT = 250;
const LONGEST_WAIT = 5_000;

/** The house says something at least this often: what was asked for, or its beat, which comes only while nothing was asked. */
export const SILENT = 3_000;

/** The house's word that the screen may not connect; connecting again would not help. */
const DENIED = 4000;

/** The house's word that the terminal's cluster, which it numbers, is played on another machine: it is named from then on. */
const ELSEWHERE = 4001;

export const browser: Pick<Made, 'open' | 'after' | 'chance'> = {
  open: (url) => new WebSocket(url),
  after: (milliseconds, act) => {
    const timer = setTimeout(act, milliseconds);
    return () => clearTimeout(timer);
  },
  chance: Math.random,
};

export class Line {
  #socket: Socket | null = null;
  #tries = 0;
  #cluster = '';
  #isEnded = false;
  #calledOff: () => void = () => {};
  #silence: () => void = () => {};

  constructor(
    private readonly url: string,
    private readonly heard: Heard,
    private readonly made: Made,
  ) {
    this.#connect();
  }

  say(message: unknown): void {
    this.#socket?.send(JSON.stringify(message));
  }

  /** What was heard does not follow from what was heard before: everything is asked for anew. */
  again(): void {
    this.#lose('gap', false);
  }

  end(): void {
    this.#isEnded = true;
    this.#calledOff();
    this.#drop();
  }

  #connect(): void {
    const socket = this.made.open(this.url + this.#cluster);
    this.#socket = socket;
    this.#listen();
    socket.onmessage = ({ data }: { data: unknown }) => {
      if (this.#socket === socket && typeof data === 'string') void this.#hear(socket, data);
    };
    socket.onclose = ({ code, reason }: { code: number; reason: string }) => {
      if (this.#socket !== socket) return;
      const before = this.#cluster;
      if (code === ELSEWHERE) this.#cluster = `?cluster=${reason}`;
      if (this.#cluster === before) return this.#lose(reason, code === DENIED);
      this.#drop();
      this.#connect();
    };
  }

  async #hear(socket: Socket, text: string): Promise<void> {
    this.#listen();
    const message = JSON.parse(text) as Record<string, unknown>;
    if (typeof message['challenge'] === 'string') {
      const answer = await this.made.prove?.(message['challenge']);
      if (answer !== undefined && this.#socket === socket) socket.send(answer);
      return;
    }
    if ('snapshot' in message) this.#tries = 0;
    this.heard.message(message);
  }

  /** Expects another word before long. */
  #listen(): void {
    this.#silence();
    this.#silence = this.made.after(SILENT, () => this.#lose('silent', false));
  }

  #drop(): void {
    const socket = this.#socket;
    this.#socket = null;
    this.#silence();
    this.#silence = () => {};
    socket?.close();
  }

  #lose(reason: string, isDenied: boolean): void {
    if (this.#socket === null || this.#isEnded) return;
    this.#drop();
    this.heard.lost(reason, isDenied);
    if (isDenied) return;
    const wait = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** this.#tries);
    this.#tries += 1;
    this.#calledOff = this.made.after(wait * (0.8 + 0.4 * this.made.chance()), () => this.#connect());
  }
}
