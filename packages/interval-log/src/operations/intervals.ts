import { type DoubleHistogram, HdrscopeError, type Histogram } from '@hdrscope/core';
import { Slices } from '@hdrscope/kit';
import type { LogInterval } from '../reader/entry.ts';
import type { LogSource } from '../reader/input.ts';
import { pause, readBatches } from '../reader/read.ts';
import { type Selection, selector } from '../reader/selection.ts';
import { type OperationOptions, reportMalformed } from './options.ts';

/** The histogram of a log's intervals: integers or doubles, as in the log. */
export type LogHistogram = Histogram | DoubleHistogram;

/** Reads the intervals of a selection and reports malformed lines. */
export async function* selectIntervals(
  source: LogSource,
  selection: Selection,
  options: OperationOptions,
): AsyncGenerator<LogInterval, void> {
  const isSelected = selector(selection);
  const slices = new Slices();
  for await (const entries of readBatches(source, options)) {
    for (const entry of entries) {
      if (entry?.kind === 'malformed') reportMalformed(options, entry, source);
      else if (entry?.kind === 'interval' && isSelected(entry)) yield entry;
      if (slices.isOver()) await pause(slices, options.onBytes);
    }
  }
}

/**
 * Adds an interval to the sum of others. The first interval decides on the precision, as in HdrHistogram's own tools: a
 * finer layout than the log's would gain nothing.
 */
export function addInterval(
  total: LogHistogram | undefined,
  interval: LogInterval,
  storage: 'dense' | 'sparse' = 'dense',
): LogHistogram {
  if (total === undefined) return interval.histogram({ storage });
  interval.addTo(total);
  return total;
}

/** Returns the result of `decode`. If it throws an `HdrscopeError`, reports the line as malformed and returns `undefined`. */
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
