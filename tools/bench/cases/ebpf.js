/** Reading histograms of the kernel: through bpf(2) and through the command bpftool. */
import { pinnedMap, run } from '../bpf-maps.js';

/** @import { Group, Setup } from '../types.js' */

const SLOTS = 512;

/**
 * @param {{ entries: number, countersPerValue: number }} map
 * @returns {Setup}
 */
function reading(map, options = {}) {
  return async () => {
    const { explicitKernelLayout, kernelMap } = await import('@hdrscope/ebpf');
    const layout = explicitKernelLayout(Array.from({ length: SLOTS - 1 }, (_, i) => i));
    const source = kernelMap({ path: pinnedMap(map), layout, ...options });
    let frame = await source.read();
    return {
      run(iterations) {
        // Only the first reading returns a promise.
        for (let i = 0; i < iterations; i++) frame = /** @type {typeof frame} */ (source.read());
      },
      answer: () => frame.histograms[0]?.counts.reduce((total, count) => total + count, 0) ?? 0,
    };
  };
}

/**
 * Starts a process for each reading and parses its JSON.
 *
 * @param {{ entries: number, countersPerValue: number }} map
 * @returns {Setup}
 */
function dumping(map) {
  return () => {
    const path = pinnedMap(map);
    let total = 0;
    return {
      run(iterations) {
        for (let i = 0; i < iterations; i++) {
          /** @type {{ values: { value: string[] }[] }[]} */
          const entries = JSON.parse(run('bpftool', ['-j', 'map', 'dump', 'pinned', path]));
          total = 0;
          for (const { values } of entries) {
            for (const { value } of values) {
              const counters = new Uint32Array(Uint8Array.from(value, Number).buffer);
              total += counters.reduce((sum, word, i) => sum + word * 2 ** (i % 2 ? 32 : 0), 0);
            }
          }
        }
      },
      answer: () => total,
    };
  };
}

const eachSlot = { entries: SLOTS, countersPerValue: 1 };
const allSlots = { entries: 1, countersPerValue: SLOTS };

/** @type {readonly Group[]} */
export default [
  {
    id: 'ebpf-read',
    title: `read a per-CPU array of ${SLOTS} counters of the kernel`,
    agree: 0,
    cases: {
      'hdrscope batch': reading(eachSlot),
      'hdrscope entry by entry': reading(eachSlot, { batch: false }),
      'bpftool and JSON.parse': dumping(eachSlot),
    },
  },
  {
    id: 'ebpf-struct',
    title: `read a per-CPU value that holds ${SLOTS} counters of the kernel`,
    agree: 0,
    cases: {
      'hdrscope batch': reading(allSlots),
      'bpftool and JSON.parse': dumping(allSlots),
    },
  },
];
