import { assertText } from '@hdrscope/core/internal';

/**
 * The kind of a text, recognised by its content:
 *
 * - `'log'`: an interval log.
 * - `'percentiles'`: a percentile distribution with its counts, which `parsePercentileText` reads.
 * - `'percentiles without counts'`: some percentiles of a distribution, as `wrk` prints them. The number of values is
 *   unknown, so they can neither be added up nor compared.
 * - `'percentiles per interval'`: the table of intervals that HdrHistogram's log processor writes. It has a few
 *   percentiles of each interval, from which no distribution can be made.
 */
export type TextKind = 'log' | 'percentiles' | 'percentiles without counts' | 'percentiles per interval';

// Every encoding of a histogram begins with `HIST` in Base64.
const MARKS: readonly (readonly [TextKind, RegExp])[] = [
  ['log', /^[^#\n].*[ ,]HIST[A-Za-z0-9+/]/m],
  ['percentiles', /^[ \t]*"?Value ?(?:\(\w+\))?"?[ \t,]+"?Percentile"?[ \t,]+"?TotalCount"?[ \t,]/m],
  ['percentiles without counts', /^[ \t]*"?Value ?(?:\(\w+\))?"?[ \t,]+"?Percentile"?[ \t]*\r?$/m],
  // The report of wrk. That of wrk2 has a longer title here, and a table below.
  [
    'percentiles without counts',
    /^ +Latency Distribution\r?\n(?: +\d+(?:\.\d+)?% +[\d.]+[A-Za-z]\w*\r?\n)+/m,
  ],
  ['percentiles per interval', /^(?:Time: IntervalPercentiles:count|"?Timestamp"?,"?Int_Count"?,)/m],
];

/**
 * Recognises the kind of a text by its beginning; `undefined` if the beginning fits no kind.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the beginning is not a text.
 * @example
 * ```ts
 * import { recogniseText } from '@hdrscope/interval-log/parser';
 *
 * recogniseText('Value,Percentile,TotalCount,1/(1-Percentile)\n'); //=> 'percentiles'
 * recogniseText('Dear all,\n'); //=> undefined
 * ```
 */
export function recogniseText(beginning: string): TextKind | undefined {
  assertText('the beginning', beginning);
  let first: TextKind | undefined;
  let firstAt = Number.POSITIVE_INFINITY;
  for (const [kind, mark] of MARKS) {
    const at = beginning.search(mark);
    if (at === -1 || at >= firstAt) continue;
    first = kind;
    firstAt = at;
  }
  return first;
}
