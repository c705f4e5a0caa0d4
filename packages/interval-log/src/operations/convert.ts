import { assertOptions, type OptionsOwner } from '@hdrscope/core/internal';
import type { LogInterval } from '../reader/entry.ts';
import type { LogSource } from '../reader/input.ts';
import { placeOfHistogram } from '../reader/line.ts';
import { SELECTION_NAMES, type Selection, selector } from '../reader/selection.ts';
import { FORMAT_VERSION_LINE, LEGEND_LINE } from '../writer/format.ts';
import { decodeOrReport, type LogHistogram, selectIntervals } from './intervals.ts';
import { OPERATION_NAMES, type OperationOptions, reportMalformed } from './options.ts';
import { readLines } from './read-lines.ts';

// The first bytes of a compressed V2 encoding.
const V2 = 'HISTFAAA';
const VERSION_LINE = /^#\[Histogram log format version /;

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
  assertOptions(options, CONVERT_TO_V2);
  const isSelected = selector(options);
  for await (const { text, entry } of readLines(source, options)) {
    if (entry?.kind === 'malformed') reportMalformed(options, entry, source);
    else if (entry?.kind === 'legend') yield LEGEND_LINE;
    else if (entry?.kind !== 'interval') yield VERSION_LINE.test(text) ? FORMAT_VERSION_LINE : `${text}\n`;
    else if (isSelected(entry)) {
      const line = decodeOrReport(entry, source, options, () => inV2(text, entry));
      if (line !== undefined) yield line;
    }
  }
}

const CONVERT_TO_V2: OptionsOwner<Selection & OperationOptions> = {
  name: 'convertToV2',
  names: { ...SELECTION_NAMES, ...OPERATION_NAMES },
  call: "convertToV2('old.hlog', { tags: ['read'] })",
};

function inV2(text: string, interval: LogInterval): string {
  const histogram = interval.histogram();
  if (interval.encoded.startsWith(V2)) return `${text}\n`;
  const [start, end] = placeOfHistogram(text, interval);
  return `${text.slice(0, start)}${histogram.toBase64({ level: 9 })}${text.slice(end).trimEnd()}\n`;
}

/** An interval with its decoded histogram. */
export interface DecodedInterval {
  /** The line: its times, its tag and its encoded histogram. */
  readonly interval: LogInterval;
  /** The values of the interval: a new histogram, which the reader does not use again. */
  readonly histogram: LogHistogram;
}

/** Options of `decodeIntervals`. */
export interface DecodeIntervalsOptions extends Selection, OperationOptions {
  /** `'sparse'` takes a fraction of the time if histograms are only read. @default 'dense' */
  readonly storage?: 'dense' | 'sparse';
}

/**
 * Reads the selected intervals and decodes their histograms, whichever HdrHistogram has encoded them.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is invalid; `ERR_LOG_FORMAT` or `ERR_LOG_TIME` at a
 *   malformed line, unless `onMalformed` takes it.
 */
export async function* decodeIntervals(
  source: LogSource,
  options: DecodeIntervalsOptions = {},
): AsyncGenerator<DecodedInterval, void> {
  assertOptions(options, DECODE_INTERVALS);
  const { storage = 'dense' } = options;
  for await (const interval of selectIntervals(source, options, options)) {
    const histogram = decodeOrReport(interval, source, options, () => interval.histogram({ storage }));
    if (histogram !== undefined) yield { interval, histogram };
  }
}

const DECODE_INTERVALS: OptionsOwner<DecodeIntervalsOptions> = {
  name: 'decodeIntervals',
  names: { ...SELECTION_NAMES, ...OPERATION_NAMES, storage: true },
  call: "decodeIntervals('service.hlog', { tags: ['read'] })",
};
