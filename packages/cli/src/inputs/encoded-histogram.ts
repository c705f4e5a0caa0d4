import { DoubleHistogram, HdrscopeError, Histogram } from '@hdrscope/core';
import { Refusal } from '../command.ts';

/** Whether a text begins like encoded histograms: every encoding begins with `HIST` or `DHIST` in Base64. */
export function isEncoded(beginning: string): boolean {
  return /^\s*D?HIST[A-Za-z0-9+/=\s]+$/.test(beginning);
}

/**
 * Decodes one or several encoded histograms and adds them up. Each may be broken into lines.
 *
 * @param name The name of the text in messages.
 * @throws Refusal
 */
export function decodeEncoded(text: string, name: string): Histogram | DoubleHistogram {
  const [first = '', ...others] = text
    .trim()
    .split(/\s+(?=D?HIST)/)
    .map((encoded) => encoded.replace(/\s+/g, ''));
  try {
    const sum = first.startsWith('D') ? DoubleHistogram.decode(first) : Histogram.decode(first);
    for (const other of others) sum.addEncoded(other);
    return sum;
  } catch (error) {
    if (!(error instanceof HdrscopeError)) throw error;
    throw new Refusal(`${name}: ${error.message}`, { cause: error });
  }
}
