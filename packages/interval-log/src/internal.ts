// Entry `@hdrscope/interval-log/internal`: for the other packages of hdrscope only. Names here may change in any release.
export { type FollowOptions, followBytes } from './follow/follow.ts';
export { followNoteText, isFollowNote } from './follow/note-text.ts';
export type { FollowedBytes } from './follow/whole-lines.ts';
export { type LogPart, type PartQuestion, summarizePart } from './operations/part.ts';
export { readText } from './operations/read-histograms.ts';
export {
  type LoggedRun,
  readRun,
  readRunsByTag,
  type TaggedRun,
  type TaggedRuns,
} from './operations/read-run.ts';
export {
  type DecodedInterval,
  type DecodeIntervalsOptions,
  decodeIntervals,
} from './operations/summarize.ts';
export { type DivideLog, type LogDivision, summarizeDividedLogs } from './operations/summarize-divided.ts';
export type { TagSummary } from './operations/tag-totals.ts';
export { parseProcessorArgs } from './processor/arguments.ts';
export { PROCESSOR_ARGUMENTS, PROCESSOR_USAGE, type ProcessorArgument } from './processor/usage.ts';
export { addToCrc } from './reader/crc32.ts';
export { GzipStreams } from './reader/gzip-streams.ts';
export { readChunks, readUnzipped, readUtf8 } from './reader/input.ts';
export { type ParsedLine, parseLine } from './reader/line.ts';
export type { OperationOptions } from './reader/read.ts';
export { type Moment, selects } from './reader/selection.ts';
export { LogTime } from './reader/time.ts';
export { formatFamilyNote, isFamilyNote, parseFamilyNote } from './series/family-note.ts';
export type { RotationOptions } from './sink/options.ts';
export { createLogIntake } from './source/ingest-log.ts';
export { type RecordedLog, snapshotsWithin } from './source/snapshots-of-logs.ts';
export { FORMAT_VERSION_LINE, formatComment, LEGEND_LINE } from './writer/format.ts';
