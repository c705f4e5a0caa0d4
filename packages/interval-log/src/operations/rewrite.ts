import { readOptions } from '@hdrscope/core/internal';
import type { LogInterval } from '../reader/entry.ts';
import type { LogSource } from '../reader/input.ts';
import { findHistogram } from '../reader/line.ts';
import { INTERVAL_RULES, type OperationOptions, readLines, reportMalformed } from '../reader/read.ts';
import { createSelector, type Selection } from '../reader/selection.ts';
import { FORMAT_VERSION_LINE, formatStartTime, LEGEND_LINE } from '../writer/format.ts';
import { decodeOrReport } from './totals.ts';

/**
 * Copies the selected intervals and all other lines of a log. No histogram is decoded. A log without a start time starts
 * with its first interval. If that one is left out, a line with the start time is added, so that the times of the other
 * intervals stay the same.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is invalid; `ERR_LOG_FORMAT` or `ERR_LOG_TIME` at a
 *   malformed line, unless `onMalformed` takes it.
 */
export async function* sliceLog(
  source: LogSource,
  options: Selection & OperationOptions = {},
): AsyncGenerator<string, void> {
  const settings = readOptions(options, SLICE_LOG);
  const isSelected = createSelector(settings);
  let hasStart = false;
  let first: LogInterval | undefined;
  for await (const { text, entry } of readLines(source, settings)) {
    if (entry?.kind === 'malformed') {
      reportMalformed(settings, entry, source);
      continue;
    }
    if (entry?.kind === 'interval') {
      first ??= entry;
      if (!isSelected(entry)) continue;
      if (!hasStart && entry !== first)
        yield formatStartTime((first.startSec - first.offsetSec) * 1000, 'UTC');
      hasStart = true;
    }
    if (entry?.kind === 'start-time') hasStart = true;
    yield `${text}\n`;
  }
}

const SLICE_LOG = {
  name: 'sliceLog',
  rules: INTERVAL_RULES,
  call: "sliceLog('service.hlog', { since: { offsetSec: 60 } })",
};

/**
 * Converts the histograms of a log to the V2 encoding, which every current HdrHistogram reads, and yields its lines.
 * Histograms in that encoding are copied unchanged if they can be decoded. Doubles stay doubles.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is invalid; `ERR_LOG_FORMAT` or `ERR_LOG_TIME` at a
 *   malformed line, unless `onMalformed` takes it.
 */
export async function* convertToV2(
  source: LogSource,
  options: Selection & OperationOptions = {},
): AsyncGenerator<string, void> {
  const settings = readOptions(options, CONVERT_TO_V2);
  const isSelected = createSelector(settings);
  for await (const { text, entry } of readLines(source, settings)) {
    if (entry?.kind === 'malformed') reportMalformed(settings, entry, source);
    else if (entry?.kind === 'legend') yield LEGEND_LINE;
    else if (entry?.kind !== 'interval') yield VERSION_LINE.test(text) ? FORMAT_VERSION_LINE : `${text}\n`;
    else if (isSelected(entry)) {
      const line = decodeOrReport(entry, source, settings, () => encodeInV2(text, entry));
      if (line !== undefined) yield line;
    }
  }
}

const CONVERT_TO_V2 = {
  name: 'convertToV2',
  rules: INTERVAL_RULES,
  call: "convertToV2('old.hlog', { tags: ['read'] })",
};

// The first bytes of a compressed V2 encoding.
const V2 = 'HISTFAAA';
const VERSION_LINE = /^#\[Histogram log format version /;

function encodeInV2(text: string, interval: LogInterval): string {
  const histogram = interval.histogram();
  if (interval.encoded.startsWith(V2)) return `${text}\n`;
  const [start, end] = findHistogram(text, interval);
  return `${text.slice(0, start)}${histogram.toBase64({ level: 9 })}${text.slice(end).trimEnd()}\n`;
}
