import { type Counted, type CountedTotal, countIndependent } from '../counted.ts';
import { mustBe } from '../errors.ts';
import { assertHdrCounted } from '../histogram/operands.ts';
import type { HdrLayout } from '../layout/hdr.ts';
import { assertOptions, custom, type OptionRule } from '../options.ts';

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
  assertOptions<ConfidenceOptions>(options, { name, names: { confidence: CONFIDENCE } });
  return options.confidence ?? DEFAULT_CONFIDENCE;
}

export const CONFIDENCE: OptionRule<number> = /* @__PURE__ */ custom<number>(
  'a number above 0 and below 1',
  (value) => typeof value === 'number' && value > 0 && value < 1,
);

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
 * @param atLeast How many independent values each has at least.
 * @throws HdrscopeError `ERR_INCOMPATIBLE` when an argument has no integers, or fewer values.
 */
export function atOneMoment(
  caller: string,
  a: Counted<HdrLayout>,
  b: Counted<HdrLayout>,
  atLeast = 1,
): [Counted<HdrLayout>, Counted<HdrLayout>] {
  assertHdrCounted(caller, a);
  assertHdrCounted(caller, b);
  const take = ({ layout, counts, placedFrom, weight }: Counted<HdrLayout>): Counted<HdrLayout> => ({
    layout,
    counts,
    placedFrom,
    weight,
  });
  const both: [Counted<HdrLayout>, Counted<HdrLayout>] = [take(a), take(b)];
  assertHolds(caller, atLeast, both);
  return both;
}

/**
 * Refuses what cannot be computed, since a NaN in a report would not show its cause.
 *
 * @throws HdrscopeError `ERR_INCOMPATIBLE` when a histogram has fewer than `atLeast` values.
 */
export function assertHolds(caller: string, atLeast: number, histograms: readonly CountedTotal[]): void {
  for (const histogram of histograms) {
    const count = countIndependent(histogram);
    if (count < atLeast) {
      const name = histograms.length === 1 ? 'the histogram' : 'each histogram';
      throw mustBe('ERR_INCOMPATIBLE', `${caller}: the count of ${name}`, `at least ${atLeast}`, count);
    }
  }
}
