export { askAdminSocket } from './admin-socket/ask.ts';
export type { AdminCommand } from './admin-socket/commands.ts';
export type { PerfReplies } from './admin-socket/perf-commands.ts';
export type { LabelledNumbers, PerfNumbers } from './admin-socket/perf-numbers.ts';
export { histogramReplies, registryReplies } from './admin-socket/replies.ts';
export { type AdminSocketOptions, type RunningAdminSocket, serveAdminSocket } from './admin-socket/serve.ts';
export { snapshotLabelledNumbers, snapshotNumbers } from './admin-socket/snapshot-numbers.ts';
export { adminSocketPath } from './admin-socket/socket-path.ts';
export type { ClusterFollower } from './cluster/follow.ts';
export { followByTell, followDaemons } from './cluster/follow.ts';
export { formatHistogramDump, type HistogramDump, histogramDump } from './dump/dump.ts';
export type { CephRelease, HistogramCounter, HistogramLogger } from './dump/loggers.ts';
export { formatHistogramSchema, type HistogramSchema, histogramSchema } from './dump/schema.ts';
export { snapshotLoggers } from './dump/snapshot.ts';
export type { AdminSocketErrorCode, AdminSocketErrorDetails } from './errors.ts';
export { type Axis, axisRanges, explicitAxis } from './histogram/axis.ts';
export { PerfHistogram } from './histogram/perf-histogram.ts';
export { type AskDaemon, askHistograms } from './importer/ask-histograms.ts';
export { type CephDaemon, daemonAt, daemonsAt } from './importer/daemons.ts';
export { dumpIncrease, type ImportedIncrease } from './importer/increase.ts';
export { type ImportedCounters, parseCounterSchema, parseCounters } from './importer/parse-counters.ts';
export { parseHistogramDump, parseHistogramLoggers } from './importer/parse-dump.ts';
export { type ImportedDescription, parseHistogramSchema } from './importer/parse-schema.ts';
export type { ImportedHistogram } from './importer/read-histogram.ts';
export {
  type CephIngestion,
  type IngestCephOptions,
  ingestCeph,
  ingestCephDaemons,
} from './importer/source.ts';
export { axisToHdr } from './importer/to-hdr.ts';
