import { randomBytes } from 'node:crypto';
import { type Registry, systemClock } from '@hdrscope/registry';
import { assertRegistry } from '@hdrscope/registry/internal';
import { realFiles } from '../parquet/files.ts';
import { wellFormed } from '../rows/attribute-texts.ts';
import { FolderTarget } from './folder-target.ts';
import { type HistoryOptions, settingsOf } from './options.ts';
import { type HistoryRuntime, HistorySink } from './sink.ts';

const NODE: HistoryRuntime = {
  clock: systemClock,
  files: realFiles,
  repeat: (callback, intervalMs) => {
    const timer = setInterval(callback, intervalMs).unref();
    return () => clearInterval(timer);
  },
};

/**
 * Keeps the distributions of a registry for months: at every interval one row for each series that has counted something. Rows go to the
 * Parquet files of a folder, or into a table of ClickHouse or PostgreSQL (`clickHouseTable`, `postgresTable`).
 *
 * In a folder, files lie in a folder for each day, in UTC: `day=2026-11-22/`. A file is complete or not there, so any engine may read the
 * folder at any time. The rows of each interval are on the disk when it ends, in a small file that an hour's file replaces: a process that dies
 * loses no more than the interval that had not ended. A table gets the rows of each interval in one insert or a few.
 *
 * A failing disk or server never disturbs the process: rows wait, and every interval tries again. A server need not be there when the
 * history is opened. The history does not keep the process alive, so call `close` before the process ends.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is outside the range stated on it; `ERR_HISTORY_FILE` when
 *   the folder cannot be made or written; `ERR_HISTORY_ENGINE` when the package of the table's client is not installed.
 * @example
 * ```ts
 * import { mkdtemp } from 'node:fs/promises';
 * import { tmpdir } from 'node:os';
 * import { join } from 'node:path';
 * import { openHistory, queryHistory } from '@hdrscope/history';
 * import { createRegistry } from '@hdrscope/registry';
 *
 * const registry = createRegistry();
 * const durations = registry.histogram({ name: 'http.duration', unit: 's' });
 * const folder = await mkdtemp(join(tmpdir(), 'history-'));
 * const history = await openHistory(registry, { folder, producer: 'shop' });
 * for (let ms = 1; ms <= 1000; ms++) durations.with({ route: '/pay' }).record(ms / 1000);
 * await history.close();
 *
 * const [pay] = await queryHistory(folder, { metric: 'http.duration', percentiles: [99], by: ['route'] });
 * [pay!.attributes.route, pay!.count, pay!.max.upper]; //=> ['/pay', 1000, 1]
 * pay!.percentiles; //=> [{ percentile: 99, value: 0.994050047, lower: 0.989855744, upper: 0.994050047 }]
 * ```
 */
export function openHistory(registry: Registry, options: HistoryOptions): Promise<HistorySink> {
  return openSink(registry, options, NODE);
}

/** `openHistory` with a given runtime. */
export async function openSink(
  registry: Registry,
  options: HistoryOptions,
  runtime: HistoryRuntime,
): Promise<HistorySink> {
  assertRegistry(registry);
  const settings = settingsOf(options);
  const { place } = settings;
  const target =
    'table' in place ? await place.table.open() : await FolderTarget.open(place.folder, runtime.files);
  const producer = `${wellFormed(settings.producer)} ${randomBytes(8).toString('hex')}`;
  return new HistorySink(registry, settings, runtime, target, producer);
}
