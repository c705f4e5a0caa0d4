import {
  adminSocketPath,
  askAdminSocket,
  askHistograms,
  axisRanges,
  axisToHdr,
  daemonAt,
  daemonsAt,
  dumpIncrease,
  explicitAxis,
  followByTell,
  followDaemons,
  formatHistogramDump,
  formatHistogramSchema,
  histogramDump,
  histogramReplies,
  histogramSchema,
  ingestCeph,
  ingestCephByTell,
  ingestCephDaemons,
  PerfHistogram,
  parseCounterSchema,
  parseCounters,
  parseHistogramDump,
  parseHistogramLoggers,
  parseHistogramSchema,
  registryReplies,
  serveAdminSocket,
  snapshotLabelledNumbers,
  snapshotLoggers,
  snapshotNumbers,
} from '@hdrscope/ceph';
import { createRegistry, type Registry } from '@hdrscope/registry';
import { LATENCY } from '@hdrscope/testing/osd';
import { filled, gathered, snapshot } from './registry.ts';
import { type RightCalls, right } from './right-call.ts';

/** The path of an admin socket that answers during the test, in the working folder of the test. */
export const SOCKET = './daemon.asok';

const histogram = new PerfHistogram([LATENCY]);
histogram.record(300_000);
const loggers = [{ name: 'osd', counters: [{ name: 'op', histogram }] }];
const DUMP = formatHistogramDump(loggers);
const SCHEMA = formatHistogramSchema(loggers);
const imported = parseHistogramDump(DUMP);
const ask = async (): Promise<string> => DUMP;
const daemon = { name: 'osd.0', ask };

export const CEPH: RightCalls = {
  'ceph.adminSocketPath': right(adminSocketPath, '/run', 'osd.0'),
  'ceph.askAdminSocket': right(askAdminSocket, SOCKET, 'version', {}, {}),
  'ceph.askHistograms': right(askHistograms, ask, {}),
  'ceph.axisRanges': right(axisRanges, LATENCY),
  'ceph.axisToHdr': right(axisToHdr, histogram, 0, { strategy: 'upper' }),
  'ceph.daemonAt': right(
    (path: string, options: object) => daemonAt(path, options).ask('version', {}),
    SOCKET,
    {},
  ),
  'ceph.daemonsAt': right(daemonsAt, SOCKET, {}),
  'ceph.dumpIncrease': right(dumpIncrease, imported, imported),
  'ceph.explicitAxis': right(explicitAxis, 'a', [1, 2]),
  'ceph.followByTell': right((options: object) => followByTell(options).start(), { program: 'false' }),
  'ceph.followDaemons': right(
    (list: () => Promise<[typeof daemon]>, options: object) => followDaemons(list, options).start(),
    async () => [daemon],
    {},
  ),
  'ceph.formatHistogramDump': right(formatHistogramDump, loggers, {}),
  'ceph.formatHistogramSchema': right(formatHistogramSchema, loggers, {}),
  'ceph.HistogramReplies.dump': right(
    (filter: object, format: 'json') => histogramReplies(() => loggers).dump(filter, format),
    {},
    'json',
  ),
  'ceph.histogramDump': right(histogramDump, loggers, {}),
  'ceph.histogramReplies': right(
    (list: () => typeof loggers, options: object) => histogramReplies(list, options).schema('json'),
    () => loggers,
    {},
  ),
  'ceph.histogramSchema': right(histogramSchema, loggers, {}),
  'ceph.ingestCeph': right(
    async (registry: Registry, fetch: () => string, options: object) =>
      gathered(registry, ingestCeph(registry, fetch, options)),
    createRegistry(),
    () => DUMP,
    {},
  ),
  'ceph.ingestCephByTell': right(
    async (registry: Registry, options: object) => gathered(registry, ingestCephByTell(registry, options)),
    createRegistry(),
    { program: 'false' },
  ),
  'ceph.ingestCephDaemons': right(
    async (registry: Registry, list: () => Promise<[typeof daemon]>, options: object) =>
      gathered(registry, ingestCephDaemons(registry, list, options)),
    createRegistry(),
    async () => [daemon],
    {},
  ),
  'ceph.parseCounters': right(parseCounters, '{}', {}),
  'ceph.parseCounterSchema': right(parseCounterSchema, '{}', {}),
  'ceph.parseHistogramDump': right(parseHistogramDump, DUMP, {}),
  'ceph.parseHistogramLoggers': right(parseHistogramLoggers, DUMP, {}),
  'ceph.parseHistogramSchema': right(parseHistogramSchema, SCHEMA, {}),
  'ceph.PerfHistogram': right((axes: [typeof LATENCY]) => new PerfHistogram(axes), [LATENCY]),
  'ceph.registryReplies': right(
    async (registry: Registry, options: object) => {
      const replies = registryReplies(registry, options);
      await replies.numbers?.();
      await replies.labelled?.();
      await replies.histograms?.dump({}, 'json');
    },
    filled(),
    {},
  ),
  'ceph.serveAdminSocket': right(serveAdminSocket, { path: './own.asok' }),
  'ceph.snapshotLabelledNumbers': right(snapshotLabelledNumbers, snapshot, {}),
  'ceph.snapshotLoggers': right(snapshotLoggers, snapshot, {}),
  'ceph.snapshotNumbers': right(snapshotNumbers, snapshot, {}),
};
