import { DoubleHistogram, HdrscopeError, Histogram } from '@hdrscope/core';
import { Refusal } from '../command.ts';

/** Whether a text is nothing but encoded histograms, as far as its beginning tells: every encoding begins so in Base64. */
export function isEncoded(beginning: string): boolean {
  return /^\s*D?HIST[A-Za-z0-9+/=\s]+$/.test(beginning);
}

/**
 * Encoded histograms, one or several, added up. Each may be cut into lines.
 *
 * @param name What the text is called in messages.
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
