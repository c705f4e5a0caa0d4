import { HdrscopeError } from '@hdrscope/core';
import { mustBe } from '@hdrscope/core/internal';
import { type LogSource, textOf } from '../reader/input.ts';

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
  ['percentiles', /^[ \t]*"?Value"?[ \t,]+"?Percentile"?[ \t,]+"?TotalCount"?[ \t,]/m],
  ['percentiles without counts', /^[ \t]*"?Value"?[ \t,]+"?Percentile"?[ \t]*\r?$/m],
  // The report of wrk. That of wrk2 has a longer title here, and a table below.
  [
    'percentiles without counts',
    /^ +Latency Distribution\r?\n(?: +\d+(?:\.\d+)?% +[\d.]+[A-Za-z]\w*\r?\n)+/m,
  ],
  ['percentiles per interval', /^(?:Time: IntervalPercentiles:count|"?Timestamp"?,"?Int_Count"?,)/m],
];

/** Recognises the kind of a text by its beginning; `undefined` if the beginning fits no kind. */
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
 * Reads the text of a source, decompressed. A gzip stream that is cut short yields its readable text. An error of the
 * source is thrown unchanged.
 *
 * @param maxBytes Reading ends with the chunk that reaches this many bytes of text: above 0. @default the whole text
 * @throws HdrscopeError `ERR_INVALID_OPTION` when `maxBytes` or the source is invalid.
 */
export async function readText(
  source: LogSource,
  maxBytes: number = Number.POSITIVE_INFINITY,
): Promise<string> {
  if (!(maxBytes > 0)) throw mustBe('ERR_INVALID_OPTION', 'maxBytes', 'a number above 0', maxBytes);
  return (await readUpTo(source, maxBytes)).text;
}

/** `readText` that shows whether it has ended at `maxBytes`, so that the text may go on. */
export async function readUpTo(
  source: LogSource,
  maxBytes: number,
): Promise<{ readonly text: string; readonly isCut: boolean }> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  try {
    for await (const chunk of textOf(source)) {
      text += decoder.decode(chunk, { stream: true });
      bytes += chunk.length;
      if (bytes >= maxBytes) return { text, isCut: true };
    }
  } catch (error) {
    if (!(error instanceof HdrscopeError) || error.code !== 'ERR_LOG_FORMAT') throw error;
  }
  return { text: text + decoder.decode(), isCut: false };
}
