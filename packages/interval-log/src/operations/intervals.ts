import { type DoubleHistogram, HdrscopeError, type Histogram } from '@hdrscope/core';
import type { LogInterval } from '../reader/entry.ts';
import type { LogSource } from '../reader/input.ts';
import { readEntries } from '../reader/read.ts';
import { type OperationOptions, reportMalformed, type Selection, selects } from './selection.ts';

/** What a log's intervals add up to: of integers, or of doubles, as the log has them. */
export type LogHistogram = Histogram | DoubleHistogram;

/** The intervals that a selection takes; malformed lines are told. */
export async function* selectIntervals(
  source: LogSource,
  selection: Selection,
  options: OperationOptions,
): AsyncGenerator<LogInterval, void> {
  const isSelected = selects(selection);
  for await (const entry of readEntries(source, options)) {
    if (entry.kind === 'malformed') reportMalformed(options, entry, source);
    else if (entry.kind === 'interval' && isSelected(entry)) yield entry;
  }
}

/**
 * An interval added to what others added up to. The first of them decides on the precision, as in HdrHistogram's own
 * tools: with a finer layout than the log's nothing would be gained.
 */
export function addInterval(total: LogHistogram | undefined, interval: LogInterval): LogHistogram {
  if (total === undefined) return interval.histogram();
  interval.addTo(total);
  return total;
}

/** What `decode` gives; `undefined` where the line holds no histogram, or one that does not fit, which is told. */
export function decodeOrReport<T>(
  interval: LogInterval,
  source: LogSource,
  options: OperationOptions,
  decode: () => T,
): T | undefined {
  try {
    return decode();
  } catch (error) {
    if (!(error instanceof HdrscopeError)) throw error;
    reportMalformed(options, { kind: 'malformed', lineNumber: interval.lineNumber, error }, source);
    return undefined;
  }
}
