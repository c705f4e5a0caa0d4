// Entry `@hdrscope/interval-log/internal`: for the other packages of hdrscope only. Names here may change in any release.
export { readText, recogniseText, type TextKind } from './operations/read-histograms.ts';
export { PROCESSOR_ARGUMENTS, PROCESSOR_USAGE, type ProcessorArgument } from './processor/usage.ts';
export { readUtf8 } from './reader/input.ts';
export { type ParsedLine, parseLine } from './reader/line.ts';
export { selects } from './reader/selection.ts';
export { LogTime } from './reader/time.ts';
export { isFamilyNote } from './series/family-note.ts';
export { FORMAT_VERSION_LINE, formatComment, LEGEND_LINE } from './writer/format.ts';
