/** The memory of a histogram, and the garbage that a record leaves. */
import { liveBytes } from '../heap.js';
import {
  everything,
  hdrJs,
  hdrscope,
  hdrWasm,
  hour,
  nodeHistogram,
  record,
  recordAll,
  recordValue,
} from '../libraries.js';
import { allMagnitudes, latencies } from '../values.js';

/** @import { AnyHistogram, Shape } from '../libraries.js' */
/** @import { Group, Setup } from '../types.js' */

/**
 * Enough histograms to distinguish them from the rest of the heap, where compiled code varies by a hundred kilobytes. The
 * peers are larger or slower, so fewer of them suffice.
 */
const ourNumber = 50;
const theirNumber = 20;
// Ten kilobytes each are less than the variation of the heap, so many are needed.
const seriesNumber = 200;

/**
 * Bytes per histogram of a million latencies.
 *
 * @param {() => Promise<object>} makeFull
 * @param {number} count
 * @returns {Setup}
 */
function held(makeFull, count) {
  const measure = async () => {
    const before = await liveBytes();
    /** @type {object[]} */
    const kept = [];
    while (kept.length < count) kept.push(await makeFull());
    return ((await liveBytes()) - before) / kept.length;
  };
  return async () => {
    // The first time, the heap also grows by compiled code, hidden classes and the values.
    await measure();
    return { measure };
  };
}

/**
 * Bytes per series of a family, each with a million latencies in seconds, at two digits, as a view makes it for an instrument.
 *
 * @type {Setup}
 */
const fullSeries = async () => {
  const { createRegistry } = await import('@hdrscope/registry');
  const family = createRegistry().histogram({ name: 'latency', unit: 's', significantDigits: 2 });
  let made = 0;
  const make = async () => {
    const series = family.with({ 'http.route': `/users/${made++}` });
    for (const value of latencies(1e6)) series.record(value / 1e9);
    return series;
  };
  return held(make, seriesNumber)();
};

/** @type {(make: () => Promise<AnyHistogram>) => () => Promise<AnyHistogram>} */
function recorded(make) {
  /** @type {Float64Array | undefined} */
  let values;
  return async () => {
    values ??= latencies(1e6);
    const histogram = await make();
    recordAll(histogram, values);
    return histogram;
  };
}

/**
 * The same content by adding one full histogram to empty ones, because a packed one takes half a minute to record twenty
 * million values.
 *
 * @param {Shape} shape
 * @param {32 | 'packed'} bits
 * @returns {() => Promise<AnyHistogram>}
 */
function added(shape, bits) {
  /** @type {Awaited<ReturnType<typeof hdrJs>> | undefined} */
  let full;
  return async () => {
    if (!full) {
      full = await hdrJs(shape);
      recordAll(full, latencies(1e6));
    }
    const histogram = await hdrJs(shape, bits);
    histogram.add(full);
    return histogram;
  };
}

/** Records between two readings of the heap: few enough that their garbage fits the smallest young generation. */
const chunk = 1e4;
const chunks = 1e3;

/**
 * Bytes allocated per record, over ten million records.
 *
 * @template {AnyHistogram} H
 * @param {() => Promise<H>} make
 * @param {(histogram: H, value: number) => void} operation
 * @param {() => Float64Array} [generate]
 * @returns {Setup}
 */
function allocated(make, operation, generate = latencies) {
  return async () => {
    const histogram = await make();
    const values = generate();
    const mask = values.length - 1;
    /** @param {number} records */
    const run = (records) => {
      for (let i = 0; i < records; i++) operation(histogram, /** @type {number} */ (values[i & mask]));
    };
    // Optimised code allocates less: the interpreter boxes doubles.
    for (let i = 0; i < 200; i++) run(chunk);
    return {
      measure() {
        const looking = meanGrowth(() => {});
        return Math.max(0, meanGrowth(() => run(chunk)) - looking) / chunk;
      },
    };
  };
}

/**
 * The growth of the heap in one call. Calls during which it shrinks, because of a collection, do not count.
 *
 * @param {() => void} action
 */
function meanGrowth(action) {
  let grown = 0;
  let counted = 0;
  for (let i = 0; i < chunks; i++) {
    const before = process.memoryUsage().heapUsed;
    action();
    const growth = process.memoryUsage().heapUsed - before;
    if (growth < 0) continue;
    grown += growth;
    counted++;
  }
  return grown / counted;
}

/** @type {readonly Group[]} */
export default [
  {
    id: 'memory',
    title: 'memory of one histogram of 1e6 latencies, 3 digits',
    unit: 'bytes',
    // perf_hooks and WebAssembly are missing here, because neither number includes the memory of their counts.
    cases: {
      'hdrscope sparse': held(
        recorded(() => hdrscope(hour, 'sparse')),
        ourNumber,
      ),
      'hdrscope dense': held(
        recorded(() => hdrscope(hour)),
        ourNumber,
      ),
      'hdr-histogram-js, packed': held(added(hour, 'packed'), theirNumber),
      'hdr-histogram-js, 32 bit': held(added(hour, 32), theirNumber),
    },
  },
  {
    id: 'memory-two-digits',
    title: 'memory of one histogram of 1e6 latencies, 2 digits',
    unit: 'bytes',
    cases: {
      'hdrscope sparse': held(
        recorded(() => hdrscope({ ...hour, digits: 2 }, 'sparse')),
        ourNumber,
      ),
      'hdrscope dense': held(
        recorded(() => hdrscope({ ...hour, digits: 2 })),
        ourNumber,
      ),
      'hdr-histogram-js, packed': held(added({ ...hour, digits: 2 }, 'packed'), theirNumber),
      'hdr-histogram-js, 32 bit': held(added({ ...hour, digits: 2 }, 32), theirNumber),
    },
  },
  {
    id: 'memory-series',
    title: 'memory of one series of many with 1e6 latencies each, 2 digits',
    unit: 'bytes',
    cases: { 'hdrscope series': fullSeries },
  },
  {
    id: 'allocation',
    title: 'bytes allocated per record, over 1e7 latencies',
    unit: 'bytes',
    cases: {
      'hdrscope dense': allocated(() => hdrscope(hour), record),
      'hdrscope sparse': allocated(() => hdrscope(hour, 'sparse'), record),
      'hdrscope dense, all magnitudes': allocated(() => hdrscope(everything), record, allMagnitudes),
      'hdr-histogram-js, 32 bit': allocated(() => hdrJs(hour), recordValue),
      'hdr-histogram-js WASM, 32 bit': allocated(() => hdrWasm(hour), recordValue),
      'perf_hooks createHistogram': allocated(() => nodeHistogram(hour), record),
    },
  },
];
