import { type HistoryRow, rowsBetween } from '@hdrscope/history';
import type { TimeRange } from '@hdrscope/history/internal';
import { readRange, SERIES_LIMITS, seriesFinder } from '@hdrscope/inputs/internal';
import { readEntries, type Selection } from '@hdrscope/interval-log';
import { createLogIntake, selects } from '@hdrscope/interval-log/internal';
import { listNames, suggestion } from '@hdrscope/kit';
import { type CountedUnit, createRegistry } from '@hdrscope/registry';
import { between, readDecimal } from '../../arguments.ts';
import { ExitCode, type Io, Refusal, UsageError } from '../../command.ts';
import { defineOptions, type OptionsOf, toFlag } from '../../define-command.ts';
import type { Input } from '../../inputs/input.ts';
import {
  DOUBLES,
  leftOutText,
  startTalliedReading,
  type TalliedReading,
  UNDECODABLE,
} from '../../inputs/line-tally.ts';
import { openInputs } from '../../inputs/open-inputs.ts';
import { SELECTION, selectionOf } from '../../inputs/selection-options.ts';
import { assertApart, parseRange } from '../../moment.ts';
import { integer, unitOption, WHERE } from '../../options.ts';
import { lookAtPath } from '../../system-error.ts';
import { findSideFiles, type SidesGiven } from '../diff/sides.ts';
import { ALLOW_MISSING } from '../query/engine.ts';
import type { ComparedSpan } from './report.ts';

/** Two times of a history. */
export interface HistorySides extends Readonly<Record<'before' | 'after', TimeRange>> {
  readonly folder: string;
}

/**
 * What a command line compares: two times of a history, or the logs of two sides.
 *
 * @throws UsageError when it names neither; Refusal when a pattern has no files.
 */
export async function findSides(
  operands: readonly string[],
  { before, after, metric }: Pick<ExplainOptions, 'before' | 'after' | 'metric'>,
): Promise<SidesGiven | HistorySides> {
  // An option takes all words that follow it, also a folder behind a range.
  const words = [before, after].flatMap(([range = '', ...more]) => (isRange(range) ? more : []));
  const [folder, ...more] = [...operands, ...words];
  if (folder !== undefined && more.length === 0) {
    if (folder === '-' || (await lookAtPath(folder))?.isFile() === true) {
      throw new UsageError(
        `${folder} is one log, and two are compared: hdrscope log slice cuts it in two, and hdrscope history import makes a history of it, whose times can be compared`,
      );
    }
    const [from, to] = [before[0], after[0]];
    const ranges = [from && parseRange(from, '--before'), to && parseRange(to, '--after')] as const;
    if (!ranges[0] || !ranges[1]) throw missingRanges(ranges.map(Boolean), metric);
    assertApart([ranges[0], ranges[1]]);
    return { folder, before: ranges[0], after: ranges[1] };
  }
  const range = [...before, ...after].find(isRange);
  if (range !== undefined) {
    throw new UsageError(
      `${range} is a time of a history: give the folder of the history, as in hdrscope explain history --before ${range}`,
    );
  }
  return findSideFiles(operands, { before, after });
}

const EXAMPLES = [
  ['--before', '2026-03-10T14:00/15:10'],
  ['--after', '2026-03-10T15:10/15:18'],
] as const;

/** All that a question about a history lacks. */
function missingRanges(areGiven: readonly boolean[], metric: string | undefined): UsageError {
  const missing = EXAMPLES.filter((_, i) => areGiven[i] !== true);
  const names = missing.map(([name]) => name).join(' and ');
  const ranges =
    missing.length === 1
      ? `is required: a range, as in ${missing[0]![1]}`
      : `are required: ranges, as in ${missing.flat().join(' ')}`;
  const more = metric === undefined ? '; a history of several metrics needs --metric, too' : '';
  return new UsageError(`${names} ${ranges}${more}`);
}

function isRange(text: string): boolean {
  return readRange(text) !== undefined;
}

/** @throws UsageError when an option does nothing for a history. */
export function assertForHistory(options: ExplainOptions): void {
  for (const key of ['unit', 'tag', 'since', 'until'] as const) {
    if (options[key] === undefined) continue;
    const name = key === 'tag' ? '--tag and --no-tag are' : `${toFlag(key)} is`;
    throw new UsageError(
      `${name} for logs: in a history, --where selects series, and --before and --after times`,
    );
  }
}

/** @throws UsageError when an option does nothing for logs. */
export function assertForLogs({ allowMissing }: ExplainOptions): void {
  if (allowMissing === true)
    throw new UsageError('--allow-missing is for a history, whose files may be damaged');
}

/** One side of a comparison of logs. */
interface LogSide extends ComparedSpan {
  /** A row for each series of each log. Their times are those of the reading. */
  readonly rows: readonly HistoryRow[];
}

/**
 * Reads the logs of both sides.
 *
 * @returns Both sides, and what reports the lines that were left out and has the exit code.
 * @throws Refusal, UsageError, HdrscopeError
 */
export async function readLogSides(
  { before, after }: SidesGiven,
  options: ExplainOptions,
  io: Io,
): Promise<Readonly<Record<'before' | 'after', LogSide>> & { report(): Promise<number> }> {
  const { unit = 'ns' } = options;
  const selection = selectionOf(options);
  const taking = { takes: ['log'], otherwise: 'log', selection, command: 'hdrscope explain' } as const;
  const { inputs, progress } = await openInputs<'log'>([...before, ...after], taking, io);
  const reading = startTalliedReading(io, progress);
  let exitCode: number = ExitCode.done;
  const readAll = async (): Promise<LogRows[]> => {
    const logs: LogRows[] = [];
    for (const input of inputs) logs.push(await readLogRows(input, { ...reading, unit, selection }));
    return logs;
  };
  const logs = await reading.finishAfter(readAll());
  for (const [at, { losses }] of logs.entries()) {
    if (losses.length > 0) exitCode = ExitCode.refused;
    for (const loss of losses) await reading.note(`${inputs[at]!.name}: ${loss}`);
  }
  const sideOf = (all: readonly LogRows[], files: readonly string[]): LogSide => ({
    files,
    rows: all.flatMap(({ rows }) => rows),
    startSec: all.reduce((least, { startSec }) => Math.min(least, startSec), Number.POSITIVE_INFINITY),
    endSec: all.reduce((most, { endSec }) => Math.max(most, endSec), Number.NEGATIVE_INFINITY),
  });
  return {
    before: sideOf(logs.slice(0, before.length), before),
    after: sideOf(logs.slice(before.length), after),
    report: async () => Math.max(exitCode, await reading.report()),
  };
}

/** What a log counted. */
interface LogRows extends Omit<LogSide, 'files'> {
  /** What was left out, in sentences. */
  readonly losses: readonly string[];
}

/**
 * Adds up the intervals of a log: a row for each series. Series and metrics are those that an import gives them, see `importLog`.
 *
 * @throws HdrscopeError `ERR_ALREADY_REGISTERED` when the log has a metric in two units; the errors of `readEntries`.
 */
async function readLogRows(
  { source, name }: Input<'log'>,
  {
    unit,
    selection,
    onBytes,
    malformed,
  }: TalliedReading & { readonly unit: CountedUnit; readonly selection: Selection },
): Promise<LogRows> {
  const registry = createRegistry();
  const intake = createLogIntake(registry, { seriesOf: seriesFinder(unit) }, SERIES_LIMITS);
  const isSelected = selects(selection);
  let [startSec, endSec, badLines] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
  for await (const entry of readEntries(source, { onBytes })) {
    if (entry.kind === 'malformed') {
      badLines++;
      malformed.add(entry, source);
    } else if (entry.kind === 'interval') {
      if (!isSelected(entry)) continue;
      startSec = Math.min(startSec, entry.startSec);
      endSec = Math.max(endSec, entry.endSec);
    }
    intake.take(entry);
  }
  const { leftOut, malformed: undecodable } = intake.result;
  // Another producer for each log: rows of one would be states of one counter.
  const rows = [...rowsBetween(undefined, await registry.gather({ maxAgeMs: 0 }), { producer: name })];
  const losses = [leftOutText(leftOut, DOUBLES), leftOutText(undecodable - badLines, UNDECODABLE)];
  return { rows, startSec, endSec, losses: losses.filter((text) => text !== undefined) };
}

const MOST_NAMES = 5;

/**
 * The metric that is asked for, or the only one.
 *
 * @param owner Who has the metrics: `the logs have`.
 * @throws Refusal when there are none or several, or not the one that is asked for.
 */
export function chooseMetric(names: readonly string[], asked: string | undefined, owner: string): string {
  const metrics = [...new Set(names)].sort();
  const [only] = metrics;
  if (only === undefined) throw new Refusal(`${owner} no values to compare`);
  const list = `${owner} ${listNames(metrics, MOST_NAMES)}`;
  if (asked === undefined) {
    if (metrics.length === 1) return only;
    throw new Refusal(`--metric chooses one of several metrics: ${list}`);
  }
  if (metrics.includes(asked)) return asked;
  throw new Refusal(`there is no metric '${asked}'${suggestion(asked, metrics) || `: ${list}`}`);
}

/** The options of the command. Some are for histories alone, and some for logs. */
export const EXPLAIN = defineOptions({
  metric: {
    value: '<name>',
    help: 'the metric',
    fallback: 'the only one that there is',
  },
  allowMissing: ALLOW_MISSING,
  before: {
    value: '<range or file...>',
    help: 'what was usual: a range of time of the history, or logs',
    isRepeated: true,
    fallback: 'the first log',
  },
  after: {
    value: '<range or file...>',
    help: 'what to explain: a range of time, or logs',
    isRepeated: true,
    fallback: 'the second log',
  },
  percentile: {
    value: '<number>',
    help: 'which percentile, as in 99 or 99.9',
    allowed: 'a number above 0 and below 100, as in 99.9',
    parse: between(0, 100, (text) => readDecimal(text.replace(/^p/, ''))),
    default: 99.9,
  },
  where: WHERE,
  unit: unitOption('the unit of values in logs that do not state it', 'ns'),
  ...SELECTION,
  top: {
    value: '<count>',
    help: 'how many attribute values the table shows',
    parse: integer(1),
    default: 10,
  },
});

export type ExplainOptions = OptionsOf<typeof EXPLAIN>;
