/** The figures of a distribution as tables, and the option that chooses them: a new figure is a column in `NAMED`. */

import type { Bounds } from '@hdrscope/core';
import { exactly } from '@hdrscope/core/internal';
import {
  type Figure,
  type Figures,
  rateOf,
  readFigure,
  UNKNOWN,
  type ValueScale,
  valueFormat,
} from '@hdrscope/inputs/internal';
import { formatBounds, formatCount, percentileName, suggestion } from '@hdrscope/kit';
import { readPercentile } from './arguments.ts';
import { UsageError } from './command.ts';
import { defineOption } from './define-command.ts';
import { decimalText } from './format.ts';
import { DEFAULT_PERCENTILES } from './options.ts';
import type { Column } from './screen/table.ts';

// Columns.

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
    const percentile = readPercentile(name)!;
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
        return all[i]!.areBounds === true ? [figure.lower, figure.upper] : readFigure(figure);
      }),
    )
    .filter(Number.isFinite);
  const format = valueFormat(ends, { divisor: 1, unit });
  return rows.map((row, i) =>
    row.map((figure, at) => {
      const { text } = columns[at]!;
      if (Number.isNaN(readFigure(figure))) return '-';
      if (text !== undefined) return text(figure.upper, all[i]!);
      return all[i]!.areBounds === true ? formatBounds(figure, format) : format(readFigure(figure));
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
    const value = readFigure(of(figures));
    return Number.isNaN(value) ? '' : value;
  });
}

// The option.

export interface ColumnOptions {
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
  const percentile = /^p\d/.test(name) ? readPercentile(name) : undefined;
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
  return columns.flatMap((name) => (Object.hasOwn(NAMED, name) ? [] : readPercentile(name)!));
}

/** A document of JSON for a whole output. */
export function jsonDocument(document: object): string {
  return `${JSON.stringify(document, undefined, 2)}\n`;
}
