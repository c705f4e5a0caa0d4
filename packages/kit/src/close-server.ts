/** The part of a server that `closeServer` needs. A server of `node:http` has all of it. */
export interface ClosableServer {
  /** Takes no new connections. Calls back when all connections are closed. */
  close(callback: () => void): unknown;
  /** Closes the connections that wait between two requests. */
  closeIdleConnections(): void;
  /** Closes all connections, also those in the middle of an answer. */
  closeAllConnections(): void;
}

/** How `closeServer` closes. */
export interface CloseOptions {
  /** How long requests that are being answered may take, in milliseconds. @default 1000 */
  readonly graceMs?: number;
}

/** How often connections are closed that have become idle. */
const TIDY_MS = 10;

/**
 * Stops to listen and closes idle connections, lets requests finish that are being answered, and cuts their connections
 * when they take longer. Resolves when the server is closed, also when it has never listened. Never rejects.
 *
 * @example
 * ```ts
 * import { createServer } from 'node:http';
 * import { closeServer } from '@hdrscope/kit';
 *
 * const server = createServer().listen(0, '127.0.0.1');
 * await closeServer(server, { graceMs: 100 });
 * server.listening; //=> false
 * ```
 */
export function closeServer(server: ClosableServer, { graceMs = 1000 }: CloseOptions = {}): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), graceMs);
    // A connection whose answer ends from now on would wait for another request.
    const tidy = setInterval(() => server.closeIdleConnections(), TIDY_MS);
    server.close(() => {
      clearTimeout(cut);
      clearInterval(tidy);
      resolve();
    });
    server.closeIdleConnections();
  });
}
