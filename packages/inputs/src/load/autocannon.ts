import { hdrLayout } from '@hdrscope/core';
import { findRank } from '@hdrscope/core/internal';
import { asCount, asFinite, asObject, formatCount, isObject, type JsonObject } from '@hdrscope/kit';
import type { LoadSummary, PrintedPercentile } from './load.ts';

// The layout of its latencies. Source: autocannon, `lib/histUtil.js`. It grows beyond any duration here.
const LAYOUT = hdrLayout({ highestTrackableValue: 2 ** 40, significantDigits: 5 });

/** Whether a document is the output of `autocannon --json`. */
export function isAutocannon(json: JsonObject): boolean {
  return 'sampleInt' in json && isObject(json.latency);
}

/**
 * Reads the output of `autocannon --json`. It measures durations with fractions of a millisecond, and its histogram of integers drops the
 * fractions: a printed 4 is at least 4 ms and below 5 ms. Above 262,143 ms, a printed value is the end of a slot of several integers.
 *
 * @throws HdrscopeError `ERR_DECODE` when a field is missing or malformed.
 */
export function readAutocannon(json: JsonObject): LoadSummary {
  const latency = asObject(json.latency, 'latency');
  const count = asCount(latency.totalCount, 'latency.totalCount');
  const { total } = asObject(json.requests, 'requests');
  const responses = asCount(total, 'requests.total');
  const ofResponses = Math.min(
    responses,
    asCount(json.non2xx, 'non2xx') + asCount(json.mismatches ?? 0, 'mismatches'),
  );
  // Timeouts are among the errors.
  const errors = asCount(json.errors, 'errors');
  return {
    tool: 'autocannon',
    count,
    percentiles: count === 0 ? [] : percentilesOf(latency, count),
    errors: {
      failed: ofResponses + errors,
      requests: responses + errors,
      meaning: 'responses other than 2xx, bodies other than expected, timeouts and broken connections',
    },
    cure: 'autocannon prints no others, and wrk2 --latency, k6 run --out json=FILE and oha --output-format csv write every value',
    notes: [
      'autocannon drops fractions of a millisecond: a printed 4 is a value from 4 to 5 ms',
      ...(count > responses
        ? [
            `autocannon has ${formatCount(count)} durations of ${formatCount(responses)} responses, because it corrects coordinated omission: the intervals take all of them for measured`,
          ]
        : []),
    ],
  };
}

function percentilesOf(latency: JsonObject, count: number): PrintedPercentile[] {
  const found: PrintedPercentile[] = [];
  for (const [key, value] of Object.entries(latency)) {
    // p97_5 is 97.5.
    const [, whole, fraction = '0'] = /^p(\d+)(?:_(\d+))?$/.exec(key) ?? [];
    if (whole !== undefined)
      found.push(printed(Number(`${whole}.${fraction}`), value, `latency.${key}`, count));
  }
  return [...found, printed(100, latency.max, 'latency.max', count)];
}

function printed(percentile: number, value: unknown, where: string, count: number): PrintedPercentile {
  const slot = LAYOUT.slotOf(asFinite(value, where));
  const rank = findRank(percentile, count);
  return {
    percentile,
    lower: LAYOUT.lower(slot),
    upper: LAYOUT.upper(slot) + 1,
    atOrBelow: rank,
    below: rank - 1,
  };
}
