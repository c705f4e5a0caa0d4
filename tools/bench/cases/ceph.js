/** Perf histograms of Ceph: recording, dumping, and reading the text that a daemon sends. */
import { feed } from '../loops.js';
import { latencies } from '../values.js';

/** @import { Setup } from '../types.js' */
/** @import { Group } from '../types.js' */

const DUMPED = 100;

/** The axes of OSDs. */
const LATENCY = /** @type {const} */ ({
  name: 'Latency (usec)',
  scale: 'log2',
  min: 0,
  quantSize: 100_000,
  buckets: 32,
});
const SIZE = /** @type {const} */ ({
  name: 'Request size (bytes)',
  scale: 'log2',
  min: 0,
  quantSize: 512,
  buckets: 32,
});

/** Sizes of requests, from 512 bytes to 4 MiB. */
const sizes = latencies().map((latency, i) => 2 ** (9 + ((latency + i) % 14)));

/** @param {boolean} withSizes */
function recording(withSizes) {
  return /** @type {Setup} */ (
    async () => {
      const { PerfHistogram } = await import('@hdrscope/ceph');
      const histogram = new PerfHistogram(withSizes ? [LATENCY, SIZE] : [LATENCY]);
      const mask = sizes.length - 1;
      let next = 0;
      const record = withSizes
        ? (/** @type {number} */ value) => {
            histogram.record(value, /** @type {number} */ (sizes[next]));
            next = (next + 1) & mask;
          }
        : (/** @type {number} */ value) => histogram.record(value);
      return feed(latencies(), record, () => {
        const { lower } = histogram.quantile(0, 0.5);
        return lower;
      });
    }
  );
}

/** @param {number} seed */
async function osdHistogram(seed) {
  const { PerfHistogram } = await import('@hdrscope/ceph');
  const histogram = new PerfHistogram([LATENCY, SIZE]);
  for (const [i, value] of latencies().entries()) {
    histogram.record(value * seed, /** @type {number} */ (sizes[(i * seed) % sizes.length]));
  }
  return histogram;
}

/** A dump like that of an OSD: twenty loggers, one of which has four histograms. */
async function osdDump() {
  const { formatHistogramDump } = await import('@hdrscope/ceph');
  const names = ['r_latency_out', 'w_latency_in', 'rw_latency_in', 'rw_latency_out'];
  const counters = await Promise.all(
    names.map(async (name, i) => ({
      name: `op_${name}_bytes_histogram`,
      histogram: await osdHistogram(i + 1),
    })),
  );
  const others = Array.from({ length: 19 }, (_, i) => ({ name: `throttle-${i}`, counters: [] }));
  return formatHistogramDump([{ name: 'osd', counters }, ...others]);
}

/** @type {readonly Group[]} */
export default [
  {
    id: 'ceph-record',
    title: 'record into a perf histogram of Ceph',
    cases: {
      'hdrscope, 32 x 32': recording(true),
      'the same, one axis': recording(false),
    },
  },
  {
    id: 'ceph-dump',
    title: `write ${DUMPED} perf histograms of 32 x 32 as Ceph's JSON`,
    agree: null,
    cases: {
      hdrscope: async () => {
        const { formatHistogramDump } = await import('@hdrscope/ceph');
        const counters = await Promise.all(
          Array.from({ length: DUMPED }, async (_, i) => ({
            name: `counter-${i}`,
            histogram: await osdHistogram(i + 1),
          })),
        );
        let text = '';
        return {
          run(iterations) {
            for (let i = 0; i < iterations; i++) text = formatHistogramDump([{ name: 'osd', counters }]);
          },
          answer: () => text.length,
        };
      },
      'JSON.stringify of the same': async () => {
        const { histogramDump } = await import('@hdrscope/ceph');
        const counters = await Promise.all(
          Array.from({ length: DUMPED }, async (_, i) => ({
            name: `counter-${i}`,
            histogram: await osdHistogram(i + 1),
          })),
        );
        const dump = histogramDump([{ name: 'osd', counters }]);
        let text = '';
        return {
          run(iterations) {
            for (let i = 0; i < iterations; i++) text = JSON.stringify(dump, undefined, 4);
          },
          answer: () => text.length,
        };
      },
    },
  },
  {
    id: 'ceph-parse',
    title: "read an OSD's dump of 138 KB",
    cases: {
      hdrscope: async () => {
        const { parseHistogramDump } = await import('@hdrscope/ceph');
        const dump = await osdDump();
        /** @type {ReturnType<typeof parseHistogramDump>} */
        let histograms = [];
        return {
          run(iterations) {
            for (let i = 0; i < iterations; i++) histograms = parseHistogramDump(dump);
          },
          answer: () => histograms.reduce((sum, { histogram }) => sum + histogram.totalCount, 0),
        };
      },
      'JSON.parse': async () => {
        const dump = await osdDump();
        /** @type {Record<string, Record<string, { values: number[][] }>>} */
        let parsed = {};
        return {
          run(iterations) {
            for (let i = 0; i < iterations; i++) parsed = JSON.parse(dump);
          },
          answer: () =>
            Object.values(parsed)
              .flatMap((logger) => Object.values(logger))
              .flatMap(({ values }) => values.flat())
              .reduce((sum, count) => sum + count, 0),
        };
      },
    },
  },
];
