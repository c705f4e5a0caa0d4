// The units of axes, and the types of the methods of `PerfHistogram`.
export {
  AXIS_UNITS,
  type AxisQuantile,
  type AxisQuantileOptions,
  type AxisUnit,
  type ValueRange,
} from '@hdrscope/core/joint';
export { type AskOptions, askAdminSocket } from './admin-socket/ask.ts';
export type {
  AdminArgument,
  AdminCommand,
  ArgumentType,
  ArgumentValue,
  CommandArguments,
  CommandResult,
  VersionReply,
} from './admin-socket/commands.ts';
export type { AdminSocketLimits } from './admin-socket/connection.ts';
export type { HistogramReplies, PerfReplies } from './admin-socket/perf-commands.ts';
export type {
  LabelledNumbers,
  PerfNumber,
  PerfNumbers,
  PerfNumberText,
} from './admin-socket/perf-numbers.ts';
export {
  type HistogramRepliesOptions,
  histogramReplies,
  type RegistryRepliesOptions,
  registryReplies,
} from './admin-socket/replies.ts';
export { type AdminSocketOptions, type RunningAdminSocket, serveAdminSocket } from './admin-socket/serve.ts';
export {
  type SnapshotNumbersOptions,
  snapshotLabelledNumbers,
  snapshotNumbers,
} from './admin-socket/snapshot-numbers.ts';
export { adminSocketPath } from './admin-socket/socket-path.ts';
export {
  type DumpedAxis,
  type DumpedHistogram,
  type DumpedValues,
  formatHistogramDump,
  type HistogramDump,
  type HistogramDumpOptions,
  type HistogramDumpTextOptions,
  histogramDump,
} from './dump/dump.ts';
export type { CephFormat } from './dump/format.ts';
export type { AxisFit, HistogramCounter, HistogramLogger, PerfFilter } from './dump/loggers.ts';
export { CEPH_RELEASES, type CephRelease } from './dump/loggers.ts';
export {
  type DescribedHistogram,
  formatHistogramSchema,
  type HistogramSchema,
  type HistogramSchemaOptions,
  type HistogramSchemaTextOptions,
  histogramSchema,
} from './dump/schema.ts';
export { defaultAxis, type SnapshotLoggersOptions, snapshotLoggers } from './dump/snapshot.ts';
export type { AdminSocketErrorCode, AdminSocketErrorDetails } from './errors.ts';
export {
  type Axis,
  type AxisRange,
  type AxisScale,
  axisRanges,
  axisTitle,
  explicitAxis,
} from './histogram/axis.ts';
export { PerfHistogram, type PerfIncrease } from './histogram/perf-histogram.ts';
export { type AskDaemon, type AskHistogramsOptions, askHistograms } from './importer/ask-histograms.ts';
export {
  type CephDaemon,
  daemonAt,
  daemonName,
  daemonsAt,
  type NamedDaemon,
  socketsIn,
} from './importer/daemons.ts';
export type { DocumentOptions } from './importer/documents.ts';
export type { CounterLabels } from './importer/fields.ts';
export { dumpIncrease, type ImportedIncrease } from './importer/increase.ts';
export {
  type ImportedAverage,
  type ImportedCounterDescription,
  type ImportedCounters,
  type ParseCountersOptions,
  parseCounterSchema,
  parseCounters,
} from './importer/parse-counters.ts';
export {
  type ImportedLoggers,
  type ParseDumpOptions,
  parseHistogramDump,
  parseHistogramLoggers,
} from './importer/parse-dump.ts';
export { type ImportedDescription, parseHistogramSchema } from './importer/parse-schema.ts';
export type { UnitOverrides, UnitSource } from './importer/read-axis.ts';
export type { ImportedHistogram, ReadHistogramOptions, SumBounds } from './importer/read-histogram.ts';
export type { AxisClasses } from './importer/readings.ts';
export {
  type CephIngestion,
  type Fetched,
  type IngestCephOptions,
  ingestCeph,
  ingestCephDaemons,
} from './importer/source.ts';
export { type AxisToHdrOptions, axisToHdr, type LossyHdr } from './importer/to-hdr.ts';
export { type JsonFormat, type JsonValue, toJsonText } from './json-text.ts';
