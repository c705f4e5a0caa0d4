export { askAdminSocket } from './admin-socket/ask.ts';
export type { AdminCommand } from './admin-socket/commands.ts';
export type { HistogramReplies, PerfReplies } from './admin-socket/perf-commands.ts';
export type { LabelledNumbers, PerfNumber, PerfNumbers } from './admin-socket/perf-numbers.ts';
export { histogramReplies, registryReplies } from './admin-socket/replies.ts';
export { type AdminSocketOptions, type RunningAdminSocket, serveAdminSocket } from './admin-socket/serve.ts';
export { snapshotLabelledNumbers, snapshotNumbers } from './admin-socket/snapshot-numbers.ts';
export { adminSocketPath } from './admin-socket/socket-path.ts';
export type { ClusterFollower } from './cluster/follow.ts';
export { followByTell, followDaemons } from './cluster/follow.ts';
export { type DumpedHistogram, formatHistogramDump, type HistogramDump, histogramDump } from './dump/dump.ts';
export type { CephRelease, HistogramCounter, HistogramLogger } from './dump/loggers.ts';
export {
  type DescribedHistogram,
  formatHistogramSchema,
  type HistogramSchema,
  histogramSchema,
} from './dump/schema.ts';
export { snapshotLoggers } from './dump/snapshot.ts';
export type { AdminSocketErrorCode, AdminSocketErrorDetails } from './errors.ts';
export { type Axis, type AxisRange, axisRanges, explicitAxis } from './histogram/axis.ts';
export { PerfHistogram } from './histogram/perf-histogram.ts';
export { type AskDaemon, askHistograms } from './importer/ask-histograms.ts';
export { type CephDaemon, daemonAt, daemonsAt, type NamedDaemon } from './importer/daemons.ts';
export { dumpIncrease, type ImportedIncrease } from './importer/increase.ts';
export {
  type ImportedCounterDescription,
  type ImportedCounters,
  parseCounterSchema,
  parseCounters,
} from './importer/parse-counters.ts';
export { type ImportedLoggers, parseHistogramDump, parseHistogramLoggers } from './importer/parse-dump.ts';
export { type ImportedDescription, parseHistogramSchema } from './importer/parse-schema.ts';
export type { ImportedHistogram } from './importer/read-histogram.ts';
export {
  type CephIngestion,
  type IngestCephOptions,
  ingestCeph,
  ingestCephByTell,
  ingestCephDaemons,
} from './importer/source.ts';
export { axisToHdr, type LossyHdr } from './importer/to-hdr.ts';
