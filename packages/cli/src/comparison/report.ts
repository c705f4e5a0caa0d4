import type { Bounds, PercentileChange } from '@hdrscope/core';
import type { Io } from '../command.ts';
import {
  boundsJson,
  type Figure,
  type Figures,
  figureJson,
  figuresJson,
  figuresOf,
  jsonDocument,
} from '../figures.ts';
import { painter } from '../screen/colour.ts';
import { wrapToScreen } from '../screen/help-text.ts';
import { shownTable } from '../screen/table.ts';
import { scaled, type ValueScale } from '../value-scale.ts';
import { type ComparedRun, type Differences, exitCodeOf } from './index.ts';
import { wordsOf } from './words.ts';

/**
 * Prints the differences.
 *
 * @param more More keys of the document.
 * @returns The exit code.
 */
export async function printDifferences(
  differences: Differences,
  format: 'text' | 'json',
  io: Io,
  more: object = {},
): Promise<number> {
  const text =
    format === 'json'
      ? jsonDocument({ ...comparisonJson(differences), ...more })
      : textReport(differences, io);
  await io.stdout.write(text);
  return exitCodeOf(differences);
}

// Text.

const COLOURS: Readonly<Record<PercentileChange['change'], 'red' | 'green' | 'yellow' | 'dim'>> = {
  worse: 'red',
  better: 'green',
  'within tolerance': 'yellow',
  'cannot be judged': 'yellow',
  'no significant difference': 'dim',
};

/** A table and the sentences below it. */
function textReport(differences: Differences, io: Io): string {
  const { heading, columns, rows, sentences } = wordsOf(differences);
  const { percentiles } = differences.comparison;
  const paint = painter(io, io.stdout);
  const table = shownTable(columns, rows, io, (line, at) => {
    const label = rows[at]!.at(-1)!;
    const start = line.lastIndexOf(label);
    return start < 0
      ? line
      : line.slice(0, start) + paint(COLOURS[percentiles[at]!.change], line.slice(start));
  });
  const fitted = sentences.map((sentence) => wrapToScreen(sentence, io)).join('\n');
  return `${wrapToScreen(heading, io)}\n\n${table.join('\n')}\n\n${fitted}\n`;
}

// JSON.

/** The figures of all runs, and how each percentile has changed. */
export function comparisonJson({
  comparison,
  sides,
  confidence,
  tolerance,
  minRuns,
  unit,
  verdict,
}: Differences): object {
  const { percentiles, ground } = comparison;
  const inUnit = (value: number): number => scaled(value, unit);
  const asked = percentiles.map(({ percentile }) => percentile);
  const [before, after] = sides.map((side) => side.map((run) => figuresOfRun(run, unit, asked))) as [
    Figures[],
    Figures[],
  ];
  const areWide = [...before, ...after].some(({ areBounds }) => areBounds === true);
  return {
    before: sideJson(before, unit),
    after: sideJson(after, unit),
    confidence,
    tolerance,
    minRuns,
    ground,
    verdict,
    changes: percentiles.map(({ interval, relativeInterval, ...row }, at) => {
      const [was, is] = [before, after].map((runs) =>
        meanBounds(runs.map((run) => run.percentiles[at]!)),
      ) as [Bounds, Bounds];
      const difference = { lower: is.lower - was.upper, upper: is.upper - was.lower };
      return {
        percentile: row.percentile,
        before: figureJson({ ...was, value: areWide ? was.upper : inUnit(row.before) }),
        after: figureJson({ ...is, value: areWide ? is.upper : inUnit(row.after) }),
        // No number stands for a change between wide buckets.
        difference: figureJson({ ...difference, value: areWide ? Number.NaN : inUnit(row.difference) }),
        interval: boundsJson({ lower: inUnit(interval.lower), upper: inUnit(interval.upper) }),
        relative: areWide ? null : finite(row.relative),
        relativeInterval: boundsJson(relativeInterval),
        smallestShown: finite(row.smallestShown),
        dependence: row.dependence ?? null,
        change: row.change,
        reason: row.reason ?? null,
      };
    }),
  };
}

/** The bounds of the mean of all runs, which is geometric unless one is 0, as that of `compareRuns`. */
function meanBounds(figures: readonly Bounds[]): Bounds {
  const isRatio = figures.every(({ lower }) => lower > 0);
  const meanOf = (of: (figure: Bounds) => number): number => {
    if (figures.length === 1) return of(figures[0]!);
    const sum = figures.reduce((total, figure) => total + (isRatio ? Math.log(of(figure)) : of(figure)), 0);
    return isRatio ? Math.exp(sum / figures.length) : sum / figures.length;
  };
  return { lower: meanOf(({ lower }) => lower), upper: meanOf(({ upper }) => upper) };
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

function sideJson(runs: readonly Figures[], { unit }: ValueScale): object {
  return {
    unit: unit === '' ? 'none' : unit,
    count: runs.reduce((sum, { count = 0 }) => sum + Number(count), 0),
    runs: runs.map((run) => figuresJson(run)),
  };
}

function figuresOfRun(
  { name, values, boundsOf }: ComparedRun,
  unit: ValueScale,
  percentiles: readonly number[],
): Figures {
  if (boundsOf !== undefined) return boundsOf(percentiles);
  const [found, lowest, highest] = (
    'lowest' in values ? [values.histogram, values.lowest, values.highest] : [values]
  ).map((histogram) =>
    figuresOf(histogram, {
      ...{ name, unit: unit.unit, percentiles },
      shown: (value) => scaled(value, unit),
    }),
  ) as [Figures, Figures?, Figures?];
  if (lowest === undefined || highest === undefined) return found;
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
    percentiles: percentiles.map((percentile, at) => ({
      percentile,
      ...between((one) => one.percentiles[at]!),
    })),
  };
}
