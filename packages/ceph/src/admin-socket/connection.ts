import type { Socket } from 'node:net';
import { integer, type OptionTable, type RulesFor, withDefault } from '@hdrscope/core/internal';
import { LONGEST_TIMER_MS } from '@hdrscope/kit';
import { ETIMEDOUT, failureBody, findRequest, frameReply, type RawRequest } from './protocol.ts';

/** The limits of an admin socket. */
export interface AdminSocketLimits {
  /**
   * How many connections may be open. When one more comes, the oldest one without a request is closed; when all have one, the new one.
   * @default 256
   */
  readonly connections: number;
  /** How many requests are answered at a moment, until their replies are read. Others wait for their turn. @default 64 */
  readonly requests: number;
  /** The size of the longest request that gets a reply, in bytes. @default 1024, as in daemons */
  readonly requestBytes: number;
  /** The time that a client has for its request, and again for reading the reply, in milliseconds. @default 5000 */
  readonly requestMs: number;
  /** The time that a request has for its turn and its command, in milliseconds. After it the client gets an error. @default 30000 */
  readonly answerMs: number;
}

const MOST_CLIENTS = 2 ** 31 - 1;

/** The table of the option `limits`. */
export const LIMITS: OptionTable<RulesFor<Partial<AdminSocketLimits>>> = {
  name: 'limits',
  rules: {
    connections: withDefault(integer({ from: 1, to: MOST_CLIENTS }), 256),
    requests: withDefault(integer({ from: 1, to: MOST_CLIENTS }), 64),
    requestBytes: withDefault(integer({ from: 4, to: 2 ** 30 }), 1024),
    requestMs: withDefault(integer({ from: 1, to: LONGEST_TIMER_MS }), 5000),
    answerMs: withDefault(integer({ from: 1, to: LONGEST_TIMER_MS }), 30_000),
  },
  call: "serveAdminSocket({ path: './shop.asok', limits: { connections: 16 } })",
};

/** Limits on each client. */
export type ConnectionLimits = Pick<AdminSocketLimits, 'requestBytes' | 'requestMs' | 'answerMs'>;

export type Answerer = (request: RawRequest) => Promise<string | Uint8Array>;

/**
 * Reads one request from a client, answers it, and hangs up, as daemons do. A request that is too long, or incomplete when
 * its time is over, gets no reply.
 */
export class Connection {
  readonly #socket: Socket;
  readonly #answer: Answerer;
  readonly #limits: ConnectionLimits;
  #received: Buffer = Buffer.alloc(0);
  #timer: NodeJS.Timeout | undefined;
  #isAnswering = false;

  constructor(socket: Socket, answer: Answerer, limits: ConnectionLimits) {
    this.#socket = socket;
    this.#answer = answer;
    this.#limits = limits;
    // A client that has left needs no answer.
    socket.on('error', () => socket.destroy());
    socket.on('close', () => clearTimeout(this.#timer));
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.on('end', () => {
      if (!this.#isAnswering) socket.destroy();
    });
    this.#limit(limits.requestMs, () => socket.destroy());
  }

  /** Whether a request has arrived, and its reply is not sent yet. */
  get isAnswering(): boolean {
    return this.#isAnswering;
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #receive(chunk: Buffer): void {
    // Each connection has one request. Later bytes are read and dropped, or the client might not get its reply.
    if (this.#isAnswering) return;
    this.#received = Buffer.concat([this.#received, chunk]);
    const room = this.#received.subarray(0, this.#limits.requestBytes);
    const request = findRequest(room);
    if (request !== undefined) {
      this.#isAnswering = true;
      this.#received = Buffer.alloc(0);
      // It fails when the body exceeds the memory, or the length that a header can hold.
      this.#reply(request).catch(() => this.destroy());
    } else if (room.length === this.#limits.requestBytes) {
      this.#socket.destroy();
    }
  }

  async #reply(request: RawRequest): Promise<void> {
    const seconds = this.#limits.answerMs / 1000;
    this.#limit(this.#limits.answerMs, () =>
      this.#send(failureBody(`not answered within ${seconds} s`, ETIMEDOUT)),
    );
    this.#send(await this.#answer(request));
  }

  #send(body: string | Uint8Array): void {
    if (this.#socket.writableEnded || this.#socket.destroyed) return;
    const hangUp = (): void => {
      this.#socket.destroy();
    };
    this.#limit(this.#limits.requestMs, hangUp);
    this.#socket.end(frameReply(body), hangUp);
  }

  /** Starts a time limit in place of the last one. */
  #limit(timeoutMs: number, action: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(action, timeoutMs).unref();
  }
}
