// The units of axes, and the types of the methods of `PerfHistogram`.
export {
  AXIS_UNITS,
  type AxisQuantile,
  type AxisQuantileOptions,
  type AxisUnit,
  type ValueRange,
} from '@hdrscope/core/joint';
export type { AdminArgument, ArgumentType, ArgumentValue } from './admin-socket/arguments.ts';
export { type AskOptions, askAdminSocket } from './admin-socket/ask.ts';
export type { VersionReply } from './admin-socket/built-in.ts';
export type { AdminCommand, CommandArguments, CommandResult } from './admin-socket/command.ts';
export { type HistogramRepliesOptions, histogramReplies } from './admin-socket/histogram-replies.ts';
export type { AdminSocketLimits } from './admin-socket/limits.ts';
export type { HistogramReplies, PerfReplies } from './admin-socket/perf-commands.ts';
export type {
  LabelledNumbers,
  PerfNumber,
  PerfNumbers,
  PerfNumberText,
} from './admin-socket/perf-numbers.ts';
export { type RegistryRepliesOptions, registryReplies } from './admin-socket/registry-replies.ts';
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
export { CEPH_RELEASES, type CephRelease } from './dump/release.ts';
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
export type { AxisClasses } from './importer/classes.ts';
export {
  type CephDaemon,
  daemonAt,
  daemonName,
  daemonsAt,
  type NamedDaemon,
  socketsIn,
} from './importer/daemons.ts';
export type { DocumentOptions } from './importer/documents.ts';
export { dumpIncrease, type ImportedIncrease } from './importer/increase.ts';
export type { CounterLabels } from './importer/labels.ts';
export {
  type ImportedAverage,
  type ImportedCounterDescription,
  type ImportedCounters,
  type ParseCountersOptions,
  parseCounterSchema,
  parseCounters,
} from './importer/parse-counters.ts';
export { type ParseDumpOptions, parseHistogramDump } from './importer/parse-dump.ts';
export { type ImportedLoggers, parseHistogramLoggers } from './importer/parse-loggers.ts';
export { type ImportedDescription, parseHistogramSchema } from './importer/parse-schema.ts';
export type { ImportedHistogram, ReadHistogramOptions } from './importer/read-histogram.ts';
export {
  type CephIngestion,
  type Fetched,
  type IngestCephOptions,
  ingestCeph,
  ingestCephDaemons,
} from './importer/source.ts';
export type { SumBounds } from './importer/sum-bounds.ts';
export { type AxisToHdrOptions, axisToHdr, type LossyHdr } from './importer/to-hdr.ts';
export type { UnitOverrides, UnitSource } from './importer/units.ts';
export { type JsonFormat, type JsonValue, toJsonText } from './json-text.ts';
