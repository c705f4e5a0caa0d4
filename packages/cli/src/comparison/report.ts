import type { Bounds } from '@hdrscope/core';
import type { PercentileChange } from '@hdrscope/core/internal';
import {
  boundsJson,
  type Figures,
  figureJson,
  figuresJson,
  figuresOfRange,
  type GateVerdict,
  scaled,
  type ValueScale,
} from '@hdrscope/inputs/internal';
import { type JunitCase, type Report, rowDetails } from '../file-reports.ts';
import type { Colour } from '../screen/screen.ts';
import type { ComparedRun, ComparedSide, Differences } from './index.ts';
import { type ComparisonWords, meanBounds, wordsOf } from './words.ts';

/** A comparison as a report: a test for each percentile, which has failed when it is worse. */
export function comparisonReport(differences: Differences): Report {
  const words = wordsOf(differences);
  const { comparison, verdict, isGate } = differences;
  const isUnknown = isGate && verdict === 'cannot be judged';
  const cases = words.rows.map((cells, at): JunitCase => {
    const { change } = comparison.percentiles[at]!;
    const isSkipped = change === 'cannot be judged' || isUnknown;
    return {
      name: cells[0]!,
      outcome: isSkipped ? 'skipped' : change === 'worse' ? 'failure' : 'passed',
      message: `${cells[0]}: ${cells.at(-1)}`,
      type: 'worse',
      details: rowDetails(words.columns, cells),
    };
  });
  const changes = comparison.percentiles.map(({ change }) => change);
  return reportWords(words, differences, changes, cases, () => comparisonJson(differences));
}

/** Words as a report. @param changes The verdict of each row. */
export function reportWords(
  { heading, columns, rows, sentences: [result = '', ...sentences] }: ComparisonWords,
  { isGate, verdict }: Pick<Differences, 'isGate' | 'verdict'>,
  changes: readonly PercentileChange['change'][],
  cases: readonly JunitCase[],
  json: () => object,
): Report {
  const colours = changes.map((change) => COLOURS[change]);
  return {
    ...{ name: 'hdrscope', result, mark: isGate ? MARKS[verdict] : undefined, json },
    sections: [{ heading, columns, rows, colours, sentences, cases }],
  };
}

const COLOURS: Readonly<Record<PercentileChange['change'], Colour>> = {
  worse: 'red',
  better: 'green',
  'within tolerance': 'yellow',
  'cannot be judged': 'yellow',
  'no significant difference': 'dim',
};

const MARKS: Readonly<Record<GateVerdict, NonNullable<Report['mark']>>> = {
  worse: '❌',
  'not worse': '✅',
  'cannot be judged': '❔',
};

// JSON.

/** The figures of all runs, and how each percentile has changed. */
export function comparisonJson(differences: Differences): object {
  const { comparison, sides, confidence, tolerance, minRuns, unit, verdict } = differences;
  const asked = comparison.percentiles.map(({ percentile }) => percentile);
  const [before, after] = sides.map((side) => figuresOfSide(side, unit, asked)) as [Figures[], Figures[]];
  return {
    before: sideJson(before, unit),
    after: sideJson(after, unit),
    confidence,
    tolerance,
    minRuns,
    ground: comparison.ground,
    verdict,
    changes: changesJson(comparison.percentiles, before, after, unit),
  };
}

/** How each percentile has changed. */
export function changesJson(
  percentiles: readonly PercentileChange[],
  before: readonly Figures[],
  after: readonly Figures[],
  unit: ValueScale,
): object[] {
  const inUnit = (value: number): number => scaled(value, unit);
  const areWide = [...before, ...after].some(({ areBounds }) => areBounds === true);
  return percentiles.map(({ interval, relativeInterval, ...row }, at) => {
    const [was, is] = [before, after].map((runs) => meanBounds(runs.map((run) => run.percentiles[at]!))) as [
      Bounds,
      Bounds,
    ];
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
  });
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

export function figuresOfSide(
  side: ComparedSide,
  unit: ValueScale,
  percentiles: readonly number[],
): Figures[] {
  return side.map((run) => figuresOfRun(run, unit, percentiles));
}

/** The figures of runs as a part of a document. */
export function sideJson(runs: readonly Figures[], { unit }: ValueScale): object {
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
  const options = { name, unit: unit.unit, percentiles, shown: (value: number) => scaled(value, unit) };
  return boundsOf?.(percentiles) ?? figuresOfRange(values, options);
}
