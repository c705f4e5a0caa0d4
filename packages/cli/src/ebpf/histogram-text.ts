import { type Quantile, quantilesOf } from '@hdrscope/core';
import { usedSlots } from '@hdrscope/core/internal';
import { formatKernelBars } from '@hdrscope/ebpf';
import type { Attributes } from '@hdrscope/registry';
import { formatCount, percentileTitle } from '../format.ts';
import type { ValueUnit } from '../value-scale.ts';
import { fittedToScreen, type ShownHistogram } from './shown-histogram.ts';
import { formatValue } from './unit.ts';

/** Name and attributes of a histogram: `queue_hist{comm="osd"}`. */
export function titleOf({
  name,
  attributes,
}: {
  readonly name: string;
  readonly attributes: Attributes;
}): string {
  const entries = Object.entries(attributes).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  return entries.length === 0 ? name : `${name}{${entries.join(', ')}}`;
}

/** Percentiles of a histogram, each with the bounds of its slot. */
export function percentilesOf(
  histogram: ShownHistogram,
  percentiles: readonly number[],
): readonly Quantile[] {
  return quantilesOf(
    histogram,
    percentiles.map((percentile) => percentile / 100),
  );
}

/** The values of a slot: `2 to 4`, `65 or more`. */
export function formatBounds(
  { lower, upper }: Pick<Quantile, 'lower' | 'upper'>,
  unit: ValueUnit = 'none',
): string {
  if (Number.isNaN(lower)) return '-';
  const [from, to] = [lower, upper].map((bound) => formatValue(bound, unit));
  if (from === to) return from!;
  if (upper === Number.POSITIVE_INFINITY) return `${from} or more`;
  return lower === Number.NEGATIVE_INFINITY ? `${to} or less` : `${from} to ${to}`;
}

/** How histograms are shown to people. */
export interface ShownAs {
  readonly percentiles: readonly number[];
  readonly unit: ValueUnit;
}

/** Formats a histogram as bars, with the total and percentiles below them. */
export function formatHistogram(histogram: ShownHistogram, { percentiles, unit }: ShownAs): string {
  const { total } = histogram.counts;
  const title = titleOf(histogram);
  if (total === 0) return `${title}\nnothing was counted\n`;
  const mean = (sum: number): string => formatValue(Number((sum / total).toPrecision(3)), unit);
  const facts = [
    `total ${formatCount(total)}`,
    ...(histogram.sum === undefined ? [] : [`mean ${mean(histogram.sum)}`]),
    ...percentilesOf(histogram, percentiles).map(
      (quantile, at) => `${percentileTitle(percentiles[at]!)} ${formatBounds(quantile, unit)}`,
    ),
  ];
  const bars = formatKernelBars(
    fittedToScreen(histogram),
    unit === 'none' ? {} : { label: (bounds) => formatBounds(bounds, unit) },
  );
  return `${title}\n${bars}\n${facts.join('; ')}\n`;
}

/** A histogram as JSON: its used slots with their bounds. An open bound is `null`. */
export function histogramJson(histogram: ShownHistogram, percentiles: readonly number[]): object {
  const { name, attributes, layout, layoutName, counts, sum } = histogram;
  const bound = (value: number): number | null => (Number.isFinite(value) ? value : null);
  const slots = Array.from(usedSlots(counts), ([slot, count]) => ({
    lower: bound(layout.lower(slot)),
    upper: bound(layout.upper(slot)),
    count,
  }));
  return {
    name,
    attributes,
    layout: layoutName,
    total: counts.total,
    sum: sum ?? null,
    percentiles: Object.fromEntries(
      percentilesOf(histogram, percentiles).map(({ lower, upper }, at) => [
        percentiles[at],
        { lower: bound(lower), upper: bound(upper) },
      ]),
    ),
    slots,
  };
}
