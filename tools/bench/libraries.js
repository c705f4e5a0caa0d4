/**
 * Creates the histograms that are compared, all of the same shape. The functions import the libraries, so that a process
 * loads only the library that it measures, and the parent process loads no library.
 */

/**
 * @typedef {object} Shape
 * @property {number} highest highest trackable value
 * @property {number} [digits] significant digits, 3 by default
 */

/** One hour in nanoseconds: what latencies are recorded into. @type {Shape} */
export const hour = { highest: 3_600_000_000_000 };

/** All integers that a double holds exactly. @type {Shape} */
export const everything = { highest: Number.MAX_SAFE_INTEGER };

/**
 * @param {Shape} shape
 * @param {'dense' | 'sparse' | 'shared'} [storage]
 */
export async function hdrscope({ highest, digits = 3 }, storage = 'dense') {
  const { Histogram } = await import('@hdrscope/core');
  return new Histogram({
    lowestDiscernibleValue: 1,
    highestTrackableValue: highest,
    significantDigits: digits,
    storage,
  });
}

/**
 * hdr-histogram-js in plain JavaScript. Its default of 32 bits is the fastest; 64 bits count further, `packed` is small.
 *
 * @param {Shape} shape
 * @param {32 | 64 | 'packed'} [bitBucketSize]
 */
export async function hdrJs(shape, bitBucketSize = 32) {
  const { build } = await import('hdr-histogram-js');
  return build({ ...hdrJsOptions(shape), bitBucketSize });
}

/**
 * hdr-histogram-js in WebAssembly.
 *
 * @param {Shape} shape
 * @param {32 | 64} [bitBucketSize]
 */
export async function hdrWasm(shape, bitBucketSize = 32) {
  const { build, initWebAssembly, WasmHistogram } = await import('hdr-histogram-js');
  await initWebAssembly();
  const histogram = build({ ...hdrJsOptions(shape), bitBucketSize, useWebAssembly: true });
  // Without WebAssembly, `build` silently returns the JavaScript kind.
  if (!(histogram instanceof WasmHistogram)) throw new Error('WebAssembly is not available');
  return histogram;
}

/**
 * The histogram of Node.js, C++ behind a native binding. It refuses 0.
 *
 * @param {Shape} shape
 */
export async function nodeHistogram({ digits = 3 }) {
  const { createHistogram } = await import('node:perf_hooks');
  return createHistogram({ lowest: 1, highest: Number.MAX_SAFE_INTEGER, figures: digits });
}

/**
 * @typedef {Awaited<ReturnType<typeof hdrscope>>} Hdrscope
 * @typedef {Awaited<ReturnType<typeof hdrJs>> | Awaited<ReturnType<typeof hdrWasm>>} HdrJs
 * @typedef {Awaited<ReturnType<typeof nodeHistogram>>} NodeHistogram
 * @typedef {Hdrscope | HdrJs | NodeHistogram} AnyHistogram
 */

/** @type {(histogram: { record(value: number): unknown }, value: number) => void} */
export const record = (histogram, value) => histogram.record(value);

/** @type {(histogram: HdrJs, value: number) => void} */
export const recordValue = (histogram, value) => histogram.recordValue(value);

/**
 * Records a value with the method of the library.
 *
 * @param {AnyHistogram} histogram
 * @returns {(value: number) => void}
 */
export function recorderOf(histogram) {
  if ('recordValue' in histogram) return (value) => histogram.recordValue(value);
  return (value) => histogram.record(value);
}

/**
 * @param {AnyHistogram} histogram
 * @param {Float64Array} values
 */
export function recordAll(histogram, values) {
  const record = recorderOf(histogram);
  for (const value of values) record(value);
}

/**
 * @param {AnyHistogram} histogram
 * @returns {number}
 */
export function medianOf(histogram) {
  if ('valueAtPercentile' in histogram) return histogram.valueAtPercentile(50);
  return 'percentile' in histogram ? histogram.percentile(50) : histogram.getValueAtPercentile(50);
}

/** @param {Shape} shape */
function hdrJsOptions({ highest, digits = 3 }) {
  return {
    lowestDiscernibleValue: 1,
    highestTrackableValue: highest,
    numberOfSignificantValueDigits: /** @type {3} */ (digits),
    // The size is known, so resizing is off, as in ours.
    autoResize: false,
  };
}
