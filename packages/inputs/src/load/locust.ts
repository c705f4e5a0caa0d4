import { HdrscopeError } from '@hdrscope/core';
import { asCount } from '@hdrscope/kit';
import { cellsOf } from '../numbers/number-texts.ts';
import type { LoadSummary, PrintedPercentile } from './load.ts';

/** The first titles of the table that `locust --csv` writes to `*_stats.csv`. */
export const LOCUST_TABLE: RegExp = /^"?Type"?,"?Name"?,"?Request Count"?,"?Failure Count"?,/;

/**
 * Reads the row of all requests in the table of Locust, in milliseconds.
 * Source: Locust, `locust/stats.py`, `bucket_response_time` and `calculate_response_time_percentile`.
 *
 * @throws HdrscopeError `ERR_DECODE` when the row is missing or malformed.
 */
export function readLocustTable(text: string): LoadSummary {
  const [titles = [], ...rows] = text
    .split(/\r?\n/)
    .filter((line) => line !== '')
    .map((line) => cellsOf(line, ','));
  // Versions before 2 write None where the type is empty today. A request may be named so, too.
  const all = rows.findLast(([type = '', name]) => /^(?:None)?$/.test(type) && name === 'Aggregated');
  if (all === undefined)
    throw new HdrscopeError(
      'ERR_DECODE',
      'the table of Locust must have a row Aggregated: it is written at the end',
    );
  const cellOf = (title: string): string => all[titles.indexOf(title)] ?? '';
  const count = asCount(numberIn(cellOf('Request Count')), 'Request Count');
  const failed = asCount(numberIn(cellOf('Failure Count')), 'Failure Count');
  const percentiles =
    count === 0 ? [] : titles.flatMap((title) => readPercentile(title, cellOf(title), count));
  return {
    tool: 'Locust',
    count,
    percentiles: count === 0 ? [] : [...percentiles, maximum(cellOf('Max Response Time'), count)],
    errors: {
      failed,
      requests: count,
      meaning: 'requests that Locust counts as failures: no response, a status from 400, or catch_response',
    },
    cure: 'Locust prints no others',
    notes: [
      'Locust rounds durations to two digits, and below 100 ms to a millisecond, so its percentiles have bounds',
    ],
  };
}

function readPercentile(title: string, cell: string, count: number): PrintedPercentile[] {
  const [, number] = /^(\d{1,2}(?:\.\d{1,9})?)%$/.exec(title) ?? [];
  if (number === undefined) return [];
  const percentile = Number(number);
  const ms = numberIn(cell);
  if (ms % (2 * halfStep(ms)) !== 0)
    throw new HdrscopeError(
      'ERR_DECODE',
      `the row Aggregated of Locust must have durations as Locust rounds them, got ${ms} for ${title}: another rounding has unknown bounds`,
    );
  // The value at this index, from 0, of all values in their order.
  const index = Math.min(Math.floor(count * Number((percentile / 100).toPrecision(12))), count - 1);
  return [{ percentile, ...unrounded(ms), atOrBelow: index + 1, below: index }];
}

/** Half of the step to which a duration is rounded. */
function halfStep(ms: number): number {
  if (ms < 100) return 0.5;
  if (ms < 1000) return 5;
  return ms < 10_000 ? 50 : 500;
}

/** The durations that Locust rounds to a number of milliseconds. At 100, 1000 and 10,000 the finer steps below meet the coarser ones. */
function unrounded(ms: number): { readonly lower: number; readonly upper: number } {
  return { lower: Math.max(0, ms - halfStep(ms - 1)), upper: ms + halfStep(ms) };
}

/** The longest duration, which the table has without rounding; earlier versions drop its fraction. */
function maximum(cell: string, count: number): PrintedPercentile {
  const longest = numberIn(cell);
  const upper = Number.isInteger(longest) ? longest + 1 : longest;
  return { percentile: 100, lower: longest, upper, atOrBelow: count, below: count - 1 };
}

/** @throws HdrscopeError `ERR_DECODE` */
function numberIn(cell: string): number {
  const number = cell === '' ? Number.NaN : Number(cell);
  if (number >= 0 && number < Number.POSITIVE_INFINITY) return number;
  throw new HdrscopeError(
    'ERR_DECODE',
    `the row Aggregated of Locust must have numbers of at least 0, got ${JSON.stringify(cell)}`,
  );
}
