import { asCount, asFinite, asObject, isObject, type JsonObject } from '@hdrscope/kit';
import { type ReadLinesOptions, readLines, refuseLine, type TextBytes } from '../bytes.ts';
import { cellsOf } from '../numbers/number-texts.ts';
import {
  type ErrorCount,
  isRequest,
  type LoadSummary,
  type PrintedPercentile,
  type RequestSink,
} from './load.ts';

// Requests.

/**
 * Reads `oha --output-format csv`: a line for each request that got a response, with times in seconds. Requests without a response
 * have no line, so the table does not state how many requests failed.
 * Source: oha, `src/printer.rs`, `print_csv`.
 */
export function readOhaTable(bytes: TextBytes, options: ReadLinesOptions, sink: RequestSink): Promise<void> {
  const { name = 'the text', onBadLine = refuseLine } = options;
  return readLines(bytes, options, (line, lineNumber) => {
    if (lineNumber === 1) return;
    const cells = cellsOf(line, ',');
    const [startSec, durationMs] = [numberOf(cells[0]), millisecondsOf(numberOf(cells[4]))];
    if (isRequest(durationMs, startSec)) sink.onRequest(durationMs, startSec);
    else {
      const fault = 'must begin with 5 numbers of at least 0, separated by commas';
      onBadLine({ lineNumber, message: `${name}: line ${lineNumber} ${fault}` });
    }
  });
}

function numberOf(cell: string | undefined): number {
  return cell === undefined || cell === '' ? Number.NaN : Number(cell);
}

function millisecondsOf(seconds: number): number {
  // 0.0051 s are 5.1 ms, not 5.1000000000000005.
  return Number((seconds * 1000).toPrecision(15));
}

// Summaries.

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
