/**
 * The figures of a distribution, and everything that shows them: a new figure is a column in `NAMED`, a new format a function of
 * `Figures`. docs/formats/percentiles.schema.json describes the documents.
 */
import type { Bounds } from '@hdrscope/core';
import type { LogHistogram } from '@hdrscope/interval-log';
import type { CountedUnit } from '@hdrscope/registry';
import { Option } from 'commander';
import { percentileOf } from './arguments.ts';
import { UsageError } from './command.ts';
import { decimalText, formatCount, percentileTitle } from './format.ts';
import { suggestion } from './nearest.ts';
import { DEFAULT_PERCENTILES } from './shared-options.ts';
import type { Column } from './table.ts';
import { type ValueScale, valueFormat } from './value-scale.ts';

/** The figures of one distribution, in the unit in which they are shown. Bounds are `NaN` when nothing was counted. */
export interface Figures {
  readonly name: string;
  readonly unit: CountedUnit;
  readonly count: number;
  /** The time in which the values were counted. @default it is not known */
  readonly seconds?: number;
  readonly min: Bounds;
  readonly mean: Bounds;
  readonly max: Bounds;
  /** The standard deviation, which only a histogram knows. Computed when it is asked for. */
  readonly stdev?: Bounds;
  /** In the order of the command line. */
  readonly percentiles: readonly PercentileFigure[];
  /** Whether documents state the slot of a percentile, even where it has one value. @default they state a value */
  readonly hasSlots?: boolean;
}

/** The bounds of a percentile. */
export interface PercentileFigure extends Bounds {
  readonly percentile: number;
}

/** The bounds of a number that is known exactly. */
export function exactly(value: number): Bounds {
  return { lower: value, upper: value };
}

const UNKNOWN = exactly(Number.NaN);

/** How the values of a histogram become figures. */
interface FiguresOptions extends Pick<Figures, 'name' | 'seconds'> {
  readonly unit: ValueScale['unit'] | CountedUnit;
  readonly percentiles: readonly number[];
  /** A value of the histogram in the unit. */
  readonly shown: (value: number) => number;
}

/** The figures of a histogram that has every value: a value is the upper end of its slot. */
export function figuresOf(
  histogram: LogHistogram,
  { name, unit, percentiles, shown, ...time }: FiguresOptions,
): Figures {
  const isEmpty = histogram.totalCount === 0;
  const figure = (value: number): Bounds => (isEmpty ? UNKNOWN : exactly(shown(value)));
  const values = histogram.valuesAtPercentiles(percentiles);
  return {
    name,
    unit: unit === '' ? 'none' : unit,
    count: histogram.totalCount,
    ...time,
    min: figure(histogram.min),
    mean: figure(histogram.mean),
    max: figure(histogram.max),
    get stdev() {
      return figure(histogram.standardDeviation);
    },
    percentiles: percentiles.map((percentile, at) => ({ percentile, ...figure(values[at]!) })),
  };
}

/** Values per second; `undefined` when no time passed. */
export function rateOf({ count, seconds = 0 }: Figures): number | undefined {
  return seconds > 0 ? count / seconds : undefined;
}

// Columns of tables.

/** A figure as a column of tables. */
export interface FigureColumn extends Column {
  readonly of: (figures: Figures) => Bounds;
  /** The text of a figure that is no value of the distribution. @default as all values of the table, in the unit */
  readonly text?: (value: number) => string;
}

interface NamedColumn extends Omit<FigureColumn, 'title'> {
  /** @default the name */
  readonly title?: string;
  /** Whether only histograms of a log have the figure, and not the groups of a history. */
  readonly isOfLogs?: boolean;
}

/** The columns that have a name. */
const NAMED: Readonly<Record<string, NamedColumn>> = {
  count: { of: ({ count }) => exactly(count), text: formatCount },
  rate: {
    title: 'rate/s',
    spare: 1,
    isOfLogs: true,
    of: (figures) => exactly(rateOf(figures) ?? Number.NaN),
    text: (rate) => decimalText(rate, 1),
  },
  min: { spare: 3, of: ({ min }) => min },
  mean: { spare: 2, of: ({ mean }) => mean },
  max: { of: ({ max }) => max },
  stdev: { isOfLogs: true, of: ({ stdev = UNKNOWN }) => stdev },
};

/** The columns of these names: those of `NAMED`, and percentiles as in `p99.9`. */
function figureColumns(names: readonly string[]): FigureColumn[] {
  return names.map((name) => {
    const named = NAMED[name];
    if (named !== undefined) return { title: name, ...named };
    const percentile = percentileOf(name)!;
    return {
      title: percentileTitle(percentile),
      of({ percentiles }) {
        const found = percentiles.find((one) => one.percentile === percentile) ?? UNKNOWN;
        // The lowest value is at the lower end of its slot.
        return percentile === 0 ? exactly(found.lower) : found;
      },
    };
  });
}

/** The columns that a command line asks for. @param usual Those before the percentiles without `--columns`. */
export function columnsFor(
  { columns, percentiles }: ColumnOptions,
  usual: readonly string[],
): FigureColumn[] {
  if (columns !== undefined) return figureColumns(columns);
  const others = percentiles.filter((percentile) => percentile !== 100);
  return figureColumns([...usual, ...others.map(percentileTitle), 'max']);
}

/** The cells of a table for people: all values in one format, by the upper bound, and `-` for what is not known. */
export function figureCells(
  columns: readonly FigureColumn[],
  all: readonly Figures[],
  unit: ValueScale['unit'],
): string[][] {
  const rows = all.map((figures) => columns.map(({ of }) => of(figures).upper));
  const values = rows.flatMap((row) => row.filter((_, at) => columns[at]!.text === undefined));
  const format = valueFormat(values, { divisor: 1, unit });
  return rows.map((row) =>
    row.map((value, at) => (Number.isNaN(value) ? '-' : (columns[at]!.text ?? format)(value))),
  );
}

/** The titles of CSV, with the unit of the values; empty when they have none, or each row has its own. */
export function csvTitles(columns: readonly FigureColumn[], unit: string): string[] {
  return columns.map(({ title, text }) => {
    const name = title.replace('/', '_per_');
    return unit === '' || text !== undefined ? name : `${name}_${unit}`;
  });
}

/** The cells of CSV: the upper bounds, and nothing for what is not known. */
export function csvCells(columns: readonly FigureColumn[], figures: Figures): (number | string)[] {
  return columns.map(({ of }) => {
    const { upper } = of(figures);
    return Number.isNaN(upper) ? '' : upper;
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
 */
export function columnsOption(formats: string, source: 'log' | 'history' = 'log'): Option {
  const names = Object.keys(NAMED).filter((name) => source === 'log' || NAMED[name]!.isOfLogs !== true);
  const help = `the figures to show in ${formats}: ${names.join(', ')} and percentiles, as in count,mean,p99`;
  return new Option('--columns <list>', help)
    .argParser((text) => text.split(',').map((part) => parseColumn(part.trim(), names)))
    .default(undefined, 'all, with --percentiles');
}

/** @throws UsageError */
function parseColumn(name: string, names: readonly string[]): string {
  if (names.includes(name)) return name;
  const percentile = /^p\d/.test(name) ? percentileOf(name) : undefined;
  if (percentile !== undefined) return percentileTitle(percentile);
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

/** Bounds between which a value certainly lies, both inclusive; `null` where one is open or nothing was counted. */
export interface BoundsJson {
  readonly from: number | null;
  readonly to: number | null;
}

/** A value, or the bounds of its slot where no more is known; `null` when nothing was counted. */
type FigureJson = number | null | BoundsJson;

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
  readonly percentiles: readonly ({ readonly percentile: number } & (
    | { readonly value: number | null }
    | BoundsJson
  ))[];
}

/** Figures for programs. */
export function figuresJson({
  name,
  unit,
  count,
  min,
  mean,
  max,
  percentiles,
  hasSlots = false,
}: Figures): DistributionJson {
  return {
    name,
    unit,
    count,
    min: figureJson(min),
    mean: figureJson(mean),
    max: figureJson(max),
    percentiles: percentiles.map(({ percentile, ...bounds }) => ({
      percentile,
      // The maximum is known apart from its slot.
      ...(hasSlots && percentile !== 100 ? boundsJson(bounds) : { value: finite(bounds.upper) }),
    })),
  };
}

function figureJson(bounds: Bounds): FigureJson {
  return bounds.lower < bounds.upper ? boundsJson(bounds) : finite(bounds.upper);
}

/** Bounds for programs: infinite ones are open, and `NaN` is unknown. */
export function boundsJson({ lower, upper }: Bounds): BoundsJson {
  return { from: finite(lower), to: finite(upper) };
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

/** A document of JSON for a whole output. */
export function jsonDocument(document: object): string {
  return `${JSON.stringify(document, undefined, 2)}\n`;
}
