/** Scrapes of Prometheus over HTTP: a server in this thread, one client in another, which keeps its connection. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Worker } from 'node:worker_threads';

/** @import { IncomingMessage, ServerResponse } from 'node:http' */

/** What Prometheus asks for when it wants native histograms. */
export const PROTOBUF =
  'application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited';

/** @typedef {(request: IncomingMessage, response: ServerResponse) => void} Handler */

/**
 * Serves a handler on the loopback interface.
 *
 * @param {Handler} handler
 * @param {Readonly<Record<string, string>>} [headers] of the requests. Left out, they ask for protobuf as it is.
 * @returns {Promise<() => Promise<Uint8Array>>} scrapes once, and returns the body
 */
export async function scraperOf(handler, headers = { accept: PROTOBUF }) {
  const server = createServer(handler).listen(0, '127.0.0.1').unref();
  // Otherwise a busy server closes a connection while the next request is on its way.
  server.keepAliveTimeout = 0;
  // Between two scrapes, neither the connection nor the client keeps the process alive.
  server.on('connection', (socket) => socket.unref());
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const client = new Worker(new URL('./scrape-client.js', import.meta.url), {
    workerData: { port, headers },
  });
  await once(client, 'online');
  return async () => {
    client.ref();
    client.postMessage('scrape');
    const [body] = await once(client, 'message');
    client.unref();
    return body;
  };
}
