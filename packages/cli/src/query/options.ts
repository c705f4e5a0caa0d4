import type { DialectName, HistoryQuestion, TimeRange } from '@hdrscope/history';
import { type Command, Option } from 'commander';
import { choiceOption, createParser, integerParser } from '../arguments.ts';
import { UsageError } from '../command.ts';
import { confidenceOption, failIfWorseOption } from '../comparison.ts';
import { type ColumnOptions, columnsOption } from '../figures.ts';
import {
  addSpan,
  byOption,
  type Pairs,
  parseEvery,
  type SpanOptions,
  spanOf,
  whereOption,
} from '../history/options.ts';
import { assertApart, parseRange } from '../inputs/moment.ts';
import { addFormat, addOutput, endingOf } from '../output-options.ts';
import { type DrawingOptions, FORMATS as PLOT_FORMATS } from '../plot/drawing.ts';
import { addAscii, percentilesOption } from '../shared-options.ts';

/** The forms of an answer that are no pictures. */
export const TABLE_FORMATS = ['text', 'json', 'csv'] as const;
/** A form of an answer that is no picture. */
export type TableFormat = (typeof TABLE_FORMATS)[number];

/** Forms that are pictures, whatever else a command line says. */
export const PICTURES = ['svg', 'png', 'html'] as const;
type Format = TableFormat | (typeof PICTURES)[number];

/** The kinds of plot that an answer has. */
const KINDS = ['percentiles', 'comparison', 'over-time', 'heat-map'] as const;
/** The kind of an answer, whether it is drawn or printed. */
type Kind = (typeof KINDS)[number];

const DIALECTS: readonly DialectName[] = ['duckdb', 'clickhouse', 'postgres', 'spark'];

/** The command line of a question. */
export interface Options extends Omit<DrawingOptions, 'format'>, SpanOptions, ColumnOptions {
  readonly format?: Format;
  readonly metric?: string;
  readonly by: readonly string[];
  readonly where: Pairs;
  /** In milliseconds. */
  readonly every?: number;
  readonly before?: TimeRange;
  readonly after?: TimeRange;
  readonly confidence?: number;
  readonly failIfWorse?: number;
  readonly plot?: boolean;
  readonly kind?: Kind;
  readonly printSql?: boolean;
  readonly dialect?: DialectName;
  readonly table?: string;
}

const DESCRIPTION = `Asks a history for percentiles: of a metric, by groups of series, over any time and by time.

Intervals are merged without loss, by DuckDB in this process; @duckdb/node-api must be installed beside hdrscope. A
percentile is shown as the upper end of its slot; JSON has both ends. Without --metric, it lists the
metrics of the history. An interval belongs to the time in which it starts; times are in UTC.

--before and --after compare two ranges of time, and --kind comparison the two groups of --by: the differences of
percentiles have the intervals and verdicts of hdrscope diff. A range is a start and an end (2026-03-10T14:00/15:10), or
one of them and a duration (2026-03-10/1d).

With --plot, --kind or a picture's format, the answer is a plot, as hdrscope plot draws it:

  percentiles  a curve for each group
  comparison   both curves, and the differences of percentiles
  over-time    percentiles of each stretch of time, with --every
  heat-map     values over time, a map for each group; without --every in stretches that suit the picture

--print-sql asks nothing: it prints the statement for DuckDB, ClickHouse, PostgreSQL or Spark.`;

/** The arguments of `hdrscope query`. */
export function createQueryParser(): Command {
  const command = createParser('hdrscope query', DESCRIPTION, [
    'hdrscope query history',
    'hdrscope query history --metric http.server.request.duration --by http.route',
    'hdrscope query history --metric rpc.duration --where status=200 --since 7d --every 1h',
    'hdrscope query history --metric rpc.duration --since 2026-10-01 --every 1d -o rpc.html',
    'hdrscope query history --metric rpc.duration --since 30d --kind heat-map -o rpc.png',
    'hdrscope query history --metric rpc.duration --before 2026-10-01/7d --after 2026-10-08/7d --fail-if-worse 5%',
    'hdrscope query history --metric rpc.duration --by version --kind comparison',
    'hdrscope query history --metric rpc.duration --print-sql --dialect spark',
  ])
    .argument('[folder]', 'the folder of a history; not needed with --print-sql --table')
    .option('--metric <name>', 'the metric')
    .addOption(percentilesOption())
    .addOption(columnsOption('text and csv', ['rate', 'stdev']))
    .addOption(byOption('is a group', 'one group'))
    .addOption(whereOption());
  addSpan(command)
    .addOption(
      new Option('--every <duration>', 'percentiles of each stretch of time, at multiples since 1970')
        .argParser((text) => parseEvery(text, '--every'))
        .default(undefined, 'of all time together'),
    )
    .option('--before <range>', 'a range of time to compare with that of --after', (text) =>
      parseRange(text, '--before'),
    )
    .option('--after <range>', 'the range of time after a change', (text) => parseRange(text, '--after'))
    .addOption(failIfWorseOption())
    .addOption(confidenceOption())
    .option('--plot', 'draws the answer')
    .addOption(
      choiceOption('--kind <kind>', 'draws the answer as this kind of plot', KINDS).default(
        undefined,
        'over-time with --every, comparison with --before, else percentiles',
      ),
    )
    .option('--title <text>', 'the title of the plot')
    .addOption(
      new Option('--width <number>', 'of a plot, in pixels; for text in characters').argParser(
        integerParser('--width', 1),
      ),
    )
    .addOption(
      new Option('--height <number>', 'of a plot, in pixels; for text in lines').argParser(
        integerParser('--height', 1),
      ),
    )
    .option('--print-sql', 'prints the statement, and asks nothing')
    .addOption(
      choiceOption('--dialect <name>', 'with --print-sql: the engine', DIALECTS).default(undefined, 'duckdb'),
    )
    .addOption(
      new Option(
        '--table <name>',
        'with --print-sql: the table that has the rows, as in metrics.history',
      ).default(undefined, 'the files of the folder'),
    );
  addFormat(
    addOutput(command),
    [...TABLE_FORMATS, ...PICTURES],
    'svg, png and html are plots',
    "by the file's ending, else text",
  );
  return addAscii(command);
}

/** @throws UsageError for options that do not go together. */
export function assertOptionsFit(options: Options, folder: string | undefined): void {
  const { metric, by, where, every, since, until, plot, printSql, dialect, table, format } = options;
  const refuse = (isGiven: boolean, name: string, needs: string): void => {
    if (isGiven) throw new UsageError(`${name} goes with ${needs}`);
  };
  if (printSql !== true) {
    refuse(dialect !== undefined, '--dialect', '--print-sql');
    refuse(table !== undefined, '--table', '--print-sql');
  } else {
    if (plot === true || format !== undefined || options.json === true) {
      throw new UsageError('--print-sql prints a statement: --plot, --format and --json belong to an answer');
    }
    if (folder !== undefined && table !== undefined) {
      throw new UsageError('the rows are in the folder or in --table: leave one out');
    }
  }
  if (folder === undefined && table === undefined && dialect !== 'postgres') {
    throw new UsageError('the folder of a history is missing: hdrscope query FOLDER');
  }
  if (metric === undefined) {
    const needs = '--metric; hdrscope query FOLDER lists the metrics';
    refuse(printSql === true, '--print-sql', needs);
    refuse(plot === true, '--plot', needs);
    refuse(options.columns !== undefined, '--columns', needs);
    refuse(by.length > 0, '--by', needs);
    refuse(Object.keys(where).length > 0, '--where', needs);
    refuse(every !== undefined, '--every', needs);
    refuse(since !== undefined, '--since', needs);
    refuse(until !== undefined, '--until', needs);
    refuse(options.kind !== undefined, '--kind', needs);
    refuse(options.before !== undefined, '--before', needs);
    refuse(options.after !== undefined, '--after', needs);
  }
  spanOf(options);
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
  const { by, every } = options;
  return {
    ...selectionOf(options),
    percentiles: percentiles.filter((percentile) => percentile !== 100),
    by,
    ...(every !== undefined && { everyMs: every }),
  };
}

/** Whether an answer is drawn, and the table's format otherwise. @throws UsageError */
export function isDrawn({ plot, kind, format, output }: Options): boolean {
  const ending = endingOf(output);
  const isPicture = (word: string | undefined): boolean => PICTURES.some((one) => one === word);
  const isPlot =
    plot === true || kind !== undefined || isPicture(format) || (format === undefined && isPicture(ending));
  if (isPlot && format === 'csv')
    throw new UsageError(`${plot === true ? '--plot' : '--kind'} and --format csv exclude each other`);
  return isPlot;
}

/** The options of a plot. */
export function drawingOf({ format, ...options }: Options): DrawingOptions {
  const plotFormat = PLOT_FORMATS.find((one) => one === format);
  return { ...options, ...(plotFormat !== undefined && { format: plotFormat }) };
}

// Kinds of answer.

/** The kind that a command line asks for: a comparison with two ranges, percentiles over time with `--every`, else percentiles. */
export function kindOf({ kind, before, after, every }: Options): Kind {
  if (kind !== undefined) return kind;
  if (before !== undefined || after !== undefined) return 'comparison';
  return every === undefined ? 'percentiles' : 'over-time';
}

/** @throws UsageError for options that do not fit the kind. */
export function assertKindFits(options: Options): void {
  const { kind, before, after, by, every, since, until, confidence, failIfWorse, printSql } = options;
  const asked = kindOf(options);
  const refuse = (isGiven: boolean, name: string, why: string): void => {
    if (isGiven) throw new UsageError(`${name} ${why}`);
  };
  refuse(
    kind !== undefined && printSql === true,
    '--kind',
    'belongs to an answer: --print-sql prints a statement',
  );
  refuse(asked === 'over-time' && every === undefined, '--kind over-time', 'goes with --every');
  refuse(
    asked === 'percentiles' && every !== undefined,
    '--kind percentiles',
    'is of all time: leave --every out',
  );
  if (asked !== 'comparison') {
    const isRange = before !== undefined || after !== undefined;
    refuse(isRange, '--before and --after', 'go with --kind comparison');
    refuse(confidence !== undefined, '--confidence', 'goes with a comparison');
    refuse(failIfWorse !== undefined, '--fail-if-worse', 'goes with a comparison');
    return;
  }
  refuse(printSql === true, '--print-sql', 'has no statement for a comparison');
  refuse(every !== undefined, '--every', 'does not go with a comparison');
  refuse(options.format === 'csv', '--format csv', 'does not go with a comparison: text and json do');
  if (before === undefined && after === undefined) {
    refuse(by.length === 0, '--kind comparison', 'needs --before and --after, or --by with two groups');
    return;
  }
  refuse(before === undefined, '--after', 'needs --before: the range to compare it with');
  refuse(after === undefined, '--before', 'needs --after: the range to compare it with');
  refuse(by.length > 0, '--by', 'does not go with --before and --after: --where chooses series');
  refuse(
    since !== undefined || until !== undefined,
    '--since and --until',
    'do not go with --before and --after',
  );
  assertApart(before!, after!);
}
