/** Recording one value: the cost on the path of the application. */
import { javaRecord } from '../java.js';
import {
  everything,
  hdrJs,
  hdrscope,
  hdrWasm,
  hour,
  medianOf,
  nodeHistogram,
  record,
  recordValue,
} from '../libraries.js';
import { feed } from '../loops.js';
import { allMagnitudes, largeMagnitudes, latencies } from '../values.js';

/** @import { AnyHistogram } from '../libraries.js' */
/** @import { Group, Setup } from '../types.js' */

/**
 * A case that replays values into one histogram.
 *
 * @template {AnyHistogram} H
 * @param {() => Promise<H>} make
 * @param {(histogram: H, value: number) => void} operation
 * @param {() => Float64Array | Int32Array} [values]
 * @returns {Setup}
 */
function into(make, operation, values = latencies) {
  return async () => {
    const histogram = await make();
    return feed(
      values(),
      (value) => operation(histogram, value),
      () => medianOf(histogram),
    );
  };
}

/** The interval between two requests. A latency above it also records the latencies of the requests that it delayed. */
const expectedIntervalNs = 1e7;

/** @type {readonly Group[]} */
export default [
  {
    id: 'record',
    title: 'record(value): latencies in ns below 2^31, 3 digits',
    cases: {
      'hdrscope dense': into(() => hdrscope(hour), record),
      'hdrscope sparse': into(() => hdrscope(hour, 'sparse'), record),
      'hdrscope shared, one writer': into(() => hdrscope(hour, 'shared'), record),
      'hdr-histogram-js, 32 bit': into(() => hdrJs(hour), recordValue),
      'hdr-histogram-js, 64 bit': into(() => hdrJs(hour, 64), recordValue),
      'hdr-histogram-js, packed': into(() => hdrJs(hour, 'packed'), recordValue),
      'hdr-histogram-js WASM, 32 bit': into(() => hdrWasm(hour), recordValue),
      'hdr-histogram-js WASM, 64 bit': into(() => hdrWasm(hour, 64), recordValue),
      'perf_hooks createHistogram': into(
        () => nodeHistogram(hour),
        record,
        // Integers are a tenth cheaper: a double has to be boxed on its way into C++.
        () => Int32Array.from(latencies()),
      ),
      'Java HdrHistogram': javaRecord(latencies, hour),
    },
  },
  {
    id: 'record-wide',
    title: 'record(value): all magnitudes from 1 to 2^53 - 1, 3 digits',
    cases: {
      'hdrscope dense': into(() => hdrscope(everything), record, allMagnitudes),
      'hdr-histogram-js, 32 bit': into(() => hdrJs(everything), recordValue, allMagnitudes),
      'hdr-histogram-js WASM, 32 bit': into(() => hdrWasm(everything), recordValue, allMagnitudes),
      'perf_hooks createHistogram': into(() => nodeHistogram(everything), record, allMagnitudes),
      'Java HdrHistogram': javaRecord(allMagnitudes, everything),
    },
  },
  {
    id: 'record-path',
    title: 'record(value): one shape of histogram, values of other magnitudes',
    // Other values have other medians.
    agree: null,
    cases: {
      'hdrscope dense, from 2^31 to 2^53': into(() => hdrscope(everything), record, largeMagnitudes),
      'hdrscope dense, all magnitudes': into(() => hdrscope(everything), record, allMagnitudes),
      'the same, below 2^31': into(() => hdrscope(everything), record),
    },
  },
  {
    id: 'record-count',
    title: 'record(value, 3): latencies, 3 digits',
    cases: {
      'hdrscope dense': into(
        () => hdrscope(hour),
        (h, value) => h.record(value, 3),
      ),
      'hdr-histogram-js, 32 bit': into(
        () => hdrJs(hour),
        (h, value) => h.recordValueWithCount(value, 3),
      ),
      'hdr-histogram-js WASM, 32 bit': into(
        () => hdrWasm(hour),
        (h, value) => h.recordValueWithCount(value, 3),
      ),
    },
  },
  {
    id: 'record-corrected',
    title: 'recordCorrected(value, 10 ms): latencies, 3 digits',
    cases: {
      'hdrscope dense': into(
        () => hdrscope(hour),
        (h, value) => h.recordCorrected(value, expectedIntervalNs),
      ),
      'hdr-histogram-js, 32 bit': into(
        () => hdrJs(hour),
        (h, value) => h.recordValueWithExpectedInterval(value, expectedIntervalNs),
      ),
      'hdr-histogram-js WASM, 32 bit': into(
        () => hdrWasm(hour),
        (h, value) => h.recordValueWithExpectedInterval(value, expectedIntervalNs),
      ),
    },
  },
];
