import { assertOptions, type OptionsOwner } from '@hdrscope/core/internal';
import { formatHistogramDump } from '../dump/dump.ts';
import type { HistogramLogger } from '../dump/loggers.ts';
import { assertRelease, type CephRelease } from '../dump/release.ts';
import { formatHistogramSchema } from '../dump/schema.ts';
import type { HistogramReplies } from './perf-commands.ts';

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
  assertOptions(options, HISTOGRAM_REPLIES);
  const { release = 'tentacle' } = options;
  assertRelease(release);
  return {
    schema: async (format) => formatHistogramSchema(await loggers(), { release, format }),
    dump: async (filter, format) => formatHistogramDump(await loggers(), { ...filter, release, format }),
  };
}

const HISTOGRAM_REPLIES: OptionsOwner<HistogramRepliesOptions> = {
  name: 'histogramReplies',
  names: { release: true },
  call: "histogramReplies(() => loggers, { release: 'next' })",
};
