import { DoubleHistogram, type Histogram, HistogramSum } from '@hdrscope/core';
import { assertOptions, having, mustBe, type OptionNames, type OptionsOwner } from '@hdrscope/core/internal';
import { Slices } from '@hdrscope/kit';
import { named, type ReadTextOptions, readText, TEXT_NAMES, type TextBytes } from './bytes.ts';

/** Whether a text begins like encoded histograms: every encoding begins with `HIST` or `DHIST` in Base64. */
export function isEncoded(beginning: string): boolean {
  return /^\s*D?HIST[A-Za-z0-9+/=\s]+$/.test(beginning);
}

/** How encoded histograms are read. */
export interface ReadEncodedOptions extends ReadTextOptions {
  /** Ends the reading. @default nothing does */
  readonly signal?: AbortSignal | undefined;
}

/** The rules of {@link ReadEncodedOptions}. */
export const READ_ENCODED_NAMES: OptionNames<ReadEncodedOptions> = {
  ...TEXT_NAMES,
  signal: having<AbortSignal>('an AbortSignal', 'throwIfAborted', 'addEventListener'),
};

const READ_ENCODED: OptionsOwner<ReadEncodedOptions> = {
  name: 'readEncoded',
  names: READ_ENCODED_NAMES,
  call: "readEncoded(bytes, { name: 'latencies.txt' })",
};

/**
 * Decodes one or several histograms in Base64, as `toBase64` writes them, and adds them up. White space separates them, and each may be
 * broken into lines. The sum has the finest layout whose slots contain those of all of them.
 *
 * @throws HdrscopeError `ERR_DECODE` when one is damaged, `ERR_INCOMPATIBLE` when only some are of doubles, `ERR_VALUE_OUT_OF_RANGE` when
 *   doubles are too far apart for one histogram, `ERR_TOO_LARGE` when the text has more than 64 MiB; the reason of the signal.
 * @example
 * ```ts
 * import { Histogram } from '@hdrscope/core';
 * import { readEncoded } from '@hdrscope/inputs';
 *
 * const histogram = new Histogram();
 * histogram.record(7);
 * const text = `${histogram.toBase64()}\n${histogram.toBase64()}\n`;
 * (await readEncoded(new TextEncoder().encode(text))).totalCount; //=> 2
 * ```
 */
export async function readEncoded(
  bytes: TextBytes,
  options: ReadEncodedOptions = {},
): Promise<Histogram | DoubleHistogram> {
  assertOptions(options, READ_ENCODED);
  return decodeEncoded(await readText(bytes, 'encoded histograms', options), options);
}

/** `readEncoded` of a text. */
export async function decodeEncoded(
  text: string,
  { name = 'the text', signal }: ReadEncodedOptions,
): Promise<Histogram | DoubleHistogram> {
  const slices = new Slices();
  const [integers, doubles] = [new HistogramSum(), new HistogramSum()];
  try {
    for (const encoded of encodedIn(text)) {
      if (encoded.startsWith('D')) doubles.add(DoubleHistogram.decode(encoded, { storage: 'sparse' }));
      else integers.addEncoded(encoded);
      if (!slices.isOver()) continue;
      await slices.next();
      signal?.throwIfAborted();
    }
    assertOneKind(integers, doubles);
    return doubles.layouts.length > 0 ? doubles.toDoubleHistogram() : integers.toHistogram();
  } catch (error) {
    throw named(error, name);
  }
}

function assertOneKind(integers: HistogramSum, doubles: HistogramSum): void {
  if (integers.layouts.length === 0 || doubles.layouts.length === 0) return;
  const allowed = 'all of integers, or all of doubles';
  throw mustBe('ERR_INCOMPATIBLE', 'encoded histograms', allowed, 'some of each');
}

/** The encoded histograms of a text, without white space. */
function* encodedIn(text: string): Generator<string, void> {
  const spaced = text.trim().replace(/\s+/g, ' ');
  let start = 0;
  for (const { index } of spaced.matchAll(/ (?=D?HIST)/g)) {
    yield spaced.slice(start, index).replaceAll(' ', '');
    start = index + 1;
  }
  yield spaced.slice(start).replaceAll(' ', '');
}
