/** Reads the interval log that the soak has written. */
import { ingestLog, readEntries } from '@hdrscope/interval-log';
import { createRegistry } from '@hdrscope/registry';
import { seriesCount, seriesOf } from './load.js';

/** @import { Output } from './soak.js' */

/**
 * @param {string} path
 * @returns {Promise<Output>}
 */
export async function readLog(path) {
  const registry = createRegistry();
  const { malformed } = await ingestLog(registry, path);
  if (malformed > 0) throw new Error(`the log must be whole, ${malformed} lines are malformed`);
  const counts = new Float64Array(seriesCount);
  for (const { series } of (await registry.gather()).families) {
    for (const { attributes, histogram } of series) counts[seriesOf(attributes)] = histogram.totalCount;
  }

  /** @type {Set<number>} */
  const times = new Set();
  for await (const entry of readEntries(path)) if (entry.kind === 'interval') times.add(entry.endTimeMs);
  return { counts, times: [...times].sort((a, b) => a - b) };
}
