import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * A free port of the loopback interface, below those that systems give to outgoing connections: none of these takes it before a program
 * listens there. `tools/lib/free-port.js` is the same for programs that run without a build.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 20_000);
    const server = createServer().listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
    } catch {
      continue; // Another process listens there.
    }
    server.close();
    await once(server, 'close');
    return port;
  }
}
