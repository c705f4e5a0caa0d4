import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * A free port of the loopback interface, below those that systems give to outgoing connections: none of these takes it before it is used.
 *
 * @param {number} [wanted] The one that must be free; any when it is 0 or left out.
 * @throws Error when another process listens on the wanted port.
 */
export async function freePort(wanted = 0) {
  for (;;) {
    const port = wanted || 10_000 + Math.floor(Math.random() * 20_000);
    const server = createServer().listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
    } catch (error) {
      if (wanted !== 0) throw error;
      continue;
    }
    server.close();
    await once(server, 'close');
    return port;
  }
}
