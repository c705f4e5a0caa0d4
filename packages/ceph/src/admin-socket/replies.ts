import { assertFollows, callback, readOptions } from '@hdrscope/core/internal';
import type { Registry } from '@hdrscope/registry';
import { assertRegistry } from '@hdrscope/registry/internal';
import { formatHistogramDump } from '../dump/dump.ts';
import { type CephRelease, FILTER_RULES, type HistogramLogger, RELEASE_RULES } from '../dump/loggers.ts';
import { formatHistogramSchema } from '../dump/schema.ts';
import { SNAPSHOT_LOGGERS_RULES, type SnapshotLoggersOptions, snapshotLoggers } from '../dump/snapshot.ts';
import type { HistogramReplies, PerfReplies } from './perf-commands.ts';
import {
  SNAPSHOT_NUMBERS_RULES,
  type SnapshotNumbersOptions,
  snapshotLabelledNumbers,
  snapshotNumbers,
} from './snapshot-numbers.ts';

/** The options of `histogramReplies`. */
export interface HistogramRepliesOptions {
  /** The release whose dumps are written. @default 'tentacle' */
  readonly release?: CephRelease;
}

/**
 * The answers to the `perf histogram` commands from histograms of the application, with all of their axes.
 *
 * @param loggers Called for each command.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option or the release does not exist.
 * @example
 * ```ts
 * import { mkdtempSync, rmSync } from 'node:fs';
 * import { askAdminSocket, histogramReplies, PerfHistogram, parseHistogramDump, serveAdminSocket } from '@hdrscope/ceph';
 *
 * const histogram = new PerfHistogram([
 *   { name: 'Latency (nsec)', scale: 'log2', min: 0, quantSize: 1024, buckets: 36, unit: 'ns' },
 *   { name: 'Request size (bytes)', scale: 'log2', min: 0, quantSize: 512, buckets: 32, unit: 'bytes' },
 * ]);
 * const loggers = [{ name: 'shop', counters: [{ name: 'requests', histogram }] }];
 * const folder = mkdtempSync('/tmp/example-');
 * const server = await serveAdminSocket({ path: `${folder}/shop.asok`, histograms: histogramReplies(() => loggers) });
 *
 * histogram.record(4_200_000, 20_000);
 * const [read] = parseHistogramDump(await askAdminSocket(server.path, 'perf histogram dump'));
 * read!.histogram.totalCount; //=> 1
 * await server.close();
 * rmSync(folder, { recursive: true });
 * ```
 */
export function histogramReplies(
  loggers: () => readonly HistogramLogger[] | Promise<readonly HistogramLogger[]>,
  options: HistogramRepliesOptions = {},
): HistogramReplies {
  assertFollows('loggers', callback<typeof loggers>(), loggers);
  const { release } = readOptions(options, HISTOGRAM_REPLIES);
  return {
    schema: async (format) => formatHistogramSchema(await loggers(), { release, format }),
    dump: async (filter, format) => {
      const selected = readOptions(filter, HISTOGRAM_DUMP);
      return formatHistogramDump(await loggers(), { ...selected, release, format });
    },
  };
}

const HISTOGRAM_DUMP = { name: 'histograms.dump', rules: FILTER_RULES };

const HISTOGRAM_REPLIES = {
  name: 'histogramReplies',
  rules: RELEASE_RULES,
  call: "histogramReplies(() => loggers, { release: 'next' })",
};

/** The options for showing a registry as histograms and as numbers. */
export interface RegistryRepliesOptions extends SnapshotLoggersOptions, SnapshotNumbersOptions {}

/**
 * The answers to the perf commands from a registry. It is gathered for each command. Its families appear as histograms, and
 * in `perf dump` as numbers, for tools that do not read histograms.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist.
 * @example
 * ```ts
 * import { mkdtempSync, rmSync } from 'node:fs';
 * import { askAdminSocket, registryReplies, serveAdminSocket } from '@hdrscope/ceph';
 * import { createRegistry } from '@hdrscope/registry';
 *
 * const registry = createRegistry();
 * registry.histogram({ name: 'body.size', unit: 'By' }).with({}).record(512);
 *
 * const folder = mkdtempSync('/tmp/example-');
 * const server = await serveAdminSocket({ path: `${folder}/shop.asok`, ...registryReplies(registry) });
 * await askAdminSocket(server.path, 'perf dump', { counter: 'body.size', format: 'json' });
 * //=> '{"hdrscope":{"body.size":{"avgcount":1,"sum":512}}}'
 * await server.close();
 * rmSync(folder, { recursive: true });
 * ```
 */
export function registryReplies(registry: Registry, options: RegistryRepliesOptions = {}): PerfReplies {
  assertRegistry(registry);
  const { percentiles, ...shown } = readOptions(options, REGISTRY_REPLIES);
  const { release, logger } = shown;
  const numbers = { percentiles, logger };
  const loggers = async () => snapshotLoggers(await registry.gather(), shown);
  return {
    histograms: histogramReplies(loggers, { release }),
    numbers: async () => snapshotNumbers(await registry.gather(), numbers),
    labelled: async () => snapshotLabelledNumbers(await registry.gather(), numbers),
  };
}

const REGISTRY_REPLIES = {
  name: 'registryReplies',
  rules: { ...SNAPSHOT_LOGGERS_RULES, ...SNAPSHOT_NUMBERS_RULES },
  call: "registryReplies(registry, { release: 'next' })",
};
