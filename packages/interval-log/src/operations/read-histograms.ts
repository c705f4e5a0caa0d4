import { DoubleHistogram, HdrscopeError, type Histogram } from '@hdrscope/core';
import { mustBe, readOptions } from '@hdrscope/core/internal';
import type { LogErrorCode } from '../errors.ts';
import type { LogInterval } from '../reader/entry.ts';
import { type LogSource, readChunks, readUtf8 } from '../reader/input.ts';
import { readEntries } from '../reader/read.ts';
import { PERCENTILE_RULES, parsePercentileText } from './percentile-text.ts';
import { recogniseText, type TextKind } from './text-kind.ts';

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
async function readUpTo(
  source: LogSource,
  maxBytes: number,
): Promise<{ readonly text: string; readonly isCut: boolean }> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  try {
    for await (const chunk of readUtf8(source)) {
      text += decoder.decode(chunk, { stream: true });
      bytes += chunk.length;
      if (bytes >= maxBytes) return { text, isCut: true };
    }
  } catch (error) {
    if (!(error instanceof HdrscopeError) || error.code !== 'ERR_LOG_FORMAT') throw error;
  }
  return { text: text + decoder.decode(), isCut: false };
}

/** The histogram of an interval of a log, or of a whole percentile text. */
export interface ReadHistogram {
  /** Tag of the interval; `undefined` without a tag, and for percentile text. */
  readonly tag: string | undefined;
  /** Seconds since 1970; 0 for percentile text. In a log without absolute times, seconds since its unknown zero. */
  readonly startSec: number;
  /** Length in seconds; 0 for percentile text. */
  readonly lengthSec: number;
  /** `undefined` for a damaged histogram and for one of doubles. */
  readonly histogram: Histogram | undefined;
}

/** Options of `readHistograms`. */
export interface ReadHistogramsOptions {
  /**
   * Divisor of the printed values of percentile text; of milliseconds when the text states another unit, as in `Value(us)`, which is
   * converted. Above 0.
   *
   * @default 1e6
   */
  readonly valueScale?: number;
}

// Longer than the text above the table of wrk2 or above the first interval of a log.
const BEGINNING_BYTES = 2 ** 16;

const LARGEST_TEXT_BYTES = 2 ** 26;

const REFUSED: Readonly<Record<Exclude<TextKind, 'log' | 'percentiles'>, string>> = {
  'percentiles without counts':
    'it has percentiles without counts, so the number of values is unknown: print it with counts',
  'percentiles per interval': 'it has percentiles of intervals, which cannot be added up: use the log itself',
};

/**
 * Reads a file of unknown kind: an interval log interval by interval, or percentile text (`.hgrm`, its CSV, the report of
 * wrk2) as one interval. Memory is bounded by the longest line of a log, and by 64 MiB of text. An error of the source
 * is thrown unchanged.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist, or the source has no bytes; `ERR_LOG_FORMAT` when the file is
 *   of another kind; `ERR_TOO_LARGE` when percentile text is longer than 64 MiB; the errors of `parsePercentileText`.
 * @example
 * ```ts
 * import { formatPercentiles, Histogram } from '@hdrscope/core';
 * import { readHistograms } from '@hdrscope/interval-log';
 *
 * const original = new Histogram({ highestTrackableValue: 3_600_000_000_000 });
 * original.record(5_000_000, 7);
 * const file = new TextEncoder().encode(formatPercentiles(original, { valueScale: 1e6 }));
 * for await (const { histogram } of readHistograms([file])) {
 *   histogram?.totalCount; //=> 7
 * }
 * ```
 */
export async function* readHistograms(
  source: LogSource,
  options: ReadHistogramsOptions = {},
): AsyncGenerator<ReadHistogram, void> {
  const { valueScale } = readOptions(options, READ_HISTOGRAMS);
  const chunks = readChunks(source);
  try {
    const begun = await readBeginning(chunks);
    const kind = recogniseText(await readText(begun, BEGINNING_BYTES)) ?? 'log';
    const whole = continueWith(begun, chunks);
    if (kind === 'log') yield* readLog(whole);
    else if (kind === 'percentiles') yield await readPercentileText(whole, valueScale);
    else throw new HdrscopeError<LogErrorCode>('ERR_LOG_FORMAT', REFUSED[kind], { details: { kind } });
  } finally {
    await chunks.return(undefined);
  }
}

const READ_HISTOGRAMS = {
  name: 'readHistograms',
  rules: PERCENTILE_RULES,
  call: 'readHistograms(bytes, { valueScale: 1000 })',
};

async function readBeginning(chunks: AsyncIterator<Uint8Array>): Promise<Uint8Array[]> {
  const begun: Uint8Array[] = [];
  for (let bytes = 0; bytes < BEGINNING_BYTES; ) {
    const next = await chunks.next();
    if (next.done === true) break;
    begun.push(next.value);
    bytes += next.value.length;
  }
  return begun;
}

async function* continueWith(
  begun: readonly Uint8Array[],
  rest: AsyncGenerator<Uint8Array, void>,
): AsyncGenerator<Uint8Array, void> {
  yield* begun;
  yield* rest;
}

async function* readLog(source: AsyncIterable<Uint8Array>): AsyncGenerator<ReadHistogram, void> {
  let isLog = false;
  for await (const entry of readEntries(source)) {
    if (entry.kind !== 'interval') continue;
    isLog = true;
    const { tag, startSec, lengthSec } = entry;
    yield { tag, startSec, lengthSec, histogram: decode(entry) };
  }
  if (!isLog) {
    throw new HdrscopeError(
      'ERR_LOG_FORMAT',
      'it must be an interval log or percentile text, and has no interval',
    );
  }
}

const MS_PER = { ns: 1e-6, us: 1e-3, s: 1e3 };

async function readPercentileText(
  source: AsyncIterable<Uint8Array>,
  valueScale: number,
): Promise<ReadHistogram> {
  const { text, isCut } = await readUpTo(source, LARGEST_TEXT_BYTES);
  if (isCut) {
    throw new HdrscopeError('ERR_TOO_LARGE', 'percentile text must be shorter than 64 MiB');
  }
  const { unit, ...found } = parsePercentileText(text, { valueScale });
  const { histogram } =
    unit === undefined || unit === 'ms'
      ? found
      : parsePercentileText(text, { valueScale: valueScale * MS_PER[unit] });
  return { tag: undefined, startSec: 0, lengthSec: 0, histogram };
}

function decode(interval: LogInterval): Histogram | undefined {
  try {
    const histogram = interval.histogram({ storage: 'sparse' });
    return histogram instanceof DoubleHistogram ? undefined : histogram;
  } catch {
    return undefined;
  }
}
