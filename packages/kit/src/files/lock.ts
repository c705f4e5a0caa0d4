import { createHash } from 'node:crypto';
import { createServer } from 'node:net';
import { codeOf } from './sync.ts';

/**
 * Locks a name against everybody else on this machine, until the returned function is called or the process ends. The lock is a socket
 * in Linux's abstract namespace, which leaves no file behind. On other systems and across containers there is no lock.
 *
 * @param name Such as `interval-log /var/log/app.hlog`.
 * @returns `undefined` when somebody else has the name.
 */
export async function lockName(name: string): Promise<(() => Promise<void>) | undefined> {
  if (process.platform !== 'linux') return async () => {};
  // Hashed, because names of sockets are limited to about 100 bytes.
  const path = `\0hdrscope-${createHash('sha256').update(name).digest('hex')}`;
  const server = createServer((socket) => socket.destroy());
  const isFree = await new Promise<boolean>((resolve) => {
    // Later errors are those of connections, which nobody has a reason to make. Without a listener they would end the process.
    server.on('error', (error) => resolve(codeOf(error) !== 'EADDRINUSE'));
    // Workers of a cluster would share a socket that is not exclusive.
    server.listen({ path, exclusive: true }, () => resolve(true));
  });
  server.unref();
  return isFree ? () => new Promise((resolve) => server.close(() => resolve())) : undefined;
}
