import { once } from 'node:events';
import { createServer } from 'node:net';

/** @import { AddressInfo } from 'node:net' */

/**
 * A free port of the loopback interface.
 *
 * @param {number} [wanted] The one that must be free; any when it is left out.
 * @throws Error when another process listens on the wanted port.
 */
export async function freePort(wanted = 0) {
  const server = createServer().listen(wanted, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {AddressInfo} */ (server.address());
  server.close();
  await once(server, 'close');
  return port;
}
