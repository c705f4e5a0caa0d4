/** The schemas that Prometheus supports: https://prometheus.io/docs/specs/native_histograms/#schema */
export const MIN_SCHEMA = -4;
export const MAX_SCHEMA = 8;

/** At the coarsest schema, so many buckets cover the range of every histogram, a factor of 2^53. */
export const LEAST_MAX_BUCKETS = 8;

/** The zero threshold when no better one is known: the smallest that client libraries use. */
export const LEAST_ZERO_THRESHOLD: number = 2 ** -128;

/** The used buckets as runs, in the form of Prometheus's protobuf. The next call of `spansOf` makes others of them. */
export interface Spans {
  /** How many runs there are. */
  length: number;
  /** For the first run the index of its first bucket, for a later run the number of unused buckets before it. */
  readonly offsets: number[];
  readonly lengths: number[];
  /** The place in the list of counts at which each run begins. */
  readonly starts: number[];
}

// A span costs about as much as two empty buckets, so shorter gaps are filled, as in client_golang.
const LONGEST_FILLED_GAP = 2;

const spans: Spans = { length: 0, offsets: [], lengths: [], starts: [] };

/**
 * Converts buckets to Prometheus's form. Prometheus numbers a bucket by its upper bound: one more than OpenTelemetry.
 * Source: https://prometheus.io/docs/specs/native_histograms/#buckets
 *
 * An example, from the offset -3. The first gap is filled; the second, of three buckets, is not.
 *
 * ```
 * bucket  -3  -2  -1   0   1   2   3
 * count    4   0   6   0   0   0   1
 * span    [offset -2]             [offset 3]
 *         [length  3]             [length 1]
 * delta    4  -4   6              -5      each count less the one before it
 * ```
 */
export function spansOf(offset: number, counts: readonly number[]): Spans {
  const { offsets, lengths, starts } = spans;
  let length = 0;
  let end = 0; // the bucket after the last one in a span
  for (let i = 0; i < counts.length; i++) {
    if (counts[i] === 0) continue;
    const gap = i - end;
    if (length > 0 && gap <= LONGEST_FILLED_GAP) lengths[length - 1]! += gap + 1;
    else {
      offsets[length] = length === 0 ? offset + i + 1 : gap;
      lengths[length] = 1;
      starts[length] = i;
      length++;
    }
    end = i + 1;
  }
  spans.length = length;
  return spans;
}
