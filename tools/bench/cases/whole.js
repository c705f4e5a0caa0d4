/** Work on a whole histogram of a million latencies: text, encodings, addition. */
import { createRequire } from 'node:module';
import { hdrJs, hdrscope, hdrWasm, hour, recordAll } from '../libraries.js';
import { ask } from '../loops.js';
import { latencies } from '../values.js';

/** @import { AnyHistogram, HdrJs } from '../libraries.js' */
/** @import { Group, Setup } from '../types.js' */

/**
 * @template {AnyHistogram} H
 * @param {(shape: typeof hour) => Promise<H>} make
 */
async function filled(make) {
  const histogram = await make(hour);
  recordAll(histogram, latencies(1e6));
  return histogram;
}

/**
 * A case with an operation on a full histogram. Its answer is the size of the result.
 *
 * @template {AnyHistogram} H
 * @param {(shape: typeof hour) => Promise<H>} make
 * @param {(histogram: H) => number} operation
 * @returns {Setup}
 */
function whole(make, operation) {
  return async () => {
    const histogram = await filled(make);
    return ask(() => operation(histogram));
  };
}

/**
 * A case that decodes the encoding of the same library.
 *
 * @template T
 * @param {() => Promise<T>} encoded
 * @param {(encoded: T) => number} operation
 * @returns {Setup}
 */
function decoding(encoded, operation) {
  return async () => {
    const input = await encoded();
    return ask(() => operation(input));
  };
}

/**
 * Adds a full histogram to another one repeatedly. The target is emptied before each sample, so that 32-bit counts never
 * wrap.
 *
 * @template {AnyHistogram & { reset(): void }} H
 * @param {(shape: typeof hour) => Promise<H>} make
 * @param {(target: H, source: H) => void} operation
 * @returns {Setup}
 */
function adding(make, operation) {
  return async () => {
    const source = await filled(make);
    const target = await make(hour);
    const { run } = ask(() => {
      operation(target, source);
      return 0;
    });
    return {
      run(iterations) {
        target.reset();
        run(iterations);
      },
      answer: () => ('valueAtPercentile' in target ? target.valueAtPercentile(99) : hdrJsP99(target)),
    };
  };
}

/** @param {unknown} target */
const hdrJsP99 = (target) =>
  /** @type {{ getValueAtPercentile(p: number): number }} */ (target).getValueAtPercentile(99);

const hdrJsLibrary = () => import('hdr-histogram-js');

/**
 * hdr-histogram-js in JavaScript has a raw encoding only as a step of the compressed one. A deflate that does nothing
 * leaves the raw encoding.
 *
 * @returns {Promise<(histogram: HdrJs) => number>}
 */
async function hdrJsRawEncode() {
  const { encodeIntoCompressedBase64 } = await hdrJsLibrary();
  const inner = createRequire(import.meta.url)('hdr-histogram-js/dist/JsHistogram.encoding.js');
  let length = 0;
  inner.deflate = (/** @type {Uint8Array} */ raw) => {
    length = raw.length;
    return new Uint8Array(0);
  };
  return (histogram) => {
    encodeIntoCompressedBase64(histogram);
    return length;
  };
}

/**
 * @typedef {InstanceType<typeof import('@hdrscope/core').Histogram>} Histogram
 * @typedef {Histogram | InstanceType<typeof import('@hdrscope/core').HistogramSum>} Target
 */

/**
 * Adds to a new target before each sample. Both kinds of target answer with bounds of the same slot.
 *
 * @template S
 * @param {(core: typeof import('@hdrscope/core')) => Promise<{ make: () => Target, source: S }>} prepare
 * @param {(target: Target, source: S) => void} operation
 * @returns {Setup}
 */
function summing(prepare, operation) {
  return async () => {
    const { make, source } = await prepare(await import('@hdrscope/core'));
    let target = make();
    const { run } = ask(() => {
      operation(target, source);
      return 0;
    });
    return {
      run(iterations) {
        target = make();
        run(iterations);
      },
      answer: () => ('countWithin' in target ? target.percentile(99).upper : target.valueAtPercentile(99)),
    };
  };
}

/**
 * The cases of a sum of equal layouts, and of one histogram.
 *
 * @template S
 * @param {(histogram: Histogram) => S} sourceOf
 * @param {number} count of the latencies in what is added
 * @param {(target: Target, source: S) => void} operation
 * @returns {Record<'hdrscope sum' | 'hdrscope dense', Setup>}
 */
function summed(sourceOf, count, operation) {
  /** @param {(core: typeof import('@hdrscope/core')) => Target} make */
  const into = (make) =>
    summing(async (core) => {
      const histogram = await hdrscope(hour);
      recordAll(histogram, latencies(count));
      return { make: () => make(core), source: sourceOf(histogram) };
    }, operation);
  return {
    'hdrscope sum': into(({ HistogramSum }) => new HistogramSum()),
    'hdrscope dense': into(
      ({ Histogram }) => new Histogram({ highestTrackableValue: hour.highest, significantDigits: 3 }),
    ),
  };
}

/** @type {readonly Group[]} */
export default [
  {
    id: 'text',
    title: 'percentile distribution as text, 5 ticks: 1e6 latencies',
    cases: {
      'hdrscope dense': async () => {
        const { formatPercentiles } = await import('@hdrscope/core');
        const histogram = await filled(hdrscope);
        return ask(() => formatPercentiles(histogram, { valueScale: 1, ticksPerHalfDistance: 5 }).length);
      },
      'hdr-histogram-js, 32 bit': whole(hdrJs, (h) => h.outputPercentileDistribution(5, 1).length),
      'hdr-histogram-js WASM, 32 bit': whole(hdrWasm, (h) => h.outputPercentileDistribution(5, 1).length),
    },
  },
  {
    id: 'encode-raw',
    title: 'V2 encoding, not compressed: 1e6 latencies',
    cases: {
      'hdrscope dense': whole(hdrscope, (h) => h.encode().length),
      'hdr-histogram-js, 32 bit': async () => whole(hdrJs, await hdrJsRawEncode())(),
      'hdr-histogram-js WASM, 32 bit': whole(hdrWasm, (h) => h.encode().length),
    },
  },
  {
    id: 'encode',
    title: 'V2 encoding, deflated, base64: 1e6 latencies',
    cases: {
      'hdrscope dense': whole(hdrscope, (h) => h.toBase64().length),
      'hdr-histogram-js, 32 bit': async () => {
        const { encodeIntoCompressedBase64 } = await hdrJsLibrary();
        return whole(hdrJs, (h) => encodeIntoCompressedBase64(h).length)();
      },
      'hdr-histogram-js WASM, 32 bit': async () => {
        const { encodeIntoCompressedBase64 } = await hdrJsLibrary();
        return whole(hdrWasm, (h) => encodeIntoCompressedBase64(h).length)();
      },
    },
  },
  {
    id: 'decode',
    title: 'base64 text of a V2 encoding to a histogram: 1e6 latencies',
    cases: {
      'hdrscope dense': async () => {
        const { Histogram } = await import('@hdrscope/core');
        return decoding(
          async () => (await filled(hdrscope)).toBase64(),
          (text) => Histogram.decode(text).totalCount,
        )();
      },
      'hdr-histogram-js, 32 bit': async () => {
        const { decodeFromCompressedBase64, encodeIntoCompressedBase64 } = await hdrJsLibrary();
        return decoding(
          async () => encodeIntoCompressedBase64(await filled(hdrJs)),
          (text) => decodeFromCompressedBase64(text).totalCount,
        )();
      },
      'hdr-histogram-js WASM, 32 bit': async () => {
        const { decodeFromCompressedBase64, encodeIntoCompressedBase64 } = await hdrJsLibrary();
        return decoding(
          async () => encodeIntoCompressedBase64(await filled(hdrWasm)),
          (text) => {
            const histogram = decodeFromCompressedBase64(text, 32, true);
            const { totalCount } = histogram;
            // Memory of WebAssembly must be freed explicitly, which is part of the cost.
            histogram.destroy();
            return totalCount;
          },
        )();
      },
    },
  },
  {
    id: 'add',
    title: 'add(histogram of 1e6 latencies) to one of the same shape',
    cases: {
      'hdrscope dense': adding(hdrscope, (target, source) => target.add(source)),
      'hdr-histogram-js, 32 bit': adding(hdrJs, (target, source) => target.add(source)),
      'hdr-histogram-js WASM, 32 bit': adding(hdrWasm, (target, source) => target.add(source)),
    },
  },
  {
    id: 'sum-add',
    title: 'add(histogram of 1e6 latencies) to a sum of one layout, and to one histogram',
    cases: summed(
      (histogram) => histogram,
      1e6,
      (target, source) => target.add(source),
    ),
  },
  {
    id: 'sum-encoded',
    title: 'addEncoded(V2 encoding of 1000 latencies) to a sum of one layout, and to one histogram',
    cases: summed(
      (histogram) => histogram.encode(),
      1000,
      (target, source) => target.addEncoded(source),
    ),
  },
];
