import { asCount, asFinite, asObject, isObject, type JsonObject } from '@hdrscope/kit';
import type { ErrorCount, LoadSummary, PrintedPercentile } from './load.ts';

/** Whether a document is the output of `oha --output-format json`, or of `oha --json` before version 1.9. */
export function isOhaSummary(json: JsonObject): boolean {
  return isObject(json.latencyPercentiles) && isObject(json.statusCodeDistribution);
}

/**
 * Reads the summary of oha. Its durations are seconds, of requests that got a response.
 *
 * @throws HdrscopeError `ERR_DECODE` when a field is missing or malformed.
 */
export function readOhaSummary(json: JsonObject): LoadSummary {
  const statuses = asObject(json.statusCodeDistribution, 'statusCodeDistribution');
  const count = sumOf(statuses, 'statusCodeDistribution');
  return {
    tool: 'oha',
    count,
    percentiles: count === 0 ? [] : percentilesOf(json, count),
    errors: errorsOf(json, statuses, count),
    cure: 'oha prints no others, and oha --output-format csv writes every value',
    notes: [],
  };
}

function percentilesOf(json: JsonObject, count: number): PrintedPercentile[] {
  const printed = asObject(json.latencyPercentiles, 'latencyPercentiles');
  const found: PrintedPercentile[] = [];
  for (const [key, value] of Object.entries(printed)) {
    const [, number] = /^p(\d+(?:\.\d+)?)$/.exec(key) ?? [];
    if (number === undefined || value === null) continue;
    const percentile = Number(number);
    // Source: oha, `src/result_data.rs`, `percentile_iter`: the value at this index, from 0.
    const index = Math.min(Math.floor((percentile / 100) * count), count - 1);
    found.push(rowOf(percentile, value, `latencyPercentiles.${key}`, index));
  }
  const { slowest } = asObject(json.summary, 'summary');
  return [...found, rowOf(100, slowest, 'summary.slowest', count - 1)];
}

function rowOf(percentile: number, value: unknown, where: string, index: number): PrintedPercentile {
  const ms = Number((asFinite(value, where) * 1000).toPrecision(15));
  return { percentile, lower: ms, upper: ms, atOrBelow: index + 1, below: index };
}

// Requests that were under way when the time of -z was over. They did not fail.
const DEADLINE = 'aborted due to deadline';

function errorsOf(json: JsonObject, statuses: JsonObject, responses: number): ErrorCount {
  const distribution = asObject(json.errorDistribution ?? {}, 'errorDistribution');
  const { [DEADLINE]: _, ...errors } = distribution;
  const broken = sumOf(errors, 'errorDistribution');
  const isFailure = ([status]: [string, unknown]): boolean => Number(status) >= 400;
  const refused = Object.fromEntries(Object.entries(statuses).filter(isFailure));
  return {
    failed: broken + sumOf(refused, 'statusCodeDistribution'),
    requests: responses + broken,
    meaning: 'responses with a status of at least 400, timeouts and broken connections',
  };
}

function sumOf(counts: JsonObject, where: string): number {
  return Object.entries(counts).reduce((sum, [key, count]) => sum + asCount(count, `${where}.${key}`), 0);
}
