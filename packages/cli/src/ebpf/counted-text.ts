import type { Quantile } from '@hdrscope/core';
import { formatKernelBars, kernelQuantiles } from '@hdrscope/ebpf';
import type { Attributes } from '@hdrscope/registry';
import { formatCount, percentileTitle } from '../log/values.ts';
import { type Counted, shortened, totalOf } from './counted.ts';
import { formatValue, type ShownUnit } from './unit.ts';

/** `queue_hist{comm="osd"}` */
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

export function quantilesOf(counted: Counted, percentiles: readonly number[]): readonly Quantile[] {
  return kernelQuantiles(
    counted,
    percentiles.map((percentile) => percentile / 100),
  );
}

/** Between which values it is: `2 to 4`, `65 or more`. */
export function formatBounds(
  { lower, upper }: Pick<Quantile, 'lower' | 'upper'>,
  unit: ShownUnit = 'none',
): string {
  if (Number.isNaN(lower)) return '-';
  const [from, to] = [lower, upper].map((bound) => formatValue(bound, unit));
  if (from === to) return from!;
  if (upper === Number.POSITIVE_INFINITY) return `${from} or more`;
  return lower === Number.NEGATIVE_INFINITY ? `${to} or less` : `${from} to ${to}`;
}

/** How a histogram is shown to people. */
export interface ShownAs {
  readonly percentiles: readonly number[];
  readonly unit: ShownUnit;
}

/** Bars, and below them the total and percentiles. */
export function formatCounted(counted: Counted, { percentiles, unit }: ShownAs): string {
  const total = totalOf(counted);
  const head = titleOf(counted);
  if (total === 0) return `${head}\nnothing was counted\n`;
  const quantiles = quantilesOf(counted, percentiles);
  const mean = (sum: number): string => formatValue(Number((sum / total).toPrecision(3)), unit);
  const facts = [
    `total ${formatCount(total)}`,
    ...(counted.sum === undefined ? [] : [`mean ${mean(counted.sum)}`]),
    ...quantiles.map(
      (quantile, at) => `${percentileTitle(percentiles[at]!)} ${formatBounds(quantile, unit)}`,
    ),
  ];
  const bars = formatKernelBars(
    shortened(counted),
    unit === 'none' ? {} : { label: (bounds) => formatBounds(bounds, unit) },
  );
  return `${head}\n${bars}\n${facts.join('; ')}\n`;
}

/** The same for programs: slots that were hit, with their bounds; `null` where one is open. */
export function countedJson(counted: Counted, percentiles: readonly number[]): object {
  const { name, attributes, layout, counts, sum } = counted;
  const quantiles = quantilesOf(counted, percentiles);
  const bound = (value: number): number | null => (Number.isFinite(value) ? value : null);
  return {
    name,
    attributes,
    layout: layout.name,
    total: totalOf(counted),
    sum: sum ?? null,
    percentiles: Object.fromEntries(
      quantiles.map(({ lower, upper }, at) => [
        percentiles[at],
        { lower: bound(lower), upper: bound(upper) },
      ]),
    ),
    slots: [...counts.entries()]
      .filter(([, count]) => count > 0)
      .map(([slot, count]) => ({
        lower: bound(layout.slots.lower(slot)),
        upper: bound(layout.slots.upper(slot)),
        count,
      })),
  };
}
