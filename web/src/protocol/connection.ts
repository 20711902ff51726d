// A screen's WebSocket to the server. It answers the challenge where there is one, and reconnects with growing, random delays, so that
// not all screens come back in the same moment. It does not know what the messages mean.

/** The part of a WebSocket that a connection uses. */
export interface Socket {
  send(text: string): void;
  close(): void;
  onmessage: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
}

export interface ConnectionListener {
  message(message: Record<string, unknown>): void;
  /** The connection is lost, with the server's reason where it gave one. It reconnects unless the server denied it. */
  lost(reason: string, isDenied: boolean): void;
}

/** Tests put in their own. */
export interface ConnectionDeps {
  open(url: string): Socket;
  prove?(challenge: string): Promise<string>;
  after(milliseconds: number, act: () => void): () => void;
  chance(): number;
}

const FIRST_RECONNECT_MS = 250;
const MAX_RECONNECT_MS = 5_000;

/** The server sends something at least this often: a reply, or a heartbeat while nothing was asked. */
export const SILENCE_TIMEOUT_MS = 3_000;

/** Close code: the screen may not connect, and trying again does not help. */
const CLOSED_DENIED = 4000;

/** Close code: another node plays this terminal's cluster. The reason is the cluster's number, which the terminal names from then on. */
const CLOSED_ELSEWHERE = 4001;

export const browser: Pick<ConnectionDeps, 'open' | 'after' | 'chance'> = {
  open: (url) => new WebSocket(url),
  after: (milliseconds, act) => {
    const timer = setTimeout(act, milliseconds);
    return () => clearTimeout(timer);
  },
  chance: Math.random,
};

export class Connection {
  #socket: Socket | null = null;
  #tries = 0;
  #cluster = '';
  #isClosed = false;
  #cancelReconnect: () => void = () => {};
  #cancelSilence: () => void = () => {};
  readonly #url: string;
  readonly #listener: ConnectionListener;
  readonly #deps: ConnectionDeps;

  constructor(url: string, listener: ConnectionListener, deps: ConnectionDeps) {
    [this.#url, this.#listener, this.#deps] = [url, listener, deps];
    this.#connect();
  }

  send(message: unknown): void {
    this.#socket?.send(JSON.stringify(message));
  }

  /** Reconnects for a new snapshot: a message did not follow the one before. */
  resync(): void {
    this.#lose('gap', false);
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelReconnect();
    this.#drop();
  }

  #connect(): void {
    const socket = this.#deps.open(this.#url + this.#cluster);
    this.#socket = socket;
    this.#awaitMessage();
    socket.onmessage = ({ data }: { data: unknown }) => {
      if (this.#socket === socket && typeof data === 'string') void this.#receive(socket, data);
    };
    socket.onclose = ({ code, reason }: { code: number; reason: string }) => {
      if (this.#socket !== socket) return;
      const before = this.#cluster;
      if (code === CLOSED_ELSEWHERE) this.#cluster = `?cluster=${reason}`;
      if (this.#cluster === before) return this.#lose(reason, code === CLOSED_DENIED);
      this.#drop();
      this.#connect();
    };
  }

  async #receive(socket: Socket, text: string): Promise<void> {
    this.#awaitMessage();
    const message = JSON.parse(text) as Record<string, unknown>;
    if (typeof message['challenge'] === 'string') {
      const proof = await this.#deps.prove?.(message['challenge']);
      if (proof !== undefined && this.#socket === socket) socket.send(proof);
      return;
    }
    if ('snapshot' in message) this.#tries = 0;
    this.#listener.message(message);
  }

  /** Gives the connection up if the server stays silent. */
  #awaitMessage(): void {
    this.#cancelSilence();
    this.#cancelSilence = this.#deps.after(SILENCE_TIMEOUT_MS, () => this.#lose('silent', false));
  }

  #drop(): void {
    const socket = this.#socket;
    this.#socket = null;
    this.#cancelSilence();
    this.#cancelSilence = () => {};
    socket?.close();
  }

  #lose(reason: string, isDenied: boolean): void {
    if (this.#socket === null || this.#isClosed) return;
    this.#drop();
    this.#listener.lost(reason, isDenied);
    if (isDenied) return;
    const wait = Math.min(MAX_RECONNECT_MS, FIRST_RECONNECT_MS * 2 ** this.#tries);
    this.#tries += 1;
    this.#cancelReconnect = this.#deps.after(wait * (0.8 + 0.4 * this.#deps.chance()), () => this.#connect());
  }
}
