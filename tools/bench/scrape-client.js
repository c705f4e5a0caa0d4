/** A thread that scrapes as Prometheus does. Each message asks for one scrape, and the answer is its body. */
import { Agent, request } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort);
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const { headers } = workerData;

port.on('message', () => {
  request({ host: '127.0.0.1', port: workerData.port, path: '/metrics', agent, headers }, (response) => {
    /** @type {Buffer[]} */
    const chunks = [];
    response.on('data', (chunk) => chunks.push(chunk));
    response.on('end', () => {
      if (response.statusCode !== 200) throw new Error(`the scrape failed: ${response.statusCode}`);
      const body = new Uint8Array(Buffer.concat(chunks));
      port.postMessage(body, [body.buffer]);
    });
  }).end();
});
