import { createHash } from 'node:crypto';
import { createServer } from 'node:net';
import { HdrscopeError } from '@hdrscope/core';
import type { LogErrorCode } from '../errors.ts';
import { codeOf } from './files.ts';

/**
 * Locks a path against other sinks of this machine, until the returned function is called or the process ends. The lock
 * is a socket in Linux's abstract namespace, which leaves no file behind. On other systems and across containers there
 * is no lock.
 *
 * @throws HdrscopeError `ERR_LOG_WRITE` when another sink has the path.
 */
export async function lockPath(path: string): Promise<() => Promise<void>> {
  if (process.platform !== 'linux') return async () => {};
  // Hashed, because names of sockets are limited to about 100 bytes.
  const name = `\0hdrscope-interval-log-${createHash('sha256').update(path).digest('hex')}`;
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    // Later errors are those of connections, which nobody has a reason to make. Without a listener they would end the process.
    server.on('error', (cause) => {
      if (codeOf(cause) !== 'EADDRINUSE') return resolve();
      const message = `${path} must be written by one sink at a time, and another sink has it open: close that one first`;
      reject(new HdrscopeError<LogErrorCode>('ERR_LOG_WRITE', message, { cause, details: { path } }));
    });
    // Workers of a cluster would share a socket that is not exclusive.
    server.listen({ path: name, exclusive: true }, resolve);
  });
  server.unref();
  return () => new Promise((resolve) => server.close(() => resolve()));
}
