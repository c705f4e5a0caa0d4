/** The schemas that Prometheus takes: https://prometheus.io/docs/specs/native_histograms/#schema */
export const MIN_SCHEMA = -4;
export const MAX_SCHEMA = 8;

/** The zero threshold where nobody knows a better one: the smallest that client libraries use. */
export const LEAST_ZERO_THRESHOLD: number = 2 ** -128;

/** Which buckets are used: runs of them, each so many after the last one of the run before. */
export interface Spans {
  /** Of run `i`: of the first the index of its first bucket, of a later one how many unused buckets come before it. */
  readonly offsets: readonly number[];
  readonly lengths: readonly number[];
  /** Of each bucket in all runs, the difference to the one before it. */
  readonly deltas: readonly number[];
}

// A span costs about as much as two empty buckets, so shorter gaps are filled: what client_golang does.
const LONGEST_FILLED_GAP = 2;

/**
 * Buckets as Prometheus writes them. Its index of a bucket is that of the upper bound, one more than OpenTelemetry's.
 * Source: https://prometheus.io/docs/specs/native_histograms/#buckets
 *
 * The counts 4, 0, 6, 0, 0, 0, 1 from the offset -3 on have the offsets -2 and 3, the lengths 3 and 1, and the deltas
 * 4, -4, 6 and -5: the first gap is filled, the second is not.
 */
export function spansOf(offset: number, counts: readonly number[]): Spans {
  const offsets: number[] = [];
  const lengths: number[] = [];
  const deltas: number[] = [];
  let previous = 0;
  let end = 0; // the bucket after the last one in a span
  for (let i = 0; i < counts.length; i++) {
    const count = counts[i]!;
    if (count === 0) continue;
    const gap = i - end;
    if (offsets.length === 0) {
      offsets.push(offset + i + 1);
      lengths.push(1);
    } else if (gap > LONGEST_FILLED_GAP) {
      offsets.push(gap);
      lengths.push(1);
    } else {
      for (let filled = 0; filled < gap; filled++) {
        deltas.push(0 - previous);
        previous = 0;
      }
      lengths[lengths.length - 1]! += gap + 1;
    }
    deltas.push(count - previous);
    previous = count;
    end = i + 1;
  }
  return { offsets, lengths, deltas };
}
