import type { Attributes } from '../attributes.ts';
import { OVERFLOW_ATTRIBUTES } from '../family.ts';
import type { SeriesSnapshot } from '../series-snapshot.ts';
import { toBase64 } from './base64.ts';

interface Encoded {
  readonly totalCount: number;
  readonly text: string;
}

/** By the attributes of a series: all its snapshots share one object, which no other series has. */
const lastEncoded = new WeakMap<Attributes, Encoded>();

/**
 * The V2 encoding of a series' counts as base64. A series without new values is not encoded again, as most are idle.
 */
export function encodedHistogram({ attributes, histogram }: SeriesSnapshot): string {
  const { totalCount } = histogram;
  const last = lastEncoded.get(attributes);
  // Counts only grow, so an equal total means equal counts.
  if (last?.totalCount === totalCount) return last.text;
  const text = toBase64(histogram.encode());
  // All families share the attributes of the overflow series.
  if (attributes !== OVERFLOW_ATTRIBUTES) lastEncoded.set(attributes, { totalCount, text });
  return text;
}
