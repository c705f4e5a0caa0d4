/** A history: the size of its files, and the time to write rows. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DAY, fewValues, makeRows, manyValues, newFolder, wide } from '../history-rows.js';

/** @import { Load } from '../history-rows.js' */
/** @import { Group, Setup } from '../types.js' */

/**
 * Bytes per row of 100 series: in files of 10,000 rows, as a busy process writes them, or in the file that they become.
 *
 * @param {Load} load
 * @param {boolean} isCompacted
 * @returns {Setup}
 */
function bytesPerRow(load, isCompacted) {
  return async () => {
    const { compactHistory, writeRows } = await import('@hdrscope/history');
    const rows = await makeRows(20_000, 100, load);
    return {
      measure: async () => {
        const folder = newFolder();
        for (let from = 0; from < rows.length; from += 10_000) {
          await writeRows(join(folder, DAY, `${from}.parquet`), rows.slice(from, from + 10_000));
        }
        if (isCompacted) await compactHistory(folder);
        const files = readdirSync(join(folder, DAY));
        return files.reduce((sum, name) => sum + statSync(join(folder, DAY, name)).size, 0) / rows.length;
      },
    };
  };
}

/** @type {Setup} */
async function writing() {
  const { writeRows } = await import('@hdrscope/history');
  const rows = await makeRows(10_000, 500, fewValues);
  const path = join(newFolder(), 'rows.parquet');
  let written = 0;
  return {
    async run(iterations) {
      for (let i = 0; i < iterations; i++) written = (await writeRows(path, rows)).rows;
    },
    answer: () => written,
  };
}

/** @type {Group[]} */
export default [
  ...[
    { id: 'history-bytes-40', title: '40 slots of 50 values', load: fewValues },
    { id: 'history-bytes-40-counts', title: '40 slots of 2000 values', load: manyValues },
    { id: 'history-bytes-150', title: '150 slots of 280 values', load: wide },
  ].map(({ id, title, load }) => ({
    id,
    title: `bytes of a row of a history, ${title}`,
    unit: /** @type {const} */ ('bytes'),
    cases: {
      'hdrscope, as written': bytesPerRow(load, false),
      'hdrscope, compacted': bytesPerRow(load, true),
    },
  })),
  {
    id: 'history-write',
    title: 'write 10,000 rows of a history, 40 slots each',
    rounds: 5,
    cases: { hdrscope: writing },
  },
];
