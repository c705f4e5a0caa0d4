import type { Counted } from '../counted.ts';
import { mustBe } from '../errors.ts';
import { assertHdrCounted } from '../histogram/operands.ts';
import type { HdrLayout } from '../layout/hdr.ts';
import { assertOptions } from '../options.ts';

/** Options of an interval. */
export interface ConfidenceOptions {
  /**
   * The probability with which the interval is to contain what it estimates: above 0 and below 1.
   * @default 0.95
   */
  readonly confidence?: number;
}

const DEFAULT_CONFIDENCE = 0.95;

/**
 * The confidence asked for.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when it is not above 0 and below 1, or there are other options.
 */
export function confidenceOf(name: string, options: ConfidenceOptions): number {
  assertOptions<ConfidenceOptions>(options, { name, names: { confidence: true } });
  const { confidence = DEFAULT_CONFIDENCE } = options;
  if (typeof confidence === 'number' && confidence > 0 && confidence < 1) return confidence;
  throw mustBe('ERR_INVALID_OPTION', 'confidence', 'a number above 0 and below 1', confidence);
}

/**
 * Stricter than `valueAtPercentile`, which reads percentiles outside [0, 100] as 0 or 100.
 *
 * @throws HdrscopeError `ERR_INVALID_VALUE` when the percentile is outside [0, 100].
 */
export function assertPercentile(percentile: number): void {
  if (!(typeof percentile === 'number' && percentile >= 0 && percentile <= 100)) {
    throw mustBe('ERR_INVALID_VALUE', 'percentile', 'a number from 0 to 100', percentile);
  }
}

/**
 * Two histograms with their counts at one moment. Shared storage copies the counts at each read.
 *
 * @throws HdrscopeError `ERR_INCOMPATIBLE` when an argument has no integers.
 */
export function atOneMoment(
  caller: string,
  a: Counted<HdrLayout>,
  b: Counted<HdrLayout>,
): [Counted<HdrLayout>, Counted<HdrLayout>] {
  assertHdrCounted(caller, a);
  assertHdrCounted(caller, b);
  return [
    { layout: a.layout, counts: a.counts, placedFrom: a.placedFrom },
    { layout: b.layout, counts: b.counts, placedFrom: b.placedFrom },
  ];
}

/**
 * Refuses what cannot be computed, since a NaN in a report would not show its cause.
 *
 * @throws HdrscopeError `ERR_INCOMPATIBLE` when a histogram has fewer than `atLeast` values.
 */
export function assertHolds(
  caller: string,
  atLeast: number,
  histograms: readonly Counted<HdrLayout>[],
): void {
  for (const { counts } of histograms) {
    if (counts.total < atLeast) {
      const name = histograms.length === 1 ? 'the histogram' : 'each histogram';
      throw mustBe(
        'ERR_INCOMPATIBLE',
        `${caller}: the count of ${name}`,
        `at least ${atLeast}`,
        counts.total,
      );
    }
  }
}
