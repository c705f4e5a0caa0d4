import { chmodSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { HdrscopeError } from '@hdrscope/core';
import { adminSocketError, errnoOf } from '../errors.ts';
import { atExit } from './at-exit.ts';
import { type Claim, createNursery, publish } from './claim.ts';
import { type Answerer, Connection, type ConnectionLimits } from './connection.ts';

/** The options of a server. */
export interface ServerOptions extends ConnectionLimits {
  readonly path: string;
  readonly maxConnections: number;
  readonly unref: boolean;
}

// The time for replies that have begun when the server closes.
const CLOSE_TIMEOUT_MS = 1000;

/** A server of one socket, to which only its user can connect. */
export class AdminSocketServer {
  readonly #options: ServerOptions;
  readonly #server: Server;
  readonly #connections: Set<Connection> = new Set();
  #claim: Claim | undefined;
  #forgetExit: (() => void) | undefined;
  #closed: Promise<void> | undefined;

  constructor(answer: Answerer, options: ServerOptions) {
    this.#options = options;
    // Clients can close their half as soon as they have sent the request.
    this.#server = createServer({ allowHalfOpen: true }, (socket) => this.#accept(socket, answer));
    this.#server.maxConnections = options.maxConnections;
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
    const connection = new Connection(socket, answer, this.#options);
    this.#connections.add(connection);
    socket.on('close', () => this.#connections.delete(connection));
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
