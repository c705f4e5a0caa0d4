import type { Bounds } from '@hdrscope/core';
import type { PercentileChange } from '@hdrscope/core/internal';
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
import { escapeMarkdown, escapeXml, type ReportFormat } from '../file-reports.ts';
import { painter } from '../screen/colour.ts';
import { wrapToScreen } from '../screen/help-text.ts';
import { formatMarkdown, shownTable } from '../screen/table.ts';
import { scaled, type ValueScale } from '../value-scale.ts';
import type { ComparedRun, Differences, GateVerdict } from './index.ts';
import { wordsOf } from './words.ts';

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

// Markdown.

const MARKS: Readonly<Record<GateVerdict, string>> = {
  worse: '❌',
  'not worse': '✅',
  'cannot be judged': '❔',
};

/** A section of Markdown, for a pull request or the summary of a job. */
function markdownReport(differences: Differences): string {
  const { heading, columns, rows, sentences } = wordsOf(differences);
  const mark = differences.isGate ? `${MARKS[differences.verdict]} ` : '';
  const [result = '', ...others] = sentences.map(escapeMarkdown);
  return `### ${mark}${result}

${escapeMarkdown(heading)}

${formatMarkdown(columns, rows).join('\n')}

${others.map((sentence) => `- ${sentence}\n`).join('')}`;
}

// JUnit.

/**
 * JUnit XML with a test for each percentile: one that is worse has failed, and one that cannot be judged is skipped.
 * Source: https://docs.gitlab.com/ci/testing/unit_test_reports/, https://github.com/jenkinsci/xunit-plugin (`junit-10.xsd`).
 */
function junitReport(differences: Differences): string {
  const { heading, columns, rows, sentences } = wordsOf(differences);
  const { comparison, verdict, isGate } = differences;
  const isUnknown = isGate && verdict === 'cannot be judged';
  const outcomes = comparison.percentiles.map(({ change }) =>
    change === 'worse' && !isUnknown
      ? 'failure'
      : change === 'cannot be judged' || isUnknown
        ? 'skipped'
        : 'passed',
  );
  const countOf = (wanted: string): number => outcomes.filter((outcome) => outcome === wanted).length;
  const counts = `tests="${rows.length}" failures="${countOf('failure')}" errors="0" skipped="${countOf('skipped')}" time="0"`;
  const cases = rows.map((cells, at) => {
    const head = `    <testcase name="${escapeXml(cells[0]!)}" classname="hdrscope" time="0"`;
    const outcome = outcomes[at]!;
    if (outcome === 'passed') return `${head}/>\n`;
    const message = escapeXml(`${cells[0]}: ${cells.at(-1)}`);
    const details = columns.map(({ title }, column) => `${title}: ${cells[column]}`).join('\n');
    const element =
      outcome === 'skipped'
        ? `<skipped message="${message}"/>`
        : `<failure message="${message}" type="worse">${escapeXml(details)}</failure>`;
    return `${head}>\n      ${element}\n    </testcase>\n`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="hdrscope" ${counts}>
  <testsuite name="${escapeXml(heading)}" ${counts}>
${cases.join('')}    <system-out>${escapeXml(sentences.join('\n'))}</system-out>
  </testsuite>
</testsuites>
`;
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
