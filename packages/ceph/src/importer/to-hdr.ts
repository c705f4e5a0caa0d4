import type { Histogram } from '@hdrscope/core';
import type { SlotValueStrategy } from '@hdrscope/core/internal';
import {
  assertFollows,
  having,
  integer,
  integersOf,
  listOf,
  lossyHdr,
  type OptionRules,
  object,
  oneOf,
  readOptions,
  withDefault,
} from '@hdrscope/core/internal';
import type { ValueRange } from '@hdrscope/core/joint';
import type { PerfHistogram } from '../histogram/perf-histogram.ts';

/** The options for converting an axis to an HDR histogram. */
export interface AxisToHdrOptions {
  /** Where in its slot each value is counted. */
  readonly strategy: SlotValueStrategy;
  /** Counts only values within these ranges. @default all values */
  readonly where?: readonly ValueRange[];
  /** From 0 to 5. The slots of Ceph are far wider than those of 2 digits. @default 2 */
  readonly significantDigits?: number;
}

/** An HDR histogram with values that nobody recorded. */
export interface LossyHdr {
  /** Its values are in the unit of the axis. Its tag names the strategy: `lossy-lower`. */
  readonly histogram: Histogram;
  /** Always true, so that JSON shows that the values are made up within their slots. */
  readonly lossy: true;
  /** Where in its slot each value was counted. */
  readonly strategy: SlotValueStrategy;
  /** The number of values in the underflow and the overflow. They count at the bound, and may lie far beyond it. */
  readonly open: number;
}

/**
 * The values of an axis as an HDR histogram, for tools that read no other format. The axis only knows the slot of a value,
 * and a log2 slot spans an octave: its lower end is up to 50 % too small, its upper end up to 100 % too large, the geometric
 * mean from 29 % too small to 41 % too large. In a slot that begins at 0 the relative error has no bound. The quantiles of
 * the `PerfHistogram` have bounds that are certain.
 *
 * @param axis The name of the axis, or its index from 0.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist, the strategy is unknown, or there is no such
 *   axis; `ERR_COUNT_OVERFLOW` when there are more than 2^53 − 1 values.
 * @example
 * ```ts
 * import { axisToHdr, PerfHistogram } from '@hdrscope/ceph';
 *
 * const sizes = new PerfHistogram([{ name: 'Size', scale: 'log2', min: 0, quantSize: 512, buckets: 32 }]);
 * sizes.record(4096);
 * const { histogram, open } = axisToHdr(sizes, 0, { strategy: 'lower' });
 * [histogram.min, histogram.tag, open]; //=> [4096, 'lossy-lower', 0]
 * ```
 */
export function axisToHdr(
  histogram: PerfHistogram,
  axis: string | number,
  options: AxisToHdrOptions,
): LossyHdr {
  assertFollows('the histogram', having<PerfHistogram>('a PerfHistogram', 'marginal'), histogram);
  const { strategy, where, significantDigits } = readOptions(options, AXIS_TO_HDR);
  const { layout, counts } = histogram.marginal(axis, where);
  const slots = integersOf(histogram.layouts.find((one) => one === layout)!);
  const { histogram: hdr, open } = lossyHdr({ layout: slots, counts }, strategy, significantDigits);
  hdr.tag = `lossy-${strategy}`;
  return { histogram: hdr, lossy: true, strategy, open };
}

const AXIS_TO_HDR = {
  name: 'axisToHdr',
  rules: {
    strategy: oneOf<SlotValueStrategy>(['lower', 'geometric', 'upper']),
    where: withDefault(listOf(object<ValueRange>(), 'ranges'), []),
    significantDigits: withDefault(integer({ from: 0, to: 5 }), 2),
  } satisfies OptionRules<AxisToHdrOptions>,
  call: "axisToHdr(histogram, 0, { strategy: 'upper' })",
};
