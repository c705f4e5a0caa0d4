/** Queries of a histogram of a million values. One more value is recorded before each query, so that no cache answers. */
import {
  everything,
  hdrJs,
  hdrscope,
  hdrWasm,
  hour,
  nodeHistogram,
  recordAll,
  recorderOf,
} from '../libraries.js';
import { ask } from '../loops.js';
import { allMagnitudes, latencies } from '../values.js';

/** @import { AnyHistogram, Hdrscope, HdrJs, NodeHistogram, Shape } from '../libraries.js' */
/** @import { Case, Group, Setup } from '../types.js' */

const million = 1e6;

/** @typedef {{ shape: Shape, values: (count?: number) => Float64Array }} Filling */

/** @type {Filling} */
const withLatencies = { shape: hour, values: latencies };
/** @type {Filling} */
const withEverything = { shape: everything, values: allMagnitudes };

/**
 * @template {AnyHistogram} H
 * @param {(shape: Shape) => Promise<H>} make
 * @param {Filling} filling
 * @param {(histogram: H) => number} question
 * @returns {Setup}
 */
function filled(make, { shape, values }, question) {
  return async () => {
    const histogram = await make(shape);
    recordAll(histogram, values(million));
    const record = recorderOf(histogram);
    return ask(() => question(histogram), record, values());
  };
}

/**
 * The questions, once per library.
 *
 * @typedef {object} Questions
 * @property {(histogram: Hdrscope) => number} ours
 * @property {(histogram: HdrJs) => number} hdrJs
 * @property {(histogram: NodeHistogram) => number} [node]
 * @property {readonly string[]} [hdrJsNodeOptions]
 */

/**
 * Without this option, V8 may inline `ulp` into the percentile search of hdr-histogram-js and then compute it again for
 * every slot: a query of 30 µs takes 1 ms in most processes. V8 still inlines small functions.
 */
const noLargeInlining = ['--max-inlined-bytecode-size-cumulative=0'];

/**
 * The cases for one question: dense histograms of all libraries that can answer it.
 *
 * @param {Filling} filling
 * @param {Questions} questions
 * @returns {Record<string, Case>}
 */
function asked(filling, { ours, hdrJs: js, node, hdrJsNodeOptions = [] }) {
  return {
    'hdrscope dense': filled(hdrscope, filling, ours),
    'hdr-histogram-js, 32 bit': { setup: filled(hdrJs, filling, js), nodeOptions: hdrJsNodeOptions },
    'hdr-histogram-js WASM, 32 bit': filled(hdrWasm, filling, js),
    ...(node && { 'perf_hooks createHistogram': filled(nodeHistogram, filling, node) }),
  };
}

/** @param {Filling} filling */
const sparse = (filling) =>
  filled(
    (shape) => hdrscope(shape, 'sparse'),
    filling,
    (h) => h.valueAtPercentile(99.9),
  );

/** @type {Questions} */
const percentile = {
  ours: (h) => h.valueAtPercentile(99.9),
  hdrJs: (h) => h.getValueAtPercentile(99.9),
  node: (h) => h.percentile(99.9),
  hdrJsNodeOptions: noLargeInlining,
};

const ten = [1, 10, 25, 50, 75, 90, 95, 99, 99.9, 99.99];
/** @type {(sum: number, value: number) => number} */
const plus = (sum, value) => sum + value;

/** @type {readonly Group[]} */
export default [
  {
    id: 'percentile',
    title: 'record, then valueAtPercentile(99.9): latencies',
    cases: { ...asked(withLatencies, percentile), 'hdrscope sparse': sparse(withLatencies) },
  },
  {
    id: 'percentile-wide',
    title: 'record, then valueAtPercentile(99.9): all magnitudes to 2^53 - 1',
    cases: { ...asked(withEverything, percentile), 'hdrscope sparse': sparse(withEverything) },
  },
  {
    id: 'percentiles-ten',
    title: 'record, then ten percentiles: all magnitudes to 2^53 - 1',
    // The peers have no call for many percentiles, so they are asked ten times.
    agree: null,
    cases: {
      ...asked(withEverything, {
        ours: (h) => h.valuesAtPercentiles(ten).reduce(plus),
        hdrJs: (h) => ten.reduce((sum, p) => sum + h.getValueAtPercentile(p), 0),
        node: (h) => ten.reduce((sum, p) => sum + h.percentile(p), 0),
        hdrJsNodeOptions: noLargeInlining,
      }),
      // The median costs most, because it is as far from both ends as a percentile can be.
      'the median of hdrscope dense': filled(hdrscope, withEverything, (h) => h.valueAtPercentile(50)),
    },
  },
  {
    id: 'mean',
    title: 'record, then mean: latencies',
    cases: asked(withLatencies, { ours: (h) => h.mean, hdrJs: (h) => h.mean, node: (h) => h.mean }),
  },
  {
    id: 'standard-deviation',
    title: 'record, then standard deviation: latencies',
    cases: asked(withLatencies, {
      ours: (h) => h.standardDeviation,
      hdrJs: (h) => h.stdDeviation,
      node: (h) => h.stddev,
    }),
  },
];
