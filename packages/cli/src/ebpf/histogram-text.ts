import { type Quantile, quantilesOf } from '@hdrscope/core';
import { meanBounds, usedSlots } from '@hdrscope/core/internal';
import { formatKernelBars, kernelQuantiles } from '@hdrscope/ebpf';
import type { Attributes, CountedUnit } from '@hdrscope/registry';
import { boundsJson, type DistributionJson } from '../figures.ts';
import { formatCount, percentileTitle } from '../format.ts';
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

/** How values are shown to people. */
export interface ShownAs {
  readonly percentiles: readonly number[];
  readonly unit: CountedUnit;
  /** Whether only ASCII is drawn. @default false */
  readonly ascii?: boolean;
  /** The length of a line. @default bars of 40 characters, and lines of any length */
  readonly columns?: number | undefined;
}

/** The values of a slot: `2 to 4`, `65 or more`. */
export function formatBounds(
  { lower, upper }: Pick<Quantile, 'lower' | 'upper'>,
  { unit, ascii }: Pick<ShownAs, 'unit' | 'ascii'>,
): string {
  if (Number.isNaN(lower)) return '-';
  const text = (bound: number): string => formatValue(bound, unit, ascii);
  if (upper === Number.POSITIVE_INFINITY) return `${text(lower)} or more`;
  if (lower === Number.NEGATIVE_INFINITY) return `${text(upper)} or less`;
  return text(lower) === text(upper) ? text(lower) : `${text(lower)} to ${text(upper)}`;
}

/**
 * Formats a histogram as bars, with the total and percentiles below them. The unit that the source knows comes before the given
 * one.
 */
export function formatHistogram(histogram: ShownHistogram, given: ShownAs): string {
  const shownAs = { ...given, unit: histogram.unit ?? given.unit };
  const { percentiles, unit, ascii = false, columns } = shownAs;
  const { total } = histogram.counts;
  const title = titleOf(histogram);
  if (total === 0) return `${title}\nnothing was counted\n`;
  const mean = (sum: number): string => formatValue(Number((sum / total).toPrecision(3)), unit, ascii);
  const facts = [
    `total ${formatCount(total)}`,
    ...(histogram.sum === undefined ? [] : [`mean ${mean(histogram.sum)}`]),
    ...percentilesOf(histogram, percentiles).map(
      (quantile, at) => `${percentileTitle(percentiles[at]!)} ${formatBounds(quantile, shownAs)}`,
    ),
  ];
  const bars = formatKernelBars(fittedToScreen(histogram), {
    ascii,
    ...(columns !== undefined && { columns }),
    ...(unit !== 'none' && { label: (bounds) => formatBounds(bounds, shownAs) }),
  });
  return `${title}\n${bars}\n${wrapped(facts, columns)}\n`;
}

/** Joins facts by semicolons, in lines of at most so many characters when one fact is not longer. */
function wrapped(facts: readonly string[], columns = Number.POSITIVE_INFINITY): string {
  return facts.reduce((text, fact) => {
    const line = text.slice(text.lastIndexOf('\n') + 1);
    const isTooLong = `${line}; ${fact};`.length > columns;
    return isTooLong ? `${text};\n${fact}` : `${text}; ${fact}`;
  });
}

/** What the kernel has beside the figures of every distribution. */
interface KernelJson extends DistributionJson {
  readonly attributes: Attributes;
  readonly layout: string;
  readonly sum: number | null;
  readonly slots: readonly object[];
}

/**
 * A histogram as JSON: its used slots with their bounds. An open bound is `null`. A percentile has the bounds of its slot, which are
 * certain, and two estimates: see `KernelQuantileOptions`.
 *
 * @param given The unit of the values where the source does not know it.
 */
export function histogramJson(
  histogram: ShownHistogram,
  percentiles: readonly number[],
  given: CountedUnit,
): KernelJson {
  const { name, attributes, layout, layoutName, counts, sum, unit = given } = histogram;
  const { total } = counts;
  const bound = (value: number): number | null => (Number.isFinite(value) ? value : null);
  const estimate = ({ value }: Quantile): number | null => bound(Number(value.toPrecision(6)));
  const shares = percentiles.map((percentile) => percentile / 100);
  const inclusive = kernelQuantiles(histogram, shares);
  const exclusive = kernelQuantiles(histogram, shares, { interpolation: 'exclusive' });
  const slots = Array.from(usedSlots(counts), ([slot, count]) => ({
    lower: bound(layout.lower(slot)),
    upper: bound(layout.upper(slot)),
    count,
  }));
  const mean = sum === undefined ? boundsJson(meanBounds(histogram)) : Number((sum / total).toPrecision(15));
  return {
    name,
    attributes,
    layout: layoutName,
    unit,
    count: total,
    min: total === 0 ? null : { from: slots[0]!.lower, to: slots[0]!.upper },
    mean: total === 0 ? null : mean,
    max: total === 0 ? null : { from: slots.at(-1)!.lower, to: slots.at(-1)!.upper },
    sum: sum ?? null,
    percentiles: percentilesOf(histogram, percentiles).map((quantile, at) => ({
      percentile: percentiles[at]!,
      ...boundsJson(quantile),
      inclusive: estimate(inclusive[at]!),
      exclusive: estimate(exclusive[at]!),
    })),
    slots,
  };
}
