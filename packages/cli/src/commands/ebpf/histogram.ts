import { type Bounds, findQuantiles, type Quantile } from '@hdrscope/core';
import { exactly, meanBounds, usedSlots } from '@hdrscope/core/internal';
import { formatKernelBars, formatKernelHistogram } from '@hdrscope/ebpf';
import { kernelQuantiles, mergeToOctaves, type NamedCounts } from '@hdrscope/ebpf/internal';
import { type Figures, figuresJson, UNKNOWN, withoutEstimate } from '@hdrscope/inputs/internal';
import { formatBounds, formatCount, percentileName } from '@hdrscope/kit';
import { formatValue } from '@hdrscope/plot';
import type { Attributes, CountedUnit } from '@hdrscope/registry';
import { defineOption } from '../../define-command.ts';
import { UNIT } from '../../options.ts';

const MOST_ROWS = 40;

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
export function percentilesOf(histogram: NamedCounts, percentiles: readonly number[]): readonly Quantile[] {
  return findQuantiles(
    histogram,
    percentiles.map((percentile) => percentile / 100),
  );
}

export interface ShownAs {
  readonly percentiles: readonly number[];
  readonly unit: CountedUnit;
  /** Whether only ASCII is drawn. @default false */
  readonly ascii?: boolean;
  /** The length of a line. @default bars of 40 characters, and lines of any length */
  readonly columns?: number | undefined;
}

/** The bounds of a figure: `2 to 4`, `65 or more`. */
export function formatMapBounds(bounds: Bounds, { unit, ascii }: Pick<ShownAs, 'unit' | 'ascii'>): string {
  // Bounds of slots are integers, and means are not.
  const rounded = (bound: number): number => (Number.isInteger(bound) ? bound : Number(bound.toPrecision(3)));
  return formatBounds(bounds, (bound) => formatMapValue(rounded(bound), unit, ascii));
}

/**
 * Formats a histogram as bars, with the total and percentiles below them. The unit that the source knows comes before the given
 * one.
 */
export function formatHistogram(histogram: NamedCounts, given: ShownAs): string {
  const shownAs = { ...given, unit: histogram.unit ?? given.unit };
  const { percentiles, unit, ascii = false, columns } = shownAs;
  const { total } = histogram.counts;
  const title = titleOf(histogram);
  if (total === 0) return `${title}\nnothing was counted\n`;
  const mean = (sum: number): string => formatMapValue(Number((sum / total).toPrecision(3)), unit, ascii);
  const facts = [
    `total ${formatCount(total)}`,
    ...(histogram.sum === undefined ? [] : [`mean ${mean(histogram.sum)}`]),
    ...percentilesOf(histogram, percentiles).map(
      (quantile, at) => `${percentileName(percentiles[at]!)} ${formatMapBounds(quantile, shownAs)}`,
    ),
  ];
  const bars = formatKernelBars(mergeToOctaves(histogram, MOST_ROWS), {
    ascii,
    ...(columns !== undefined && { columns }),
    ...(unit !== 'none' && { label: (bounds) => formatMapBounds(bounds, shownAs) }),
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

/** The figures of a histogram: those of slots, and the mean where the program keeps a sum. */
export function kernelFigures(
  histogram: NamedCounts,
  { percentiles, unit: given }: Pick<ShownAs, 'percentiles' | 'unit'>,
  seconds?: number,
): Figures {
  const { name, counts, sum, unit = given } = histogram;
  const { total } = counts;
  const [min = UNKNOWN, max = UNKNOWN] = total === 0 ? [] : findQuantiles(histogram, [0, 1]);
  const known = sum === undefined ? meanBounds(histogram) : exactly(Number((sum / total).toPrecision(15)));
  return {
    ...{ name, unit, count: total, areBounds: true },
    min: withoutEstimate(min),
    max: withoutEstimate(max),
    mean: total === 0 ? UNKNOWN : known,
    ...(seconds !== undefined && { seconds }),
    percentiles: percentilesOf(histogram, percentiles).map((found, at) => ({
      percentile: percentiles[at]!,
      ...withoutEstimate(found),
    })),
  };
}

/**
 * A histogram as JSON: its used slots with their bounds. An open bound is `null`. A percentile has the bounds of its slot, which are
 * certain, and two estimates: see `KernelQuantileOptions`.
 *
 * @param given The unit of the values where the source does not know it.
 */
export function histogramJson(
  histogram: NamedCounts,
  percentiles: readonly number[],
  given: CountedUnit,
): object {
  const { attributes, layout, layoutName, counts, sum } = histogram;
  const bound = (value: number): number | null => (Number.isFinite(value) ? value : null);
  const shares = percentiles.map((percentile) => percentile / 100);
  const estimates = (interpolation: Interpolation): (number | null)[] =>
    kernelQuantiles(histogram, shares, { interpolation }).map(({ value }) =>
      bound(Number(value.toPrecision(6))),
    );
  const [inclusive, exclusive] = [estimates('inclusive'), estimates('exclusive')];
  const figures = kernelFigures(histogram, { percentiles, unit: given });
  const { name, unit, ...others } = figuresJson(figures);
  return {
    name,
    attributes,
    layout: layoutName,
    unit,
    ...others,
    sum: sum ?? null,
    percentiles: others.percentiles.map((one, at) => ({
      ...one,
      inclusive: inclusive[at]!,
      exclusive: exclusive[at]!,
    })),
    slots: Array.from(usedSlots(counts), ([slot, count]) => ({
      lower: bound(layout.lower(slot)),
      upper: bound(layout.upper(slot)),
      count,
    })),
  };
}

const INTERPOLATIONS = ['inclusive', 'exclusive'] as const;

/** How values spread in their slot: see `KernelQuantileOptions`. */
export type Interpolation = (typeof INTERPOLATIONS)[number];

/** `--text`: the form of the tutorial about queue-depth histograms, which shows estimates in place of bounds. */
export const TEXT_FORM = defineOption({
  value: '<interpolation>',
  help: 'prints counts with shares, and interpolated percentiles: inclusive stays within the slot, exclusive ends at the start of the next one',
  choices: INTERPOLATIONS,
});

/** Formats a histogram like that tutorial: `total=4821  p50=2.3  p99=15.9`, and a line for each slot. */
export function formatTextForm(
  histogram: NamedCounts,
  interpolation: Interpolation,
  percentiles: readonly number[],
): string {
  const rows = histogram.layout.slotCount > MOST_ROWS ? 'used' : 'all';
  return formatKernelHistogram(histogram, { interpolation, percentiles, rows });
}

export const MAP_UNIT = defineOption({
  ...UNIT,
  help: 'unit of the values: they are shown as times and sizes; the kernel does not know it',
  default: 'none',
});

/** A value of a map with its unit. @param ascii Whether microseconds are `us`. */
export function formatMapValue(value: number, unit: CountedUnit, ascii = false): string {
  const text = formatValue(value, unit);
  return ascii ? text.replace('µ', 'u') : text;
}
