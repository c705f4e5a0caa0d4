/** The memory of the process while it soaks. */

/**
 * Bytes of a thread, after a garbage collection.
 *
 * @typedef {object} Memory
 * @property {number} live reachable objects in the heap, and array buffers
 * @property {number} reserved the heap as the system sees it, and array buffers
 */

/** @returns {Memory} of the thread that calls it */
export function memoryOf() {
  if (!globalThis.gc) throw new Error('needs --expose-gc');
  globalThis.gc();
  const { heapUsed, heapTotal, arrayBuffers } = process.memoryUsage();
  return { live: heapUsed + arrayBuffers, reserved: heapTotal + arrayBuffers };
}

/**
 * Bytes of the process at one moment.
 *
 * @typedef {object} MemorySample
 * @property {number} timeMs since the start of the soak
 * @property {Memory} main
 * @property {Memory} workers all threads that record
 * @property {number} resident memory of the process that is in RAM
 */

/** The live memory of all threads. @param {MemorySample} sample */
export function liveOf({ main, workers }) {
  return main.live + workers.live;
}

/**
 * The growth from the middle third to the last third of the samples, as a share. The first third is the warm-up. The least samples are
 * compared: a leak raises all of them, and the body of a request in flight, such as the 16 MB of an attack, raises some.
 *
 * @param {readonly number[]} bytes
 */
export function growthOf(bytes) {
  const third = Math.floor(bytes.length / 3);
  return Math.min(...bytes.slice(-third)) / Math.min(...bytes.slice(third, -third)) - 1;
}

/**
 * The slope of the last two thirds in bytes per minute, by least squares.
 *
 * @param {readonly MemorySample[]} samples
 * @param {(sample: MemorySample) => number} bytesOf
 */
export function slopeOf(samples, bytesOf) {
  const later = samples.slice(Math.floor(samples.length / 3));
  const middleMinute = mean(later.map(minuteOf));
  const middleBytes = mean(later.map(bytesOf));
  let covariance = 0;
  let variance = 0;
  for (const sample of later) {
    const minutes = minuteOf(sample) - middleMinute;
    covariance += minutes * (bytesOf(sample) - middleBytes);
    variance += minutes ** 2;
  }
  return covariance / variance;
}

/** @param {MemorySample} sample */
function minuteOf({ timeMs }) {
  return timeMs / 60_000;
}

/** @param {readonly number[]} numbers */
function mean(numbers) {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}
