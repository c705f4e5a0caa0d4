import { explicitLayout, HdrscopeError, LayoutHistogram } from '@hdrscope/core';
import {
  asArray,
  asCount,
  asFinite,
  asObject,
  asText,
  Budget,
  type JsonObject,
  parseJson,
} from '@hdrscope/kit';
import { named, type ReadLinesOptions, readText, type TextBytes } from '../bytes.ts';
import { cellsOf } from '../numbers/number-texts.ts';
import { readExtremes } from './extremes.ts';
import type { CountsReader, LabelledCounts, LoadSummary, PrintedPercentile } from './load.ts';

const FAILURE = 'requests that Locust counts as failures: no response, a status from 400, or catch_response';

// The table.

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
    errors: { failed, requests: count, meaning: FAILURE },
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

// JSON, which has all counts.

const LIMITS = { elements: 5_000_000, depth: 10 };
const NS_PER_MS = 1e6;
/** Longer ones would need too many slots: about a day. */
const LONGEST_MS = 1e8;

/**
 * What `locust --json` prints, and `--json-file` writes: the number of requests for each duration, as Locust rounds it.
 * Source: Locust, `locust/stats.py`, `StatsEntry.serialize`.
 */
export const LOCUST_COUNTS: CountsReader = {
  mark: /^\s*\[\s*\{\s*"name"\s*:(?=[\s\S]{0,20000}"num_none_requests"\s*:)/,
  tool: 'Locust',
  read: readLocustJson,
};

async function readLocustJson(bytes: TextBytes, options: ReadLinesOptions): Promise<LabelledCounts[]> {
  const { name = 'the text' } = options;
  const text = await readText(bytes, 'a report of Locust', options);
  try {
    const rows = asArray(parseJson(text, 'the text', new Budget('the text', LIMITS)), 'the report of Locust');
    return rows.flatMap((row, at) => readRow(asObject(row, `[${at}]`), `[${at}]`));
  } catch (error) {
    throw named(error, name);
  }
}

function readRow(row: JsonObject, where: string): LabelledCounts[] {
  const requests = asCount(row.num_requests, `${where}.num_requests`);
  const failed = asCount(row.num_failures, `${where}.num_failures`);
  if (requests === 0) return [];
  const times = Object.entries(asObject(row.response_times, `${where}.response_times`)).map(
    ([key, count]) => {
      const field = `${where}.response_times["${key}"]`;
      const ms = /^\d{1,9}(?:\.0)?$/.test(key) ? Number(key) : Number.NaN;
      if (ms <= LONGEST_MS && ms % (2 * halfStep(ms)) === 0) return [ms, asCount(count, field)] as const;
      const message = `${field} must be a duration in milliseconds as Locust rounds it, up to ${LONGEST_MS}`;
      throw new HdrscopeError('ERR_DECODE', message);
    },
  );
  const counts = countRounded(times);
  const none = asCount(row.num_none_requests, `${where}.num_none_requests`);
  if (counts.totalCount !== requests - none) {
    const message = `${where} must have ${requests - none} durations, as many as requests, got ${counts.totalCount}`;
    throw new HdrscopeError('ERR_DECODE', message);
  }
  if (counts.totalCount === 0) return [];
  const [min, max] = ['min_response_time', 'max_response_time'].map(
    (field) => asFinite(row[field], `${where}.${field}`) * NS_PER_MS,
  ) as [number, number];
  const method = row.method === null ? '' : asText(row.method, `${where}.method`);
  const labels = { method, name: asText(row.name, `${where}.name`) };
  return [
    {
      labels,
      counts,
      ...readExtremes(counts, min, max, where),
      errors: { failed, requests, meaning: FAILURE },
    },
  ];
}

/** Counts rounded durations over the slots of all durations that are rounded to them. */
function countRounded(times: readonly (readonly [ms: number, count: number])[]): LayoutHistogram {
  const longest = times.reduce((most, [ms]) => Math.max(most, ms), 0);
  const bounds = [0];
  for (let ms = 0; ms <= longest; ms += 2 * halfStep(ms)) bounds.push(unrounded(ms).upper * NS_PER_MS);
  const counts = new LayoutHistogram(explicitLayout(bounds, 'upper'), { storage: 'sparse' });
  for (const [ms, count] of times) counts.record(Math.max(1, ms * NS_PER_MS), count);
  return counts;
}
