/** Recording two values of one event: together, and in plain histograms. */
import { hour } from '../libraries.js';
import { feed } from '../loops.js';
import { latencies } from '../values.js';

/** @import { Setup } from '../types.js' */
/** @import { Group } from '../types.js' */

const CLASSES = [4096, 65_536, 1_048_576];

/** Sizes of answers, from 512 bytes to 4 MiB. */
const sizes = latencies().map((latency, i) => 2 ** (9 + ((latency + i) % 14)));

/**
 * A case that records each latency with a size.
 *
 * @param {(core: typeof import('@hdrscope/core') & typeof import('@hdrscope/core/joint')) => { record: (latency: number, size: number) => void, median: () => number }} make
 * @returns {Setup}
 */
function withSizes(make) {
  return async () => {
    const { record, median } = make({
      ...(await import('@hdrscope/core')),
      ...(await import('@hdrscope/core/joint')),
    });
    const mask = sizes.length - 1;
    let next = 0;
    return feed(
      latencies(),
      (value) => {
        record(value, /** @type {number} */ (sizes[next]));
        next = (next + 1) & mask;
      },
      median,
    );
  };
}

const HDR = { highestTrackableValue: hour.highest, significantDigits: 2 };

/** @type {readonly Group[]} */
export default [
  {
    id: 'joint-record',
    title: 'record a latency, 2 digits, and a size in 4 classes',
    cases: {
      'a joint histogram': withSizes(({ explicitLayout, hdrLayout, JointHistogram }) => {
        const joint = new JointHistogram([
          { name: 'latency', layout: hdrLayout(HDR) },
          { name: 'size', layout: explicitLayout(CLASSES) },
        ]);
        return {
          record: (latency, size) => joint.record(latency, size),
          median: () => joint.quantile(0, 0.5).lower,
        };
      }),
      'a joint histogram, with the size twice': withSizes(({ explicitLayout, hdrLayout, JointHistogram }) => {
        const layout = explicitLayout(CLASSES);
        const joint = new JointHistogram([
          { name: 'latency', layout: hdrLayout(HDR) },
          { name: 'size', layout },
          { name: 'size again', layout },
        ]);
        return {
          record: (latency, size) => joint.record(latency, size, size),
          median: () => joint.quantile(0, 0.5).lower,
        };
      }),
      'two histograms, which know nothing of each other': withSizes(
        ({ explicitLayout, Histogram, LayoutHistogram, findQuantile }) => {
          const [ofLatency, ofSize] = [new Histogram(HDR), new LayoutHistogram(explicitLayout(CLASSES))];
          return {
            record: (latency, size) => {
              ofLatency.record(latency);
              ofSize.record(size);
            },
            median: () => findQuantile(ofLatency, 0.5).lower,
          };
        },
      ),
      'a histogram for each class': withSizes(({ explicitLayout, Histogram, findQuantile }) => {
        const classes = explicitLayout(CLASSES);
        const histograms = Array.from({ length: classes.slotCount }, () => new Histogram(HDR));
        return {
          record: (latency, size) => {
            /** @type {import('@hdrscope/core').Histogram} */ (histograms[classes.slotOf(size)]).record(
              latency,
            );
          },
          median: () => {
            const all = new Histogram(HDR);
            for (const histogram of histograms) all.add(histogram);
            return findQuantile(all, 0.5).lower;
          },
        };
      }),
    },
  },
];
