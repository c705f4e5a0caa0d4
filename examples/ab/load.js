/**
 * A load test for `hdrscope ab`: starts a small service, sends it requests from four connections, and prints how long each took, in
 * milliseconds, one a line: `node examples/ab/load.js SLOWER SECONDS`. The service computes for about a millisecond and waits for four;
 * both times SLOWER, so that you can plant a change: 1.1 is a tenth slower.
 */
import { once } from 'node:events';
import { Agent, createServer, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const [slower = 1, seconds = 5] = process.argv.slice(2).map(Number);

const server = createServer(async (_request, response) => {
  compute(slower);
  await sleep(4 * slower * (0.8 + 0.4 * Math.random()));
  response.end('done');
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());

const agent = new Agent({ keepAlive: true, maxSockets: 4 });
const endMs = performance.now() + seconds * 1000;
/** @type {string[]} */
const lines = [];
await Promise.all([1, 2, 3, 4].map(sendRequests));
agent.destroy();
server.close();
process.stdout.write(lines.join('\n').concat('\n'));

async function sendRequests() {
  while (performance.now() < endMs) {
    const startMs = performance.now();
    const [response] = /** @type {[import('node:http').IncomingMessage]} */ (
      await once(get({ port, host: '127.0.0.1', agent }), 'response')
    );
    await once(response.resume(), 'end');
    lines.push((performance.now() - startMs).toFixed(3));
  }
}

/** Work that takes the same time for equal input: a machine that is slower takes longer. */
function compute(/** @type {number} */ amount) {
  let sum = 0;
  for (let i = 0; i < amount * 1_000_000; i++) sum += Math.sqrt(i);
  return sum;
}
