import { HdrscopeError } from '@hdrscope/core';
import { asCount, asFinite, asObject, isObject, type JsonObject } from '@hdrscope/kit';
import type { ErrorCount, LoadSummary, PrintedPercentile } from './load.ts';

const DURATIONS = 'http.response_time';

/** Whether a document is the output of `artillery run --output`. */
export function isArtilleryReport(json: JsonObject): boolean {
  return isObject(json.aggregate) && isObject(json.aggregate.summaries) && isObject(json.aggregate.counters);
}

// What the sketch and the rounding of Artillery may do to a value. Source: artillery, `lib/core/ssms`: a DDSketch with a relative accuracy of
// 0.01, and one decimal of a millisecond.
const RELATIVE_ERROR = 0.01;
const ROUNDING_MS = 0.05;

/**
 * Reads the report of Artillery 2, whose durations are milliseconds from a request to the first byte of its response.
 *
 * @throws HdrscopeError `ERR_DECODE` when a field is missing or malformed.
 */
export function readArtilleryReport(json: JsonObject): LoadSummary {
  const { summaries, counters } = asObject(json.aggregate, 'aggregate');
  const found = asObject(summaries, 'aggregate.summaries')[DURATIONS];
  const where = `aggregate.summaries["${DURATIONS}"]`;
  const durations = found === undefined ? undefined : asObject(found, where);
  const count = durations === undefined ? 0 : asCount(durations.count, `${where}.count`);
  return {
    tool: 'Artillery',
    count,
    percentiles: durations === undefined || count === 0 ? [] : readPercentiles(durations, count, where),
    errors: countErrors(asObject(counters, 'aggregate.counters')),
    cure: 'Artillery prints no others',
    notes: [
      'Artillery keeps percentiles within 1 %, so they have bounds; a duration ends with the first byte of a response',
    ],
  };
}

function readPercentiles(durations: JsonObject, count: number, where: string): PrintedPercentile[] {
  const found: PrintedPercentile[] = [];
  for (const [key, value] of Object.entries(durations)) {
    const [, digits] = /^p(\d{2,6})$/.exec(key) ?? [];
    if (digits === undefined) continue;
    // p999 is 99.9.
    const percentile = Number(`${digits.slice(0, 2)}.${digits.slice(2)}`);
    const ms = durationIn(value, `${where}.${key}`);
    // Source: DDSketch of sketches-js, `getValueAtQuantile`: the value at this index, from 0.
    const index = Math.floor(Number((percentile / 100).toPrecision(12)) * (count - 1));
    found.push({
      percentile,
      lower: Math.max(0, ms - ROUNDING_MS) / (1 + RELATIVE_ERROR),
      upper: (ms + ROUNDING_MS) / (1 - RELATIVE_ERROR),
      atOrBelow: index + 1,
      below: index,
    });
  }
  const longest = durationIn(durations.max, `${where}.max`);
  const [lower, upper] = [Math.max(0, longest - ROUNDING_MS), longest + ROUNDING_MS];
  return [...found, { percentile: 100, lower, upper, atOrBelow: count, below: count - 1 }];
}

/** @throws HdrscopeError `ERR_DECODE` */
function durationIn(value: unknown, where: string): number {
  const ms = asFinite(value, where);
  if (ms >= 0) return ms;
  throw new HdrscopeError('ERR_DECODE', `${where} must be a duration of at least 0, got ${ms}`);
}

function countErrors(counters: JsonObject): ErrorCount {
  const sum = (wanted: (name: string) => boolean): number =>
    Object.entries(counters).reduce(
      (total, [name, count]) => total + (wanted(name) ? asCount(count, `aggregate.counters["${name}"]`) : 0),
      0,
    );
  const requests = sum((name) => name === 'http.requests');
  const responses = sum((name) => name === 'http.responses');
  const refused = sum((name) => /^http\.codes\.[45]\d\d$/.test(name));
  // A request has no response after an error, or when the test was stopped.
  return {
    failed: refused + Math.max(0, requests - responses),
    requests: Math.max(requests, responses),
    meaning: 'responses with a status of at least 400, and requests without a response',
  };
}
