/**
 * The figures of a distribution, and everything that shows them: a new figure is a column in `NAMED`, a new format a function of
 * `Figures`. docs/formats/percentiles.schema.json describes the documents.
 */

import { type Bounds, HistogramSum } from '@hdrscope/core';
import { exactly, meanBounds } from '@hdrscope/core/internal';
import type { LogHistogram } from '@hdrscope/interval-log';
import { formatBounds, percentileName, suggestion } from '@hdrscope/kit';
import type { CountedUnit } from '@hdrscope/registry';
import { percentileOf } from './arguments.ts';
import { UsageError } from './command.ts';
import { defineOption } from './define-command.ts';
import { decimalText, formatCount } from './format.ts';
import { DEFAULT_PERCENTILES } from './options.ts';
import type { Column } from './screen/table.ts';
import { type ValueScale, valueFormat } from './value-scale.ts';

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
export function figuresOf(histogram: LogHistogram, options: FiguresOptions): Figures {
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
function numberOf(figure: Figure): number {
  // Bounds may be computed when they are read.
  return figure.value ?? figure.upper;
}

/** Values per second; `undefined` when no time passed. */
export function rateOf({ count, seconds = 0 }: Figures): number | undefined {
  return seconds > 0 && count !== undefined ? Number(count) / seconds : undefined;
}

// Columns of tables.

/** A figure as a column of tables. */
export interface FigureColumn extends Column {
  readonly of: (figures: Figures) => Figure;
  /** The text of a figure that is no value of the distribution. @default as all values of the table, in the unit */
  readonly text?: (value: number, figures: Figures) => string;
}

interface NamedColumn extends Omit<FigureColumn, 'title'> {
  /** @default the name */
  readonly title?: string;
}

/** The columns that have a name. */
const NAMED: Readonly<Record<string, NamedColumn>> = {
  count: {
    of: ({ count = Number.NaN }) => exactly(Number(count)),
    // Counts of Ceph may be beyond the integers of a double.
    text: (_, { count = 0 }) => formatCount(count),
  },
  rate: {
    title: 'rate/s',
    spare: 1,
    of: (figures) => exactly(rateOf(figures) ?? Number.NaN),
    text: (rate) => decimalText(rate, 1),
  },
  min: { spare: 3, of: ({ min }) => min },
  mean: { spare: 2, of: ({ mean }) => mean },
  max: { of: ({ max }) => max },
  stdev: { of: ({ stdev = UNKNOWN }) => stdev },
};

/** The columns of these names: those of `NAMED`, and percentiles as in `p99.9`. */
function figureColumns(names: readonly string[]): FigureColumn[] {
  return names.map((name) => {
    const named = NAMED[name];
    if (named !== undefined) return { title: name, ...named };
    const percentile = percentileOf(name)!;
    return {
      title: percentileName(percentile),
      of: ({ percentiles }) => percentiles.find((one) => one.percentile === percentile) ?? UNKNOWN,
    };
  });
}

/**
 * The columns that a command line asks for.
 *
 * @param first Those before the percentiles without `--columns`.
 * @param last Those behind them.
 */
export function columnsFor(
  { columns, percentiles }: ColumnOptions,
  first: readonly string[],
  last: readonly string[] = ['max'],
): FigureColumn[] {
  if (columns !== undefined) return figureColumns(columns);
  const titles = percentiles.map(percentileName);
  return figureColumns([...first, ...titles.filter((title) => !last.includes(title)), ...last]);
}

/** The cells of a table for people: all values in one format, with bounds where there are some, and `-` for what is not known. */
export function figureCells(
  columns: readonly FigureColumn[],
  all: readonly Figures[],
  unit: ValueScale['unit'],
): string[][] {
  const rows = all.map((figures) => columns.map(({ of }) => of(figures)));
  const ends = rows
    .flatMap((row, i) =>
      row.flatMap((figure, at) => {
        if (columns[at]!.text !== undefined) return [];
        return all[i]!.areBounds === true ? [figure.lower, figure.upper] : numberOf(figure);
      }),
    )
    .filter(Number.isFinite);
  const format = valueFormat(ends, { divisor: 1, unit });
  return rows.map((row, i) =>
    row.map((figure, at) => {
      const { text } = columns[at]!;
      if (Number.isNaN(numberOf(figure))) return '-';
      if (text !== undefined) return text(figure.upper, all[i]!);
      return all[i]!.areBounds === true ? formatBounds(figure, format) : format(numberOf(figure));
    }),
  );
}

/** The cells of a row for people, with the bounds of each value: `2 to 4`. */
export function boundsCells(
  columns: readonly FigureColumn[],
  figures: Figures,
  boundsText: (bounds: Bounds) => string,
): string[] {
  return columns.map(({ of, text }) => {
    const bounds = of(figures);
    if (text === undefined) return boundsText(bounds);
    return Number.isNaN(bounds.upper) ? '-' : text(bounds.upper, figures);
  });
}

/** The titles of CSV, with the unit of the values; empty when they have none, or each row has its own. */
export function csvTitles(columns: readonly FigureColumn[], unit: string): string[] {
  return columns.map(({ title, text }) => {
    const name = title.replace('/', '_per_');
    return unit === '' || text !== undefined ? name : `${name}_${unit}`;
  });
}

/** The cells of CSV: the values, and nothing for what is not known. */
export function csvCells(columns: readonly FigureColumn[], figures: Figures): (number | string)[] {
  return columns.map(({ of }) => {
    const value = numberOf(of(figures));
    return Number.isNaN(value) ? '' : value;
  });
}

// The option.

/** Which figures a table shows. */
export interface ColumnOptions {
  /** Names of columns. */
  readonly columns?: readonly string[];
  readonly percentiles: readonly number[];
}

/**
 * `--columns`: the figures that a table shows, by their names.
 *
 * @param formats The formats that are tables, for the help.
 * @param unknown The figures that the command does not know.
 */
export function columnsOption(formats: string, unknown: readonly string[] = []) {
  const names = Object.keys(NAMED).filter((name) => !unknown.includes(name));
  return defineOption({
    value: '<list>',
    help: `the figures to show in ${formats}: ${names.join(', ')} and percentiles, as in count,mean,p99`,
    parse: (text: string) => text.split(',').map((part) => parseColumn(part.trim(), names)),
    fallback: 'all, with --percentiles',
  });
}

/** @throws UsageError */
function parseColumn(name: string, names: readonly string[]): string {
  if (names.includes(name)) return name;
  const percentile = /^p\d/.test(name) ? percentileOf(name) : undefined;
  if (percentile !== undefined) return percentileName(percentile);
  const cure =
    suggestion(name, names) || `: the columns are ${names.join(', ')} and percentiles, as in count,mean,p99`;
  throw new UsageError(`--columns has no column '${name}'${cure}`);
}

/**
 * The percentiles that an output needs.
 *
 * @param isTable Whether the output has columns.
 * @throws UsageError when `--columns` has no effect, or `--percentiles` has none beside it.
 */
export function percentilesFor({ columns, percentiles }: ColumnOptions, isTable: boolean): readonly number[] {
  if (columns === undefined) return percentiles;
  if (!isTable) throw new UsageError('--columns goes with a table: other formats have all figures');
  if (percentiles !== DEFAULT_PERCENTILES) {
    throw new UsageError('--columns names the percentiles, as in count,p99: leave --percentiles out');
  }
  return columns.flatMap((name) => (Object.hasOwn(NAMED, name) ? [] : percentileOf(name)!));
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
  const value = Math.max(lower, Math.min(upper, numberOf(figure)));
  return { value: finite(value), ...boundsJson({ lower, upper }) };
}

/** Bounds for programs. */
export function boundsJson({ lower, upper }: Bounds): BoundsJson {
  return { lower: finite(lower), upper: finite(upper) };
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

/** A document of JSON for a whole output. */
export function jsonDocument(document: object): string {
  return `${JSON.stringify(document, undefined, 2)}\n`;
}
