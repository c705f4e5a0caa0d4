/** A scraper and a browser that behave well: each asks twice a second, on new connections, and reads its answer whole. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

/** @import { Asked } from './main.js' */

const EVERY_MS = 500;
const { scrape, page, seconds, pid } = workerData;

/** @type {{ scrape: Asked[], page: Asked[] }} */
const asked = { scrape: [], page: [] };
const endMs = performance.now() + seconds * 1000;
await Promise.all([
  again(asked.scrape, () => read(scrape, '/metrics')),
  again(asked.page, () => read(page, '/events', 'event: table')),
]);
parentPort?.postMessage(asked);

/**
 * @param {Asked[]} results
 * @param {() => Promise<string>} ask
 */
async function again(results, ask) {
  while (performance.now() < endMs) {
    const startMs = performance.now();
    const startQueuedMs = readQueuedMs();
    const result = await ask().catch((error) => String(error));
    results.push({ ms: performance.now() - startMs, queuedMs: readQueuedMs() - startQueuedMs, result });
    await sleep(Math.max(0, EVERY_MS - (performance.now() - startMs)));
  }
}

/**
 * Reads an answer until its end, or until an event has come.
 *
 * @param {number} port
 * @param {string} path
 * @param {string} [event] How it begins.
 * @returns {Promise<string>}
 */
async function read(port, path, event) {
  const asking = request({ host: '127.0.0.1', port, path, agent: false, timeout: 20_000 }).end();
  asking.on('timeout', () => asking.destroy(new Error('no answer in 20 s')));
  const [response] = /** @type {[import('node:http').IncomingMessage]} */ (await once(asking, 'response'));
  if (response.statusCode !== 200) return `status ${response.statusCode}`;
  let text = '';
  for await (const chunk of response.setEncoding('latin1')) {
    text += chunk;
    if (event !== undefined && text.endsWith('\n\n') && text.includes(event)) return 'ok';
  }
  const isWhole = event === undefined && text.length === Number(response.headers['content-length']);
  return isWhole ? 'ok' : 'the answer is not complete';
}

/** How long the service has been ready to run while other threads had all processors. Linux counts that; elsewhere, it is 0. */
function readQueuedMs() {
  if (process.platform !== 'linux') return 0;
  // The main thread's time on a processor, and its time in the queue for one, in nanoseconds.
  const [, queued] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'latin1').split(' ');
  return Number(queued) / 1e6;
}
