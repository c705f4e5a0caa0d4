/**
 * Makes the histograms that are compared, all of the same shape. Imports happen inside the functions, so that a process
 * loads the one library it measures, and the parent process none.
 */

/**
 * @typedef {object} Shape
 * @property {number} highest highest trackable value
 * @property {number} [digits] significant digits, 3 unless told
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
 * hdr-histogram-js in plain JavaScript. 32 bits is its default and its fastest; 64 counts further, `packed` is small.
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
  // Without WebAssembly, `build` hands out the JavaScript kind and says nothing.
  if (!(histogram instanceof WasmHistogram)) throw new Error('WebAssembly is not available');
  return histogram;
}

/**
 * The histogram of Node.js itself, C++ behind a native binding. It does not take 0.
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

/**
 * Records a value, whatever the library calls it.
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
    // Resizing is off, as it is in ours: the size is known.
    autoResize: false,
  };
}
