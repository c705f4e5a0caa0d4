import { formatDecimal } from '@hdrscope/core';
import {
  countsOfSlots,
  type KernelCounts,
  type KernelQuantileOptions,
  kernelQuantiles,
} from '../quantile.ts';
import { type ShownSlots, shownSlots, slotLabel } from './slot-label.ts';

/** How a histogram is written. */
export interface KernelTextOptions extends KernelQuantileOptions, ShownSlots {
  /** From 0 to 100. @default [50, 99] */
  readonly percentiles?: readonly number[];
}

/**
 * A histogram as text: the total and some percentiles, then a line for each slot with its count and its share.
 *
 * A percentile in a slot that is open upwards is written as what it is at least: `p99=65+`, but for those of
 * `'exclusive'` interpolation, which makes up a number.
 *
 * @throws HdrscopeError `ERR_INVALID_VALUE`, `ERR_INVALID_OPTION`, `ERR_INVALID_COUNT`
 * @example
 * ```ts
 * import { formatKernelHistogram, queueDepthLayout } from '@hdrscope/ebpf';
 *
 * const depths = { layout: queueDepthLayout(), counts: [1200, 980, 1400, 800, 400, 30, 10, 1] };
 * formatKernelHistogram(depths).split('\n').slice(0, 4);
 * //=> ['total=4821  p50=2.3  p99=15.9', '  0:     1200   25%', '  1:      980   20%', '  2-4:   1400   29%']
 * ```
 */
export function formatKernelHistogram(
  counted: KernelCounts,
  { percentiles = [50, 99], interpolation = 'inclusive', rows = 'all' }: KernelTextOptions = {},
): string {
  const counts = countsOfSlots(counted);
  const total = counts.reduce((sum, count) => sum + count, 0);
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
  return [[`total=${total}`, ...summary].join('  '), ...slotLines(counted, counts, total, rows)].join('\n');
}

function slotLines(
  { layout: { slots } }: KernelCounts,
  counts: readonly number[],
  total: number,
  rows: 'all' | 'used',
): string[] {
  const shown = shownSlots(counts, rows);
  if (shown === undefined) return [];
  const lines = counts
    .map((count, slot) => ({ label: `${slotLabel(slots, slot)}:`, count }))
    .slice(shown[0], shown[1] + 1);
  const labelWidth = Math.max(...lines.map(({ label }) => label.length));
  const countWidth = Math.max(...lines.map(({ count }) => String(count).length));
  return lines.map(({ label, count }) => {
    const share = total === 0 ? 0 : Math.round((count / total) * 100);
    return `  ${label.padEnd(labelWidth)} ${String(count).padStart(countWidth)}  ${String(share).padStart(3)}%`;
  });
}
