/**
 * Our side: `node ours.js shared|own WRITERS DIGITS HIGHEST`. Worker threads record into one shared histogram, or each into
 * a dense histogram of its own. `measure.js` describes the answers.
 */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Worker } from 'node:worker_threads';
import { Histogram } from '@hdrscope/core';

/** @import { WriterData, WriterReport } from './writer.js' */

const [kind = '', count = '', digits = '', highest = ''] = process.argv.slice(2);
const writers = Number(count);
const shape = { highestTrackableValue: Number(highest), significantDigits: Number(digits) };

const shared = kind === 'shared' ? new Histogram({ ...shape, storage: 'shared' }) : undefined;
const gate = new Int32Array(new SharedArrayBuffer(4));
const workers = Array.from({ length: writers }, (_, index) => {
  /** @type {WriterData} */
  const workerData = { buffer: shared?.sharedBuffer, shape, gate, index, writers };
  return new Worker(new URL('./writer.js', import.meta.url), { workerData });
});
await Promise.all(workers.map((worker) => once(worker, 'online')));
print({ ready: true });

for await (const line of createInterface({ input: process.stdin })) print(await sample(Number(line)));
await Promise.all(workers.map((worker) => worker.terminate()));

/**
 * @param {number} ms
 * @returns {Promise<import('./measure.js').Sample>}
 */
async function sample(ms) {
  gate[0] = 0;
  const reports = await Promise.all(
    workers.map(async (worker) => {
      worker.postMessage(ms);
      const [report] = await once(worker, 'message');
      return /** @type {WriterReport} */ (report);
    }),
  );
  return {
    records: reports.map(({ records }) => records),
    busyNs: reports.map(({ startNs, endNs }) => endNs - startNs),
    wallNs:
      Math.max(...reports.map(({ endNs }) => endNs)) - Math.min(...reports.map(({ startNs }) => startNs)),
    counted: (shared ?? merged(reports)).totalCount,
    checksum: reports[0]?.checksum ?? Number.NaN,
    runtime: `Node.js ${process.versions.node}`,
  };
}

/** @param {readonly WriterReport[]} reports */
function merged(reports) {
  const all = new Histogram(shape);
  for (const { encoded } of reports) all.add(Histogram.decode(/** @type {Uint8Array} */ (encoded)));
  return all;
}

/** @param {object} message */
function print(message) {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}
