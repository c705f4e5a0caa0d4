/**
 * One load test of autocannon against a real server: `node real-run.js SECONDS RATE` prints the times of all responses in milliseconds, in
 * the order in which they came, as JSON. The server, in a thread of its own, computes for about a millisecond and waits for four.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
// @ts-expect-error It has no types.
import autocannon from 'autocannon';

if (isMainThread) await main();
else await serve();

async function main() {
  const [duration = 10, overallRate = 300] = process.argv.slice(2).map(Number);
  const server = new Worker(new URL(import.meta.url));
  const [port] = await once(server, 'message');
  /** @type {number[]} */
  const times = [];
  const load = autocannon({ url: `http://127.0.0.1:${port}`, connections: 8, duration, overallRate });
  const onResponse = (
    /** @type {unknown} */ _client,
    /** @type {number} */ _status,
    /** @type {number} */ _bytes,
    /** @type {number} */ ms,
  ) => times.push(Number(ms.toFixed(3)));
  load.on('response', onResponse);
  await load;
  process.stdout.write(JSON.stringify(times));
  await server.terminate();
}

async function serve() {
  const server = createServer(async (_request, response) => {
    compute();
    await sleep(4 * (0.8 + 0.4 * Math.random()));
    response.end('done');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  parentPort?.postMessage(/** @type {import('node:net').AddressInfo} */ (server.address()).port);
}

/** Work that takes the same time for equal input: a machine that is slower takes longer. */
function compute() {
  let sum = 0;
  for (let i = 0; i < 1_000_000; i++) sum += Math.sqrt(i);
  return sum;
}
