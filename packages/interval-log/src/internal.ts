// Entry `@hdrscope/interval-log/internal`: for the other packages of hdrscope only. Names here may change in any release.
export { type ParsedLine, parseLine } from './reader/line.ts';
export { LogTime } from './reader/time.ts';
export { FORMAT_VERSION_LINE, formatComment, LEGEND_LINE } from './writer/format.ts';
