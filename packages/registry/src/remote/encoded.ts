import type { Attributes } from '../attributes.ts';
import { OVERFLOW_ATTRIBUTES } from '../family.ts';
import type { SeriesSnapshot } from '../series.ts';
import { toBase64 } from './base64.ts';

interface Encoded {
  readonly totalCount: number;
  readonly text: string;
}

/** By the attributes of a series, which are its own object, the same in all its snapshots. */
const lastEncoded = new WeakMap<Attributes, Encoded>();

/** The V2 encoding of a series' counts as base64. Most series are idle: what was encoded already is not encoded again. */
export function encodedHistogram({ attributes, histogram }: SeriesSnapshot): string {
  const { totalCount } = histogram;
  const last = lastEncoded.get(attributes);
  // Counts are only added: as many values are the same values.
  if (last?.totalCount === totalCount) return last.text;
  const text = toBase64(histogram.encode());
  // All families share these.
  if (attributes !== OVERFLOW_ATTRIBUTES) lastEncoded.set(attributes, { totalCount, text });
  return text;
}
