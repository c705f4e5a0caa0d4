import type { Counted, IntegerLayout } from '@hdrscope/core';
import { assertOptions, formatDecimal, type OptionsOwner } from '@hdrscope/core/internal';
import { type KernelCounts, totalsOf } from '../cpu-counts.ts';
import { type KernelQuantileOptions, kernelQuantiles } from '../quantile.ts';
import { type ShownSlots, shownSlots, slotLabel } from './slot-label.ts';
import { widest } from './widest.ts';

/** How a histogram is formatted. `rows` is `'all'` when it is left out. */
export interface KernelTextOptions extends KernelQuantileOptions, ShownSlots {
  /** Percentiles from 0 to 100. @default [50, 99] */
  readonly percentiles?: readonly number[];
}

/**
 * Formats a histogram for people: the total and percentiles, then one line for each slot with its count and share.
 *
 * A percentile in a slot that is open upwards shows its lower bound: `p99=65+`. With `'exclusive'` interpolation it shows the
 * number of that algorithm.
 *
 * @throws HdrscopeError `ERR_INVALID_VALUE` when a percentile is outside its range, `ERR_INVALID_OPTION` when an option does
 *   not exist, or the interpolation or `rows` is unknown, `ERR_INVALID_COUNT` as `sumOfCpus` does.
 * @example
 * ```ts
 * import { formatKernelHistogram, queueDepthLayout } from '@hdrscope/ebpf';
 *
 * const depths = { layout: queueDepthLayout(), counts: [1200, 980, 1400, 800, 400, 30, 10, 1] };
 * formatKernelHistogram(depths).split('\n').slice(0, 4);
 * //=> ['total=4821  p50=2.3  p99=15.9', '  0:     1200   25%', '  1:      980   20%', '  2-4:   1400   29%']
 * ```
 */
export function formatKernelHistogram(kernel: KernelCounts, options: KernelTextOptions = {}): string {
  assertOptions(options, FORMAT_KERNEL_HISTOGRAM);
  const { percentiles = [50, 99], interpolation = 'inclusive', rows = 'all' } = options;
  const counted = totalsOf(kernel);
  const quantiles = kernelQuantiles(
    counted,
    percentiles.map((percentile) => percentile / 100),
    { interpolation },
  );
  const summary = percentiles.map((percentile, i) => {
    const { value, open, upper } = quantiles[i]!;
    const isAtLeast = open && upper === Number.POSITIVE_INFINITY && interpolation === 'inclusive';
    const text = isAtLeast ? `${value}+` : Number.isNaN(value) ? '-' : formatDecimal(value, 1);
    return `p${percentile}=${text}`;
  });
  const head = [`total=${counted.counts.total}`, ...summary].join('  ');
  return [head, ...slotLines(counted, rows)].join('\n');
}

const FORMAT_KERNEL_HISTOGRAM: OptionsOwner<KernelTextOptions> = {
  name: 'formatKernelHistogram',
  names: { percentiles: true, interpolation: true, rows: true },
  call: 'formatKernelHistogram(counts, { percentiles: [50, 99] })',
};

function slotLines({ layout, counts }: Counted<IntegerLayout>, rows: 'all' | 'used'): string[] {
  const { total } = counts;
  const lines = shownSlots(counts, rows).map((slot) => ({
    label: `${slotLabel(layout, slot)}:`,
    count: counts.at(slot),
  }));
  const labelWidth = widest(lines.map(({ label }) => label));
  const countWidth = widest(lines.map(({ count }) => String(count)));
  return lines.map(({ label, count }) => {
    const share = total === 0 ? 0 : Math.round((count / total) * 100);
    return `  ${label.padEnd(labelWidth)} ${String(count).padStart(countWidth)}  ${String(share).padStart(3)}%`;
  });
}
