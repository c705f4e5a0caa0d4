export type {
  BaseTime,
  Comment,
  Legend,
  LogEntry,
  LogInterval,
  MalformedLine,
  StartTime,
} from './reader/entry.ts';
export type { LogSource } from './reader/input.ts';
export { LogParser, type ParserOptions } from './reader/parser.ts';
export { type IntervalOptions, type ReadOptions, readEntries, readIntervals } from './reader/read.ts';
export type { TimeMode } from './reader/time.ts';
export type { IntervalFormat } from './writer/format.ts';
export {
  FORMAT_VERSION_LINE,
  formatBaseTime,
  formatComment,
  formatInterval,
  formatStartTime,
  LEGEND_LINE,
} from './writer/format.ts';
export { IntervalLogWriter, type WriterOptions } from './writer/writer.ts';
