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
import type { Io } from '../command.ts';
import { jsonDocument } from '../figures.ts';
import {
  escapeMarkdown,
  formatJunit,
  type JunitCase,
  type ReportFormat,
  rowDetails,
} from '../file-reports.ts';
import { wrapToScreen } from '../screen/help-text.ts';
import { painter } from '../screen/screen.ts';
import { formatMarkdown, shownTable } from '../screen/table.ts';
import type { ComparedRun, ComparedSide, Differences } from './index.ts';
import { type ComparisonWords, meanBounds, wordsOf } from './words.ts';

/** Formats a comparison. The output decides on colours and width. */
export const comparisonReports: Readonly<Record<ReportFormat, (differences: Differences, io: Io) => string>> =
  {
    text: textReport,
    json: (differences) => jsonDocument(comparisonJson(differences)),
    junit: (differences) => junitReport(differences),
    markdown: (differences) => markdownReport(differences),
  };

// Text.

const COLOURS: Readonly<Record<PercentileChange['change'], 'red' | 'green' | 'yellow' | 'dim'>> = {
  worse: 'red',
  better: 'green',
  'within tolerance': 'yellow',
  'cannot be judged': 'yellow',
  'no significant difference': 'dim',
};

function textReport(differences: Differences, io: Io): string {
  return tableReport(
    wordsOf(differences),
    differences.comparison.percentiles.map(({ change }) => change),
    io,
  );
}

/** A table and the sentences below it. @param changes The verdict of each row, which colours it. */
export function tableReport(
  { heading, columns, rows, sentences }: ComparisonWords,
  changes: readonly PercentileChange['change'][],
  io: Io,
): string {
  const paint = painter(io, io.stdout);
  const table = shownTable(columns, rows, io, (line, at) => {
    const label = rows[at]!.at(-1)!;
    const start = line.lastIndexOf(label);
    return start < 0 ? line : line.slice(0, start) + paint(COLOURS[changes[at]!], line.slice(start));
  });
  const fitted = sentences.map((sentence) => wrapToScreen(sentence, io)).join('\n');
  const shown = rows.length === 0 ? '' : `${table.join('\n')}\n\n`;
  return `${wrapToScreen(heading, io)}\n\n${shown}${fitted}\n`;
}

// Markdown.

const MARKS: Readonly<Record<GateVerdict, string>> = {
  worse: '❌',
  'not worse': '✅',
  'cannot be judged': '❔',
};

function markdownReport(differences: Differences): string {
  return markdownSection(wordsOf(differences), differences);
}

/** A section of Markdown, for a pull request or the summary of a job. */
export function markdownSection(
  { heading, columns, rows, sentences }: ComparisonWords,
  { isGate, verdict }: Pick<Differences, 'isGate' | 'verdict'>,
): string {
  const mark = isGate ? `${MARKS[verdict]} ` : '';
  const [result = '', ...others] = sentences.map(escapeMarkdown);
  const table = rows.length === 0 ? '' : `\n${formatMarkdown(columns, rows).join('\n')}\n`;
  return `### ${mark}${result}

${escapeMarkdown(heading)}
${table}
${others.map((sentence) => `- ${sentence}\n`).join('')}`;
}

// JUnit.

function junitReport(differences: Differences): string {
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
  return junitSuite(words, cases);
}

/** JUnit XML with a test for each percentile: one that is worse has failed, and one that cannot be judged is skipped. */
export function junitSuite(
  { heading, sentences }: Pick<ComparisonWords, 'heading' | 'sentences'>,
  cases: readonly JunitCase[],
): string {
  return formatJunit('hdrscope', [{ name: heading, classname: 'hdrscope', cases, facts: sentences }]);
}

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
