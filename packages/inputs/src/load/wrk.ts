import { HdrscopeError } from '@hdrscope/core';
import { assertText } from '@hdrscope/core/internal';
import type { ErrorCount, LoadSummary, PrintedPercentile } from './load.ts';

/** The report of `wrk --latency`. That of wrk2 has all counts, and is percentile text. */
export const WRK_REPORT: RegExp =
  /^ {2}Thread Stats {3}Avg {6}Stdev {5}Max {3}\+\/- Stdev\r?\n {4}Latency [^\n]{1,100}\n {4}Req\/Sec [^\n]{1,100}\n {2}Latency Distribution\r?\n/m;

/**
 * Reads the report of `wrk --latency`.
 * Source: wrk, `src/wrk.c` and `src/stats.c`: it adds values that correct coordinated omission, and prints two decimals.
 *
 * @throws HdrscopeError `ERR_DECODE` when a figure is missing or malformed.
 */
export function readWrkReport(text: string): LoadSummary {
  const errors = readWrkErrors(text);
  if (errors === undefined)
    throw new HdrscopeError(
      'ERR_DECODE',
      'the report of wrk must have the number of its requests: it is printed at the end',
    );
  const [, responses = ''] = /^ +(\d+) requests in /m.exec(text) ?? [];
  const count = Number(responses);
  const [, , longest = ''] = /^ {4}Latency +(\S+) +(\S+) +(\S+)/m.exec(text)?.slice(1) ?? [];
  const [, rows = ''] =
    /^ {2}Latency Distribution\r?\n((?: +\d+(?:\.\d+)?% +\S+\r?\n?){0,20})/m.exec(text) ?? [];
  const printed = [...rows.matchAll(/(\d{1,3}(?:\.\d{1,6})?)% {1,20}(\S{1,40})/g)].map(
    ([, percentile, duration]) => [Number(percentile), duration!] as const,
  );
  return {
    tool: 'wrk',
    count,
    percentiles:
      count === 0
        ? []
        : [...printed, [100, longest] as const].map(([percentile, duration]) =>
            readPercentile(percentile, duration, count),
          ),
    errors,
    cure: 'wrk prints no others, and wrk2 --latency prints all of its counts',
    notes: [
      'wrk adds values that correct coordinated omission, and does not print how many: its percentiles are those of more values than requests',
    ],
  };
}

const UNITS: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

function readPercentile(percentile: number, text: string, count: number): PrintedPercentile {
  const [, number, unit = ''] = /^(\d{1,9}\.\d\d)(us|ms|s|m|h)$/.exec(text) ?? [];
  if (number === undefined)
    throw new HdrscopeError(
      'ERR_DECODE',
      `the report of wrk must have durations, as in 12.50ms, got ${JSON.stringify(text.slice(0, 40))}`,
    );
  const inMs = (value: number): number => Number((Math.max(0, value) * UNITS[unit]!).toPrecision(15));
  const rank = Math.min(count, Math.round((percentile / 100) * count + 0.5));
  return {
    percentile,
    lower: inMs(Number(number) - 0.005),
    upper: inMs(Number(number) + 0.005),
    atOrBelow: rank,
    below: rank - 1,
  };
}

/**
 * Reads the errors in the report of wrk2 or wrk, which has a line for them only when there are some. `undefined` when the text is no such
 * report. `parsePercentileText` of `@hdrscope/interval-log` reads the distribution of wrk2.
 * Source: wrk2, `src/wrk.c`, `main`.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the argument is not a text.
 * @example
 * ```ts
 * import { readWrkErrors } from '@hdrscope/inputs';
 *
 * const text = '  2500 requests in 1.00s, 2.50MB read\n  Non-2xx or 3xx responses: 7\n';
 * readWrkErrors(text)?.failed; //=> 7
 * readWrkErrors('Dear all,\n'); //=> undefined
 * ```
 */
export function readWrkErrors(text: string): ErrorCount | undefined {
  assertText('the text', text);
  const [, responses] = /^ +(\d+) requests in [\d.]+[a-z]+, [\d.]+[A-Za-z]+ read$/m.exec(text) ?? [];
  if (responses === undefined) return undefined;
  const [, ...socket] =
    /^ +Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)$/m.exec(text) ?? [];
  const [, statuses = '0'] = /^ +Non-2xx or 3xx responses: (\d+)$/m.exec(text) ?? [];
  const broken = socket.reduce((sum, count) => sum + Number(count), 0);
  return {
    failed: broken + Number(statuses),
    requests: Number(responses) + broken,
    meaning: 'responses with a status of at least 400, timeouts and broken connections',
  };
}
