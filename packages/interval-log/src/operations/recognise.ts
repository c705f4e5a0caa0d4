import { HdrscopeError, mustBe } from '@hdrscope/core';
import { type LogSource, textOf } from '../reader/input.ts';

/**
 * What a text is, by what stands in it:
 *
 * - `'log'`: an interval log, or nothing that is known.
 * - `'percentiles'`: a percentile distribution with its counts, which `readPercentileText` reads.
 * - `'percentiles without counts'`: of a distribution some percentiles, as `wrk` prints them: nothing tells how many
 *   values they are of, so they can neither be added up nor compared.
 * - `'percentiles per interval'`: the table that HdrHistogram's log processor writes beside a distribution. It has a few
 *   percentiles of each interval, which do not make one.
 */
export type TextKind = 'log' | 'percentiles' | 'percentiles without counts' | 'percentiles per interval';

// Every encoding of a histogram begins with `HIST` in Base64.
const MARKS: readonly (readonly [TextKind, RegExp])[] = [
  ['log', /^[^#\n].*[ ,]HIST[A-Za-z0-9+/]/m],
  ['percentiles', /^[ \t]*"?Value"?[ \t,]+"?Percentile"?[ \t,]+"?TotalCount"?[ \t,]/m],
  ['percentiles without counts', /^[ \t]*"?Value"?[ \t,]+"?Percentile"?[ \t]*\r?$/m],
  // Of wrk. What wrk2 prints there has a longer title, and its table below.
  ['percentiles without counts', /^ +Latency Distribution\r?\n(?: +\d+(?:\.\d+)?% +[\d.]+\w+\r?\n)+/m],
  ['percentiles per interval', /^(?:Time: IntervalPercentiles:count|"?Timestamp"?,"?Int_Count"?,)/m],
];

/** Of the text of a source, whole or its beginning, what it is; `undefined` where the rest has to tell. */
export function recogniseText(beginning: string): TextKind | undefined {
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

/**
 * The text of a source, decompressed. Of a gzip stream that is cut short, what there is.
 *
 * @param maxBytes Where to end, or a little later: above 0. @default all
 * @throws HdrscopeError `ERR_INVALID_OPTION`. An error of the source as it is.
 */
export async function readText(
  source: LogSource,
  maxBytes: number = Number.POSITIVE_INFINITY,
): Promise<string> {
  if (!(maxBytes > 0)) throw mustBe('ERR_INVALID_OPTION', 'maxBytes', 'a number above 0', maxBytes);
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  try {
    for await (const chunk of textOf(source)) {
      text += decoder.decode(chunk, { stream: true });
      bytes += chunk.length;
      if (bytes >= maxBytes) break;
    }
  } catch (error) {
    if (!(error instanceof HdrscopeError) || error.code !== 'ERR_LOG_FORMAT') throw error;
  }
  return text;
}
