/**
 * The figures of a distribution, and their documents of JSON, which `readFigures` reads where they have an encoded histogram beside them.
 * docs/formats/percentiles.schema.json describes the documents.
 */
import { type Bounds, HistogramSum } from '@hdrscope/core';
import { type BoundedHistogram, exactly, meanBounds } from '@hdrscope/core/internal';
import type { LogHistogram } from '@hdrscope/interval-log';
import type { CountedUnit } from '@hdrscope/registry';
import type { ValueScale } from './value-scale.ts';

/** The bounds between which a figure certainly lies, and the number that stands for it where there is room for one. */
export interface Figure extends Bounds {
  /** @default the upper bound */
  readonly value?: number;
}

/** The figures of one distribution, in the unit in which they are shown. Bounds are `NaN` when nothing was counted. */
export interface Figures {
  readonly name: string;
  readonly unit: CountedUnit;
  /** `undefined` when it is unknown. */
  readonly count: number | bigint | undefined;
  /** The time in which the values were counted. @default it is not known */
  readonly seconds?: number;
  readonly min: Figure;
  readonly mean: Figure;
  readonly max: Figure;
  /** The standard deviation, which only a histogram knows. Computed when it is asked for. */
  readonly stdev?: Figure;
  /** In the order of the command line. */
  readonly percentiles: readonly PercentileFigure[];
  /** Whether tables for people have the bounds, as where values lie in wide slots. @default they have the values */
  readonly areBounds?: boolean;
}

/** A percentile. */
export interface PercentileFigure extends Figure {
  readonly percentile: number;
}

/** The bounds of what is not known, or of what nothing was counted. */
export const UNKNOWN: Bounds = exactly(Number.NaN);

/** Bounds without the estimate that came with them. */
export function withoutEstimate({ lower, upper }: Bounds): Bounds {
  return { lower, upper };
}

/** How the values of a histogram become figures. */
interface FiguresOptions extends Pick<Figures, 'name' | 'seconds'> {
  readonly unit: ValueScale['unit'] | CountedUnit;
  readonly percentiles: readonly number[];
  /** A value of the histogram in the unit. */
  readonly shown: (value: number) => number;
}

/** The figures of a histogram that has every value. The value of a percentile is the upper end of its slot. */
export function summarizeHistogram(histogram: LogHistogram, options: FiguresOptions): Figures {
  const { placedFrom = [] } = histogram;
  // Moved counts may have left their slots.
  if (placedFrom.length > 0) return figuresOfSum(sumOf(histogram), histogram, options);
  const slotOf = (value: number): Bounds => ({
    lower: histogram.lowestEquivalentValue(value),
    upper: histogram.highestEquivalentValue(value),
  });
  return makeFigures(histogram, options, {
    min: () => slotOf(histogram.min),
    mean: () => meanBounds(histogram),
    max: () => slotOf(histogram.max),
    stdev: () => sumOf(histogram).standardDeviation,
    percentile: (_, value) => slotOf(value),
  });
}

/** The figures of a sum, whose values are those of `histogram` unless histograms of unlike layouts were added up. */
export function figuresOfSum(sum: HistogramSum, histogram: LogHistogram, options: FiguresOptions): Figures {
  const find = {
    min: () => sum.min,
    mean: () => sum.mean,
    max: () => sum.max,
    stdev: () => sum.standardDeviation,
    percentile: (percentile: number) => sum.percentile(percentile),
  };
  return makeFigures(histogram, options, find, sum.layouts.length > 1);
}

/** The figures of a histogram that may know its values within bounds only. */
export function figuresOfRange(values: LogHistogram | BoundedHistogram, options: FiguresOptions): Figures {
  if (!('lowest' in values)) return summarizeHistogram(values, options);
  const [found, lowest, highest] = [values.histogram, values.lowest, values.highest].map((histogram) =>
    summarizeHistogram(histogram, options),
  ) as [Figures, Figures, Figures];
  const between = (of: (one: Figures) => Figure): Figure => ({
    ...of(found),
    lower: of(lowest).lower,
    upper: of(highest).upper,
  });
  return {
    ...found,
    min: between(({ min }) => min),
    mean: between(({ mean }) => mean),
    max: between(({ max }) => max),
    percentiles: options.percentiles.map((percentile, at) => ({
      percentile,
      ...between((one) => one.percentiles[at]!),
    })),
  };
}

function sumOf(histogram: LogHistogram): HistogramSum {
  const sum = new HistogramSum();
  sum.add(histogram);
  return sum;
}

/** Finds the bounds of figures. */
interface BoundsFinder extends Readonly<Record<'min' | 'mean' | 'max' | 'stdev', () => Bounds>> {
  readonly percentile: (percentile: number, value: number) => Bounds;
}

function makeFigures(
  histogram: LogHistogram,
  { name, unit, percentiles, shown, ...time }: FiguresOptions,
  find: BoundsFinder,
  areBounds = false,
): Figures {
  const { totalCount: count } = histogram;
  const figure = (value: number, bounds: () => Bounds): Figure =>
    count === 0 ? UNKNOWN : boundedLater(shown, bounds, areBounds ? {} : { value: shown(value) });
  const values = histogram.valuesAtPercentiles(percentiles);
  return {
    name,
    unit: unit === '' ? 'none' : unit,
    count,
    ...time,
    ...(areBounds && { areBounds }),
    min: figure(histogram.min, find.min),
    mean: figure(histogram.mean, find.mean),
    max: figure(histogram.max, find.max),
    get stdev() {
      return figure(histogram.standardDeviation, find.stdev);
    },
    percentiles: percentiles.map((percentile, at) => ({
      percentile,
      ...figure(values[at]!, () => find.percentile(percentile, values[at]!)),
    })),
  };
}

/** A figure whose bounds are computed when they are asked for, because tables have its value alone. */
function boundedLater(
  shown: FiguresOptions['shown'],
  bounds: () => Bounds,
  value: Pick<Figure, 'value'>,
): Figure {
  let known: Bounds | undefined;
  const end = (name: keyof Bounds): number => {
    known ??= bounds();
    return shown(known[name]);
  };
  return {
    ...value,
    get lower() {
      return end('lower');
    },
    get upper() {
      return end('upper');
    },
  };
}

/** The number that stands for a figure; `NaN` when nothing was counted. */
export function readFigure(figure: Figure): number {
  // Bounds may be computed when they are read.
  return figure.value ?? figure.upper;
}

/** Values per second; `undefined` when no time passed. */
export function rateOf({ count, seconds = 0 }: Figures): number | undefined {
  return seconds > 0 && count !== undefined ? Number(count) / seconds : undefined;
}

// Documents of JSON.

/** Bounds between which a number certainly lies, both inclusive; `null` where one is open or nothing was counted. */
export interface BoundsJson {
  readonly lower: number | null;
  readonly upper: number | null;
}

/** A figure: its bounds, and the number that stands for it; `null` where it is infinite or nothing was counted. */
export interface FigureJson extends BoundsJson {
  readonly value: number | null;
}

/** The figures of one distribution, as every command prints them. */
export interface DistributionJson {
  readonly name: string;
  /** The unit of the values. */
  readonly unit: CountedUnit;
  /** `null` when the number of values is unknown. */
  readonly count: number | bigint | null;
  readonly min: FigureJson;
  readonly mean: FigureJson;
  readonly max: FigureJson;
  /** In the order of the command line. */
  readonly percentiles: readonly ({ readonly percentile: number } & FigureJson)[];
}

/** Figures for programs. */
export function figuresJson({ name, unit, count, min, mean, max, percentiles }: Figures): DistributionJson {
  return {
    name,
    unit,
    count: count ?? null,
    min: figureJson(min),
    mean: figureJson(mean),
    max: figureJson(max),
    percentiles: percentiles.map(({ percentile, ...figure }) => ({ percentile, ...figureJson(figure) })),
  };
}

/** A figure for programs. */
export function figureJson(figure: Figure): FigureJson {
  const { lower, upper } = figure;
  // Rounding must not carry the value out of its bounds.
  const value = Math.max(lower, Math.min(upper, readFigure(figure)));
  return { value: finite(value), ...boundsJson({ lower, upper }) };
}

/** Bounds for programs. */
export function boundsJson({ lower, upper }: Bounds): BoundsJson {
  return { lower: finite(lower), upper: finite(upper) };
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
