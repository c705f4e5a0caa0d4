import { Histogram, mustBe } from '@hdrscope/core';
import type { PerfHistogram } from '../histogram/perf-histogram.ts';
import type { ValueRange } from '../histogram/value-range.ts';

/**
 * Which value of its slot a count becomes: `'lower'` never reports too much, `'upper'` never too little, `'geometric'` is
 * between, at the square root of both ends' product.
 */
export type LossyStrategy = 'lower' | 'geometric' | 'upper';

/** How an axis becomes an HDR histogram. */
export interface AxisToHdrOptions {
  readonly strategy: LossyStrategy;
  /** Only of what lies in these ranges of other axes. @default all */
  readonly where?: readonly ValueRange[];
  /** From 0 to 5. A slot of Ceph's is far wider than those of 2 digits. @default 2 */
  readonly significantDigits?: number;
}

/** An HDR histogram that tells values which nobody recorded. */
export interface LossyHdr {
  /** In the unit of the axis; its tag names the strategy, as in `lossy-lower`. */
  readonly histogram: Histogram;
  readonly lossy: true;
  readonly strategy: LossyStrategy;
  /** How many values were below or above all closed slots. They are counted at the bound, and may lie far beyond it. */
  readonly open: number;
}

/**
 * The values of an axis as an HDR histogram, for tools that read nothing else. The axis knows only which slot a value was
 * in, and a log2 slot spans an octave: by its lower end a value is reported up to 50 % too small, by its upper end up to
 * 100 % too large, by the geometric middle 29 % too small to 41 % too large; in a slot that begins at 0 no relative error
 * is bounded. Quantiles of the histogram itself have bounds that are certain.
 *
 * @param axis Its name, or its place from 0.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the strategy is none, or there is no such axis; `ERR_COUNT_OVERFLOW`.
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
  { strategy, where, significantDigits = 2 }: AxisToHdrOptions,
): LossyHdr {
  if (strategy !== 'lower' && strategy !== 'geometric' && strategy !== 'upper') {
    throw mustBe('ERR_INVALID_OPTION', 'strategy', "'lower', 'geometric' or 'upper'", strategy);
  }
  const { layout, counts } = histogram.marginal(axis, where);
  const hdr = new Histogram({ autoResize: true, significantDigits });
  let open = 0;
  for (let slot = counts.first; slot < counts.length; slot = counts.next(slot + 1)) {
    const [lower, upper] = [layout.lower(slot), layout.upper(slot) - 1];
    const count = counts.at(slot);
    if (Number.isFinite(lower) && Number.isFinite(upper)) hdr.record(valueIn(strategy, lower, upper), count);
    else {
      hdr.record(boundOf(lower, upper), count);
      open += count;
    }
  }
  hdr.tag = `lossy-${strategy}`;
  return { histogram: hdr, lossy: true, strategy, open };
}

/** HDR histograms have no values below 0. */
function valueIn(strategy: LossyStrategy, lower: number, upper: number): number {
  const [from, to] = [Math.max(0, lower), Math.max(0, upper)];
  if (strategy === 'lower') return from;
  if (strategy === 'upper') return to;
  return from === 0 ? Math.round(to / 2) : Math.round(Math.sqrt(from) * Math.sqrt(to));
}

function boundOf(lower: number, upper: number): number {
  if (Number.isFinite(lower)) return Math.max(0, lower);
  return Number.isFinite(upper) ? Math.max(0, upper) : 0;
}
