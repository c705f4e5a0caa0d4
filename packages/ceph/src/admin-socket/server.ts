import { chmodSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { HdrscopeError } from '@hdrscope/core';
import { adminSocketError, errnoOf } from '../errors.ts';
import { type AdminSocketLimits, type Answerer, Connection } from './connection.ts';
import { type Claim, createNursery, publish } from './socket-path.ts';

/** The options of a server. */
export interface ServerOptions {
  readonly path: string;
  readonly limits: AdminSocketLimits;
  readonly unref: boolean;
}

// The time for replies that have begun when the server closes.
const CLOSE_TIMEOUT_MS = 1000;

/** A server of one socket, to which only its user can connect. */
export class AdminSocketServer {
  readonly #options: ServerOptions;
  readonly #server: Server;
  /** Oldest first. */
  readonly #connections: Set<Connection> = new Set();
  readonly #turns: Turns;
  #claim: Claim | undefined;
  #forgetExit: (() => void) | undefined;
  #closed: Promise<void> | undefined;

  constructor(answer: Answerer, options: ServerOptions) {
    this.#options = options;
    // Clients can close their half as soon as they have sent the request.
    this.#server = createServer({ allowHalfOpen: true }, (socket) => this.#accept(socket, answer));
    this.#turns = new Turns(options.limits.requests);
  }

  /** @throws HdrscopeError `ERR_ADMIN_SOCKET`, `ERR_ALREADY_REGISTERED` or `ERR_INVALID_OPTION`. No file is left then. */
  async start(): Promise<void> {
    const { path } = this.#options;
    try {
      this.#claim = await this.#listen();
    } catch (error) {
      await this.close();
      if (error instanceof HdrscopeError) throw error;
      const cause = error as NodeJS.ErrnoException;
      const details = { socket: path, ...errnoOf(cause) };
      throw adminSocketError(`${path} cannot be served: ${cause.message}`, details, cause);
    }
    // A server that is never closed leaves no socket behind either, unless the process is killed.
    this.#forgetExit = atExit(() => this.#release());
  }

  /** Removes the socket. Replies that have begun have one second to finish. It never rejects. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #listen(): Promise<Claim> {
    const nursery = createNursery(this.#options.path);
    try {
      await listen(this.#server, nursery.socketPath);
      if (this.#options.unref) this.#server.unref();
      chmodSync(nursery.socketPath, 0o600);
      return await publish(nursery.socketPath, this.#options.path);
    } finally {
      nursery.remove();
    }
  }

  #accept(socket: Socket, answer: Answerer): void {
    if (this.#options.unref) socket.unref();
    const { limits } = this.#options;
    const connection = new Connection(
      socket,
      (request) => this.#answerInTurn(socket, () => answer(request)),
      limits,
    );
    this.#connections.add(connection);
    socket.on('close', () => this.#connections.delete(connection));
    if (this.#connections.size > limits.connections) this.#closeOldest(connection);
  }

  /** Closes the oldest connection without a request, and the new one where each other one has a request. */
  #closeOldest(added: Connection): void {
    const idle = [...this.#connections].find((one) => one !== added && !one.isAnswering);
    const closed = idle ?? added;
    this.#connections.delete(closed);
    closed.destroy();
  }

  /** A turn ends with its connection: until then, its reply takes memory. */
  #answerInTurn(socket: Socket, run: () => ReturnType<Answerer>): ReturnType<Answerer> {
    return new Promise((resolve, reject) => {
      const giveBack = this.#turns.take(() => {
        run().then(resolve, reject);
      });
      if (socket.destroyed) giveBack();
      else socket.once('close', giveBack);
    });
  }

  #release(): void {
    try {
      this.#claim?.release();
    } catch {
      // The folder was removed, or this user can no longer write there.
    }
    this.#claim = undefined;
  }

  async #close(): Promise<void> {
    this.#forgetExit?.();
    this.#release();
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const connection of this.#connections) {
      if (!connection.isAnswering) connection.destroy();
    }
    const timer = setTimeout(() => {
      for (const connection of this.#connections) connection.destroy();
    }, CLOSE_TIMEOUT_MS);
    await closed;
    clearTimeout(timer);
  }
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    // Without this, the processes of a cluster would share one socket in the primary process.
    server.listen({ path, exclusive: true }, () => {
      server.off('error', reject);
      // The process has too many open files, for example: waiting clients stay in the queue.
      server.on('error', () => {});
      resolve();
    });
  });
}

/** Lets a number of holders go on at the same time. The others wait, first come, first served. */
export class Turns {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(most: number) {
    this.#free = most;
  }

  /**
   * Calls back when it is the turn of a holder, perhaps at once.
   *
   * @returns A function that gives the turn back, or the place in the queue. It may be called more than once.
   */
  take(onTurn: () => void): () => void {
    let hasTurn = false;
    const begin = (): void => {
      hasTurn = true;
      this.#free--;
      onTurn();
    };
    if (this.#free > 0) begin();
    else this.#waiting.add(begin);
    return () => {
      this.#waiting.delete(begin);
      if (!hasTurn) return;
      hasTurn = false;
      this.#free++;
      const [next] = this.#waiting;
      if (next === undefined) return;
      this.#waiting.delete(next);
      next();
    };
  }
}

const actions = new Set<() => void>();

function runAll(): void {
  for (const action of actions) action();
}

/**
 * Runs an action when the process or this thread exits, unless it is killed. All actions share one listener, as Node.js
 * warns about many listeners.
 *
 * @returns A function that removes the action.
 */
function atExit(action: () => void): () => void {
  if (actions.size === 0) process.on('exit', runAll);
  actions.add(action);
  return () => {
    if (actions.delete(action) && actions.size === 0) process.off('exit', runAll);
  };
}
