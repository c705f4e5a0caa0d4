import type { Counted } from '../counted.ts';
import { mustBe } from '../errors.ts';
import { assertHdrCounted } from '../histogram/operands.ts';
import type { HdrLayout } from '../layout/hdr.ts';
import { assertOptions } from '../options.ts';

/** How sure an interval is to be. */
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

/** Stricter than `valueAtPercentile`, which takes what is outside as 0 or 100: no interval makes sense of that. */
export function assertPercentile(percentile: number): void {
  if (!(typeof percentile === 'number' && percentile >= 0 && percentile <= 100)) {
    throw mustBe('ERR_INVALID_VALUE', 'percentile', 'a number from 0 to 100', percentile);
  }
}

/** Histograms as of one moment. Those of shared storage copy their counts each time these are asked for. */
export function atOneMoment(
  caller: string,
  a: Counted<HdrLayout>,
  b: Counted<HdrLayout>,
): [Counted<HdrLayout>, Counted<HdrLayout>] {
  assertHdrCounted(caller, a);
  assertHdrCounted(caller, b);
  return [
    { layout: a.layout, counts: a.counts },
    { layout: b.layout, counts: b.counts },
  ];
}

/** What cannot be computed is refused: a NaN in the middle of a report says nothing about its cause. */
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
