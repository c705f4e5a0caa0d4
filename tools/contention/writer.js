/** One thread of `ours.js`: it records for as long as each message says. */
import { parentPort, workerData } from 'node:worker_threads';
import { Histogram } from '@hdrscope/core';
import { latencies } from '../bench/values.js';

/**
 * @typedef {object} WriterData
 * @property {SharedArrayBuffer | undefined} buffer The buffer of the shared histogram; without it, the thread has its own.
 * @property {{ highestTrackableValue: number, significantDigits: number }} shape
 * @property {Int32Array<SharedArrayBuffer>} gate How many threads have arrived.
 * @property {number} index
 * @property {number} writers
 *
 * @typedef {object} WriterReport
 * @property {number} records
 * @property {number} startNs On the clock that all threads share.
 * @property {number} endNs
 * @property {Uint8Array} [encoded] The histogram of this thread, where it has its own.
 * @property {number} checksum
 */

const { buffer, shape, gate, index, writers } = /** @type {WriterData} */ (workerData);
const histogram = buffer ? Histogram.attach(buffer) : new Histogram(shape);
const values = latencies();
const checksum = values.reduce((sum, value) => sum + value, 0);
const mask = values.length - 1;
// Each writer starts elsewhere, because threads in step would all hit the same slot.
const first = Math.floor((index * values.length) / writers);
/** Records between two looks at the clock, which takes as long as ten records. */
const BLOCK = 1024;

parentPort?.on('message', (/** @type {number} */ ms) => {
  waitForAll();
  const startNs = nowNs();
  const records = recordFor(ms);
  /** @type {WriterReport} */
  const report = { records, startNs, endNs: nowNs(), checksum };
  parentPort?.postMessage(buffer ? report : { ...report, encoded: histogram.encode() });
});

function nowNs() {
  return Number(process.hrtime.bigint());
}

function waitForAll() {
  Atomics.add(gate, 0, 1);
  Atomics.notify(gate, 0);
  for (let arrived = Atomics.load(gate, 0); arrived < writers; arrived = Atomics.load(gate, 0))
    Atomics.wait(gate, 0, arrived);
}

/** @param {number} ms */
function recordFor(ms) {
  const end = performance.now() + ms;
  let records = 0;
  for (; performance.now() < end; records += BLOCK) {
    const from = first + records;
    for (let i = from; i < from + BLOCK; i++) histogram.record(/** @type {number} */ (values[i & mask]));
  }
  return records;
}
