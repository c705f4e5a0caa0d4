import { DoubleHistogram, HdrscopeError, Histogram } from '@hdrscope/core';
import { Slices } from '@hdrscope/kit';
import { Refusal } from '../command.ts';

/** Whether a text begins like encoded histograms: every encoding begins with `HIST` or `DHIST` in Base64. */
export function isEncoded(beginning: string): boolean {
  return /^\s*D?HIST[A-Za-z0-9+/=\s]+$/.test(beginning);
}

/**
 * Decodes one or several encoded histograms and adds them up. Each may be broken into lines.
 *
 * @param name The name of the text in messages.
 * @param onPause Called after each slice of work. An error that it throws ends the work.
 * @throws Refusal
 */
export async function decodeEncoded(
  text: string,
  name: string,
  onPause: () => void = () => {},
): Promise<Histogram | DoubleHistogram> {
  const slices = new Slices();
  let sum: Histogram | DoubleHistogram | undefined;
  try {
    for (const encoded of encodedOf(text)) {
      if (sum !== undefined) sum.addEncoded(encoded);
      else sum = encoded.startsWith('D') ? DoubleHistogram.decode(encoded) : Histogram.decode(encoded);
      if (!slices.isOver()) continue;
      await slices.next();
      onPause();
    }
    return sum!;
  } catch (error) {
    if (!(error instanceof HdrscopeError)) throw error;
    throw new Refusal(`${name}: ${error.message}`, { cause: error });
  }
}

/** The encoded histograms of a text, without white space. */
function* encodedOf(text: string): Generator<string, void> {
  const spaced = text.trim().replace(/\s+/g, ' ');
  let start = 0;
  for (const { index } of spaced.matchAll(/ (?=D?HIST)/g)) {
    yield spaced.slice(start, index).replaceAll(' ', '');
    start = index + 1;
  }
  yield spaced.slice(start).replaceAll(' ', '');
}
