/** One number of series of `main.js`, in a process of its own. Prints what it costs as one line of JSON. */

import { longestBlock } from '../bench/block.js';
import { liveBytes } from '../bench/heap.js';
import { hdrInstrument, Load, manualReader, sdkInstrument } from '../bench/instruments.js';
import { median } from '../bench/table.js';

/** @import { Cost, Step } from './facts.js' */

const { subject, series, readers: temporalities } = /** @type {Step} */ (JSON.parse(process.argv[2] ?? ''));

/** More would take minutes for a million series. */
const VALUES = 20;
/** Collections that are timed, and those of which the longest block counts: fewer, where each takes a second. */
const TIMED = series >= 1_000_000 ? 5 : 25;

// The first series also take compiled code, hidden classes and the values to record.
await filled(100);
const before = await liveBytes();
const { histogram, readers } = await filled(series);
const bytes = ((await liveBytes()) - before) / series;
const load = new Load(histogram, series);

/** @type {Cost[]} */
const costs = [];
if (readers.length === 1) {
  costs.push(
    await measureCost('none', 0),
    await measureCost('1 %', series / 100),
    await measureCost('all', series),
  );
}
console.log(JSON.stringify({ bytes, costs }));

/**
 * Series that their readers have collected twice, the second time after the last value.
 *
 * @param {number} count
 */
async function filled(count) {
  const readers = await Promise.all(temporalities.map((one) => manualReader(one)));
  const histogram = await (subject === 'hdrscope'
    ? hdrInstrument(readers)
    : sdkInstrument(readers, 'explicit'));
  // Their attributes are garbage afterwards, as those of requests are.
  for (const values of [VALUES - 1, 1]) {
    new Load(histogram, count).fill(values);
    for (const reader of readers) await reader.collect();
  }
  return { histogram, readers };
}

/**
 * @param {Cost['changed']} changed
 * @param {number} count
 * @returns {Promise<Cost>}
 */
async function measureCost(changed, count) {
  const collect = () => readers[0]?.collect();
  const times = [];
  const blocks = [];
  for (let i = -3; i < TIMED; i++) {
    load.change(count);
    const startMs = performance.now();
    await collect();
    if (i >= 0) times.push(performance.now() - startMs);
  }
  for (let i = 0; i < TIMED; i++) {
    load.change(count);
    blocks.push((await longestBlock(async () => collect())) / 1e6);
  }
  return { changed, ms: median(times), blockMs: Math.max(...blocks) };
}
