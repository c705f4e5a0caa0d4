export type { LogErrorCode } from './errors.ts';
export { FollowMemory, followLog } from './follow/follow.ts';
export type { FollowNote } from './follow/followed-log.ts';
export { mergeLogs } from './operations/merge.ts';
export { type PercentileText, parsePercentileText } from './operations/percentile-text.ts';
export { type ReadHistogram, readHistograms } from './operations/read-histograms.ts';
export { reintervalLog } from './operations/reinterval.ts';
export { convertToV2, sliceLog } from './operations/rewrite.ts';
export { sumLogs, summarizeLogs } from './operations/summarize.ts';
export type { LogSummary } from './operations/tag-totals.ts';
export type { LogHistogram } from './operations/totals.ts';
export { createProcessorFiles } from './processor/files.ts';
export type { ProcessorFiles, ProcessorIo } from './processor/io.ts';
export type { ProcessorOptions } from './processor/options.ts';
export { processLog } from './processor/process.ts';
export { runProcessor } from './processor/run.ts';
export type { LogEntry, LogInterval, MalformedLine } from './reader/entry.ts';
export type { LogSource } from './reader/input.ts';
export { readEntries, readIntervals } from './reader/read.ts';
export type { Selection } from './reader/selection.ts';
export { formatSeriesTag, parseSeriesTag, type SeriesTag } from './series/series-tag.ts';
export type { IntervalLogHealth } from './sink/health.ts';
export { openIntervalLog } from './sink/open.ts';
export type { IntervalLogOptions } from './sink/options.ts';
export type { IntervalLogSink } from './sink/sink.ts';
export {
  type IngestLogOptions,
  type IngestLogResult,
  ingestLog,
  ingestLogEntries,
  type LogIngestion,
} from './source/ingest-log.ts';
export { snapshotsOfLogs } from './source/snapshots-of-logs.ts';
export {
  FORMAT_VERSION_LINE,
  formatBaseTime,
  formatComment,
  formatInterval,
  formatStartTime,
  LEGEND_LINE,
} from './writer/format.ts';
export { IntervalLogWriter } from './writer/writer.ts';
