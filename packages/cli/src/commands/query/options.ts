import type { DialectName, HistoryQuestion } from '@hdrscope/history';
import { refuse } from '../../arguments.ts';
import { UsageError } from '../../command.ts';
import { CONFIDENCE, GATE, SERIES } from '../../comparison/index.ts';
import { defineOptions, type Given, type OptionsOf } from '../../define-command.ts';
import { columnsOption } from '../../figures.ts';
import {
  assertApart,
  assertEvery,
  EVERY,
  parseRange,
  readDivision,
  spanOf,
  spanOptions,
  TIME_ZONE,
} from '../../moment.ts';
import { ASCII, DEFAULT_PERCENTILES, groupOption, integer, percentilesOption, WHERE } from '../../options.ts';
import { ALLOW_MISSING } from './engine.ts';

/** The forms of an answer that are no pictures. */
export const TABLE_FORMATS = ['text', 'json', 'csv'] as const;
export type TableFormat = (typeof TABLE_FORMATS)[number];

/** Forms that are pictures, whatever else a command line says. */
export const PICTURES = ['svg', 'png', 'html'] as const;
export type Format = TableFormat | (typeof PICTURES)[number];

/** The kinds of plot that an answer has. */
const KINDS = ['percentiles', 'comparison', 'over-time', 'heat-map'] as const;
/** The kind of an answer, whether it is drawn or printed. */
type Kind = (typeof KINDS)[number];

const DIALECTS = ['duckdb', 'clickhouse', 'postgres', 'spark'] as const satisfies DialectName[];

export const DESCRIPTION = `Asks a history for the percentiles of a metric: of all its series or by groups, of any range of time, as a whole or in
stretches. Without --metric, the command lists the metrics of the history.

--prometheus asks a Prometheus server by remote read for one metric, of the last hour or of the time from --since to
--until. Native and classic histograms keep their counts: nothing is interpolated. A value has the time of the first
sample that counts it, in intervals of a minute or more, so ranges to compare should begin at full minutes.

Intervals are merged without loss, by DuckDB in this process; @duckdb/node-api must be installed beside hdrscope. A
percentile is shown as the upper end of its slot; JSON has both ends. An interval belongs to the time in which it starts.

Times are in UTC, or in the zone of --time-zone. Weeks (--every 1w) begin on Monday, and months (1mo) are those of the calendar.
Days have 23 or 25 hours where clocks change; shorter stretches begin anew at each midnight, in elapsed time.

--before and --after compare two ranges of time. --kind comparison compares the two groups of --by. The differences of
percentiles have intervals and verdicts, as in hdrscope diff. A range is a start and an end (2026-03-10T14:00/15:10), or
one of them and a duration (2026-03-10/1d).

--builds finds the builds since which percentiles differ, as hdrscope check --builds does. An attribute names the build, and
builds are in the order of their first values. All values of a build are one run.

With --plot, --kind or a picture's format, the answer is a plot, as hdrscope plot draws it:

  percentiles  a curve for each group
  comparison   both curves, and the differences of percentiles
  over-time    percentiles of each stretch of time, with --every
  heat-map     values over time, a map for each group; without --every in stretches that suit the picture

--print-sql asks nothing: it prints the statement for DuckDB, ClickHouse, PostgreSQL or Spark.`;

export const OPTIONS = defineOptions({
  metric: { value: '<name>', help: 'the metric' },
  prometheus: {
    value: '<url>',
    help: 'asks a Prometheus server by remote read, as in http://localhost:9090; the metric has the name that it has there',
    fallback: 'the history in the folder',
  },
  percentiles: percentilesOption(),
  columns: columnsOption('text and csv', ['rate', 'stdev']),
  by: groupOption('is a group', 'one group'),
  where: WHERE,
  ...spanOptions(),
  every: {
    ...EVERY,
    help: 'percentiles of each stretch of time, as in 1h, 1d, 1w or 1mo',
    fallback: 'of all time together',
  },
  timeZone: TIME_ZONE,
  traces: {
    value: '<count>',
    help: 'lists so many of the largest values that have a trace, too',
    parse: integer(1),
  },
  before: {
    value: '<range...>',
    help: 'ranges of time to compare with those of --after; each is a run of hdrscope diff',
    parse: parseRange,
    isRepeated: true,
    fallback: 'none',
  },
  after: {
    value: '<range...>',
    help: 'the ranges of time after a change',
    parse: parseRange,
    isRepeated: true,
    fallback: 'none',
  },
  builds: {
    value: '<key>',
    help: 'finds the builds since which percentiles differ: the attribute that names the build, as in service.version',
    fallback: 'none',
  },
  last: SERIES.last,
  allowMissing: ALLOW_MISSING,
  ...GATE,
  confidence: CONFIDENCE,
  plot: { help: 'draws the answer' },
  kind: {
    value: '<kind>',
    help: 'draws the answer as this kind of plot',
    choices: KINDS,
    fallback: 'over-time with --every, comparison with --before, else percentiles',
  },
  title: { value: '<text>', help: 'the title of the plot' },
  width: {
    value: '<number>',
    help: 'of a plot, in pixels; for text in characters',
    parse: integer(1),
  },
  height: { value: '<number>', help: 'of a plot, in pixels; for text in lines', parse: integer(1) },
  printSql: { help: 'prints the statement, and asks nothing' },
  dialect: {
    value: '<name>',
    help: 'with --print-sql: the engine',
    choices: DIALECTS,
    fallback: 'duckdb',
  },
  table: {
    value: '<name>',
    help: 'with --print-sql: the table that has the rows, as in metrics.history',
    fallback: 'the files of the folder',
  },
  ...ASCII,
});

export type Options = Given<OptionsOf<typeof OPTIONS>, Format>['options'];

/** Options that say what is asked of a metric, besides its percentiles. */
const OF_METRIC = [
  ...['plot', 'columns', 'by', 'where', 'every', 'since', 'until', 'kind', 'before', 'after', 'traces'],
  'builds',
] as const satisfies readonly (keyof Options)[];

/** @throws UsageError for options that do not go together. */
export function assertOptionsFit(options: Options, folder: string | undefined): void {
  const { metric, plot, printSql = false, dialect, table, format, prometheus } = options;
  const { every, timeZone, since, until } = options;
  const isListed =
    every !== undefined &&
    (timeZone !== 'UTC' || (typeof every.length !== 'number' && 'months' in every.length));
  const isAnswer = plot === true || format !== undefined || options.json === true;
  const isOfNothing = [folder, prometheus, table].every((one) => one === undefined) && dialect !== 'postgres';
  refuse([
    [
      prometheus !== undefined && folder !== undefined,
      'values come from the folder or from --prometheus: leave one out',
    ],
    [!printSql && dialect !== undefined, '--dialect goes with --print-sql'],
    [!printSql && table !== undefined, '--table goes with --print-sql'],
    [printSql && isAnswer, '--print-sql prints a statement: --plot, --format and --json belong to an answer'],
    [
      printSql && isListed && (since === undefined || until === undefined),
      '--print-sql with months or --time-zone needs --since and --until: the statement lists the borders of its stretches',
    ],
    [
      printSql && folder !== undefined && table !== undefined,
      'the rows are in the folder or in --table: leave one out',
    ],
    [
      isOfNothing,
      'the folder of a history is missing: hdrscope query FOLDER, or hdrscope query --prometheus URL',
    ],
    [
      metric === undefined && printSql,
      '--print-sql goes with --metric; hdrscope query FOLDER lists the metrics',
    ],
  ]);
  assertEvery(options.every, options.timeZone);
  spanOf(options);
}

/** @throws UsageError for an option that needs a history, and no server. */
export function assertOfServer({ printSql, traces }: Options): void {
  refuse([
    [printSql === true, '--print-sql goes with a history: Prometheus has no SQL'],
    [traces !== undefined, '--traces goes with a history: remote read has no exemplars'],
  ]);
}

/** The first option that asks for something of a metric. */
export function optionOfMetric(options: Options): string | undefined {
  // The default is this very list.
  if (options.percentiles !== DEFAULT_PERCENTILES) return '--percentiles';
  const given = OF_METRIC.find((name) => {
    const value = options[name];
    return typeof value === 'object' ? Object.keys(value).length > 0 : value !== undefined;
  });
  return given && `--${given}`;
}

/** The part of a question that chooses rows. */
export function selectionOf(
  options: Options,
): Pick<HistoryQuestion, 'metric' | 'where' | 'sinceMs' | 'untilMs'> {
  const { metric = '', where } = options;
  return { metric, where, ...spanOf(options) };
}

/** The question of a command line, without percentile 100, which is the maximum. */
export function questionOf(options: Options, percentiles: readonly number[]): HistoryQuestion {
  const { by, every, timeZone } = options;
  return {
    ...selectionOf(options),
    percentiles: percentiles.filter((percentile) => percentile !== 100),
    by,
    ...readDivision(every),
    timeZone,
  };
}

/** Whether the answer is a plot. @throws UsageError when a plot is asked for as CSV. */
export function isDrawn({ plot, kind, format: asked, output }: Options, format: Format): boolean {
  const isPlot = plot === true || kind !== undefined || PICTURES.some((one) => one === format);
  if (isPlot && format === 'csv') {
    const csv = asked === undefined ? `--output ${output}` : '--format csv';
    throw new UsageError(`${plot === true ? '--plot' : '--kind'} and ${csv} exclude each other`);
  }
  return isPlot;
}

/** What asks for a picture, which is of one metric, as it was typed; `undefined` when nothing does. */
export function pictureOption({ format: asked, output }: Options, format: Format): string | undefined {
  if (!PICTURES.some((one) => one === format)) return undefined;
  return asked === undefined ? `--output ${output}` : `--format ${asked}`;
}

// Kinds of answer.

/** The kind that a command line asks for: a comparison with two ranges, percentiles over time with `--every`, else percentiles. */
export function kindOf({ kind, before, after, every }: Options): Kind {
  if (kind !== undefined) return kind;
  if (before.length + after.length > 0) return 'comparison';
  return every === undefined ? 'percentiles' : 'over-time';
}

/** @throws UsageError for options that do not fit the kind. */
export function assertKindFits(options: Options): void {
  const { kind, before, after, by, every, since, until, confidence, failIfWorse, format } = options;
  const [printSql, oneRun] = [options.printSql === true, options.oneRun === true];
  const [isTimed, hasTraces] = [every !== undefined, options.traces !== undefined];
  const asked = kindOf(options);
  const ranges = [...before, ...after];
  const isPicture = PICTURES.some((one) => one === format);
  const isPlot = options.plot === true || kind !== undefined || isPicture;
  const traces = '--traces goes with percentiles, as text or json';
  if (options.builds !== undefined) {
    const isOther = ranges.length + by.length > 0 || isTimed;
    refuse([
      [isPlot || format === 'csv' || printSql, '--builds is answered as text or json'],
      [isOther, '--builds goes without --before, --after, --by and --every: --where chooses series'],
      [hasTraces, traces],
      [oneRun, '--one-run goes with a comparison'],
    ]);
    return;
  }
  const isUncompared = asked !== 'comparison';
  refuse([
    [options.last !== undefined, '--last goes with --builds'],
    [kind !== undefined && printSql, '--kind belongs to an answer: --print-sql prints a statement'],
    [hasTraces && (!isUncompared || printSql), traces],
    [asked === 'over-time' && !isTimed, '--kind over-time goes with --every'],
    [asked === 'percentiles' && isTimed, '--kind percentiles is of all time: leave --every out'],
    [isUncompared && ranges.length > 0, '--before and --after go with --kind comparison'],
    [isUncompared && confidence !== undefined, '--confidence goes with a comparison'],
    [isUncompared && failIfWorse !== undefined, '--fail-if-worse goes with a comparison'],
    [isUncompared && oneRun, '--one-run goes with a comparison'],
  ]);
  if (isUncompared) return;
  const isOfTime = since !== undefined || until !== undefined;
  const isZoned = options.timeZone !== 'UTC';
  const isOfRanges = ranges.length > 0;
  refuse([
    [printSql, '--print-sql has no statement for a comparison'],
    [isTimed, '--every does not go with a comparison'],
    [format === 'csv', '--format csv does not go with a comparison: text and json do'],
    [!isOfRanges && by.length === 0, '--kind comparison needs --before and --after, or --by with two groups'],
    [isOfRanges && before.length === 0, '--after needs --before: the range to compare it with'],
    [isOfRanges && after.length === 0, '--before needs --after: the range to compare it with'],
    [isOfRanges && by.length > 0, '--by does not go with --before and --after: --where chooses series'],
    [
      isOfRanges && isZoned,
      '--time-zone does not go with --before and --after: times of a range have their offset, as in 2026-03-10T14:00+01:00/1h',
    ],
    [isOfRanges && isOfTime, '--since and --until do not go with --before and --after'],
    [isPlot && ranges.length > 2, '--plot compares one range before and one after'],
  ]);
  assertApart(ranges);
}
