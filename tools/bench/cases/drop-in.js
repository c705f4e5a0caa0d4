/**
 * `@hdrscope/hdr-histogram-js` against hdr-histogram-js, by the same calls: 64 bits and a range that grows, as load clients
 * build their histograms.
 */
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { ask, feed } from '../loops.js';
import { latencies } from '../values.js';

/** @import { Group, Setup } from '../types.js' */
/** @typedef {typeof import('@hdrscope/hdr-histogram-js')} Api */
/** @typedef {import('@hdrscope/hdr-histogram-js').Histogram} Histogram */

const OURS = '@hdrscope/hdr-histogram-js';
const THEIRS = 'hdr-histogram-js';

/**
 * @param {string} name The name of the package.
 * @param {boolean} useWebAssembly
 * @returns {Promise<{ hdr: Api, histogram: Histogram }>}
 */
async function load(name, useWebAssembly) {
  const hdr = createRequire(import.meta.url)(name);
  hdr.initWebAssemblySync();
  return { hdr, histogram: hdr.build({ useWebAssembly, bitBucketSize: 64, autoResize: true }) };
}

/**
 * @param {Histogram} histogram
 * @param {number} count
 */
function fill(histogram, count) {
  for (const value of latencies(count)) histogram.recordValue(value);
}

/**
 * One question, asked of both packages, with and without WebAssembly.
 *
 * @param {(name: string, useWebAssembly: boolean) => Setup} setup
 * @returns {Group['cases']}
 */
function asked(setup) {
  return {
    'hdrscope drop-in': setup(OURS, false),
    'hdrscope drop-in, useWebAssembly': setup(OURS, true),
    'hdr-histogram-js': setup(THEIRS, false),
    'hdr-histogram-js, useWebAssembly': setup(THEIRS, true),
  };
}

/**
 * A question after one more record, so that no cache answers.
 *
 * @param {(histogram: Histogram) => number} question
 */
function query(question) {
  return asked((name, useWebAssembly) => async () => {
    const { histogram } = await load(name, useWebAssembly);
    fill(histogram, 1e6);
    return ask(
      () => question(histogram),
      (value) => histogram.recordValue(value),
      latencies(),
    );
  });
}

/**
 * The time of `require` in a process of its own, in ns.
 *
 * @param {string} name
 * @returns {Setup}
 */
function required(name) {
  const code = `const start = process.hrtime.bigint(); require('${name}'); console.log(Number(process.hrtime.bigint() - start))`;
  const measure = () =>
    Number(execFileSync(process.execPath, ['-e', code], { cwd: import.meta.dirname, encoding: 'utf8' }));
  return () => ({ measure });
}

/** @type {readonly Group[]} */
export default [
  {
    id: 'drop-in-record',
    title: 'the API of hdr-histogram-js: recordValue, 64 bit, auto-resize, latencies in ns',
    cases: {
      ...asked((name, useWebAssembly) => async () => {
        const { histogram } = await load(name, useWebAssembly);
        return feed(
          latencies(),
          (value) => histogram.recordValue(value),
          () => histogram.getValueAtPercentile(50),
        );
      }),
      'hdrscope core, auto-resize': async () => {
        const { Histogram } = await import('@hdrscope/core');
        const histogram = new Histogram({ autoResize: true });
        return feed(
          latencies(),
          (value) => histogram.record(value),
          () => histogram.valueAtPercentile(50),
        );
      },
    },
  },
  {
    id: 'drop-in-percentile',
    title: 'the API of hdr-histogram-js: record, then getValueAtPercentile(99.9)',
    // Each case has recorded another number of values when it is asked last.
    agree: 0.1,
    cases: query((histogram) => histogram.getValueAtPercentile(99.9)),
  },
  {
    id: 'drop-in-mean',
    title: 'the API of hdr-histogram-js: record, then mean',
    cases: query((histogram) => histogram.mean),
  },
  {
    id: 'drop-in-decode',
    title: 'the API of hdr-histogram-js: decodeFromCompressedBase64 of 1e6 latencies',
    cases: asked((name, useWebAssembly) => async () => {
      const { hdr, histogram } = await load(name, useWebAssembly);
      fill(histogram, 1e6);
      const encoded = hdr.encodeIntoCompressedBase64(histogram);
      return ask(() => {
        const decoded = hdr.decodeFromCompressedBase64(encoded, 64, useWebAssembly);
        const { totalCount } = decoded;
        decoded.destroy();
        return totalCount;
      });
    }),
  },
  {
    id: 'drop-in-add',
    title: 'the API of hdr-histogram-js: add 1e6 latencies',
    agree: null,
    cases: asked((name, useWebAssembly) => async () => {
      const { hdr, histogram } = await load(name, useWebAssembly);
      fill(histogram, 1e6);
      const target = hdr.build({ useWebAssembly, bitBucketSize: 64 });
      const { run } = ask(() => {
        target.add(histogram);
        return 0;
      });
      return {
        run(iterations) {
          // No count may leave 32 bits, as in the other groups.
          target.reset();
          run(iterations);
        },
      };
    }),
  },
  {
    id: 'drop-in-require',
    title: 'the API of hdr-histogram-js: require in a new process',
    agree: null,
    cases: { 'hdrscope drop-in': required(OURS), 'hdr-histogram-js': required(THEIRS) },
  },
];
