import { HdrscopeError } from '@hdrscope/core';
import type { LoadSummary, PrintedPercentile } from './load.ts';

/** The report that hey prints. */
export const HEY_REPORT: RegExp =
  /^\s*Summary:\r?\n +Total:\t[^\n]{1,40}\n +Slowest:\t[^\n]{1,40}\n[\s\S]{0,8000}\nLatency distribution:\r?\n/;

/** hey keeps no more durations, and takes its percentiles from these. */
const MOST_KEPT = 1_000_000;
/** It prints four decimals of a second. */
const ROUNDING_MS = 0.05;
const PERCENTILES = [10, 25, 50, 75, 90, 95, 99];

/**
 * Reads the report of hey, whose durations are seconds, of requests that got a response.
 * Source: hey, `requester/report.go`, `latencies`.
 *
 * @throws HdrscopeError `ERR_DECODE` when a figure is missing or malformed, or there were more requests than hey keeps.
 */
export function readHeyReport(text: string): LoadSummary {
  const statuses = [...text.matchAll(/^ {2}\[(\d{3})\]\t(\d{1,15}) responses\r?$/gm)].map(
    ([, status, count]) => ({ status: Number(status), count: Number(count) }),
  );
  const count = statuses.reduce((sum, one) => sum + one.count, 0);
  if (count === 0)
    throw malformedReport('the number of responses of each status, which it prints at the end');
  if (count > MOST_KEPT)
    throw malformedReport(`at most ${MOST_KEPT} responses: hey takes percentiles from as many`);
  const [, errors = ''] =
    /\nError distribution:\r?\n((?: +\[\d{1,15}\]\t[^\n]{0,4000}\n){0,200})/.exec(text) ?? [];
  const broken = [...errors.matchAll(/^ +\[(\d{1,15})\]\t/gm)].reduce((sum, [, one]) => sum + Number(one), 0);
  const refused = statuses.reduce((sum, one) => sum + (one.status >= 400 ? one.count : 0), 0);
  return {
    tool: 'hey',
    count,
    percentiles: readPercentiles(text, count),
    errors: {
      failed: refused + broken,
      requests: count + broken,
      meaning: 'responses with a status of at least 400, timeouts and broken connections',
    },
    cure: 'hey prints no others, and hey -o csv writes every request',
    notes: ['hey rounds durations to 0.1 ms, so its percentiles have bounds'],
  };
}

function readPercentiles(text: string, count: number): PrintedPercentile[] {
  const found: PrintedPercentile[] = [];
  const rows = new Map(
    [...text.matchAll(/^ {2}(\d{2})% in (\d{1,9}\.\d{4}) secs\r?$/gm)].map(([, name, seconds]) => [
      Number(name),
      seconds!,
    ]),
  );
  let index = -1;
  for (const percentile of PERCENTILES) {
    // The first value at which so many are below; each value stands for one percentile.
    index = Math.max(Math.ceil((percentile * count) / 100), index + 1);
    const seconds = rows.get(percentile);
    if (seconds !== undefined && index < count) found.push(printed(percentile, seconds, index));
  }
  const [, slowest] = /^ +Slowest:\t(\d{1,9}\.\d{4}) secs\r?$/m.exec(text) ?? [];
  if (slowest === undefined) throw malformedReport('the slowest request, as in 0.0406 secs');
  return [...found, printed(100, slowest, count - 1)];
}

/** @param index That of the value, from 0. */
function printed(percentile: number, seconds: string, index: number): PrintedPercentile {
  const ms = Math.round(Number(seconds) * 1e4) / 10;
  return {
    percentile,
    lower: Math.max(0, Number((ms - ROUNDING_MS).toPrecision(15))),
    upper: Number((ms + ROUNDING_MS).toPrecision(15)),
    atOrBelow: index + 1,
    below: index,
  };
}

function malformedReport(what: string): HdrscopeError {
  return new HdrscopeError('ERR_DECODE', `the report of hey must have ${what}`);
}
