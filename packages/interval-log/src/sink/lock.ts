import { createHash } from 'node:crypto';
import { createServer } from 'node:net';
import { HdrscopeError } from '@hdrscope/core';
import { codeOf } from './files.ts';

/**
 * Keeps other sinks of this machine from a path, until the returned function is called or the process ends in whatever
 * way: a socket of Linux's abstract namespace, which leaves nothing behind. Elsewhere, and across containers, it keeps
 * nobody off.
 *
 * @throws HdrscopeError `ERR_LOG_WRITE` when another sink has the path.
 */
export async function lockPath(path: string): Promise<() => Promise<void>> {
  if (process.platform !== 'linux') return async () => {};
  // Such names are short, and paths are not.
  const name = `\0hdrscope-interval-log-${createHash('sha256').update(path).digest('hex')}`;
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => {
      if (codeOf(cause) !== 'EADDRINUSE') return resolve();
      const message = `${path} must be written by one sink at a time, and another one has it open`;
      reject(new HdrscopeError('ERR_LOG_WRITE', message, { cause }));
    });
    // Exclusive, as workers of a cluster would share it otherwise.
    server.listen({ path: name, exclusive: true }, resolve);
  });
  server.unref();
  return () => new Promise((resolve) => server.close(() => resolve()));
}
