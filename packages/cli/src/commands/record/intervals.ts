import type { RequestForm } from '@hdrscope/inputs';
import {
  countRequestIntervals,
  type Figures,
  figuresJson,
  hasRequests,
  type RequestInterval,
  requestFacts,
  summarizeHistogram,
  widenFigures,
} from '@hdrscope/inputs/internal';
import {
  FORMAT_VERSION_LINE,
  formatBaseTime,
  formatComment,
  formatInterval,
  formatSeriesTag,
  formatStartTime,
  LEGEND_LINE,
} from '@hdrscope/interval-log';
import { type Io, Refusal, UsageError } from '../../command.ts';
import { defineOptions } from '../../define-command.ts';
import { columnsFor, figureCells, jsonDocument } from '../../figures.ts';
import { bytesOf, explained, type Input } from '../../inputs/input.ts';
import { LineTally } from '../../inputs/line-tally.ts';
import type { Inputs } from '../../inputs/open-inputs.ts';
import { DURATION, stretchStart } from '../../moment.ts';
import { writeLines } from '../../output-options.ts';
import { wrapToScreen } from '../../screen/help-text.ts';
import { shownTable } from '../../screen/table.ts';
import { groupingNotes, requestsText } from './groups.ts';
import {
  assertNoNumberOptions,
  type LoadOptions,
  OF_NUMBERS,
  type RecordKind,
  requestOptions,
} from './load.ts';

/** How requests are kept apart by their times. */
export const INTERVAL_OPTIONS = defineOptions({
  every: {
    ...DURATION,
    help: 'shows the requests of each interval of this length, as in 1m; with -o FILE.hlog, as a log with a tag for each value of --by',
    fallback: 'all times together',
  },
});

interface IntervalOptions extends LoadOptions {
  /** In seconds. */
  readonly every: number;
  readonly follow?: boolean;
}

/** Counts requests by intervals of time: as a table, or as a log that all commands for logs take. @throws Refusal, UsageError */
export async function recordIntervals(
  { inputs, progress }: Inputs<RecordKind>,
  options: IntervalOptions,
  io: Io,
): Promise<number> {
  const { by, where, every, percentiles, digits, format, output } = options;
  if (options.follow === true) throw new UsageError('--every and -f exclude each other: -f has --interval');
  if (format !== 'text' && format !== 'json' && format !== 'hlog')
    throw new UsageError(`--every writes text, json or hlog, got '${format}'`);
  const timed = inputs.map(assertTimed);
  const { kind } = timed[0]!;
  const other = timed.find((one) => one.kind !== kind);
  if (other !== undefined)
    throw new Refusal(
      `${timed[0]!.name} is ${kind} and ${other.name} is ${other.kind}: record them separately`,
    );
  assertNoNumberOptions(options, OF_NUMBERS, `${timed[0]!.name} has its own unit`);
  const badLines = new LineTally();
  const reading = { ...requestOptions(options), onBadLine: badLines.add };
  const read = timed.map((input) => ({ name: input.name, bytes: bytesOf(input, progress.onBytes) }));
  const asked = { by, where, significantDigits: digits };
  const { intervals, beyond, ticksPerMs, errorMs } = await explained(async () => {
    const { stepMs = NANOSECOND_MS, errorMs } = requestFacts(kind, reading);
    // Most logs are in nanoseconds.
    const ticksPerMs = 1 / (format === 'hlog' ? NANOSECOND_MS : stepMs);
    const apart = { everySec: every, ticksPerMs };
    return { ...(await countRequestIntervals(kind, read, asked, apart, reading)), ticksPerMs, errorMs };
  }).finally(progress.finish);
  const exitCode = await badLines.report(io);
  const name = timed.map((input) => input.name).join(', ');
  if (intervals.length === 0) throw new Refusal(`${name} has no values to count`);
  if (intervals.every(({ startSec }) => startSec === 0))
    throw new Refusal(
      `${name} does not state when its requests were, or has none after the first ${every} s`,
    );
  const notes = groupingNotes(kind, beyond, where, reading);
  for (const note of notes) await io.stderr.write(`hdrscope: ${note}\n`);
  const counted: Counted = { name, everySec: every, keys: [...new Set(by)], intervals };
  if (format === 'hlog') {
    await writeLines(formatLog(counted, notes), output, io);
    return exitCode;
  }
  const figures = intervals.map(({ histogram, labels }): Figures => {
    const shown = (ticks: number): number => Number((ticks / ticksPerMs).toPrecision(15));
    const found = summarizeHistogram(histogram, { name: labels.join(' '), unit: 'ms', percentiles, shown });
    return errorMs === undefined ? found : widenFigures(found, errorMs);
  });
  const lines =
    format === 'json' ? formatJson(counted, figures) : formatRows(counted, figures, percentiles, io);
  await writeLines(lines, output, io);
  return exitCode;
}

/** An input that has every request. @throws Refusal */
function assertTimed(input: Input<RecordKind>): Input<RequestForm> {
  if (hasRequests(input.kind)) return { ...input, kind: input.kind };
  throw new Refusal(
    `${input.name} has no requests with times: --every is for access logs and the output of load tests that has every request`,
  );
}

const NANOSECOND_MS = 1e-6;

interface Counted {
  readonly name: string;
  readonly everySec: number;
  /** The labels that tell groups apart. */
  readonly keys: readonly string[];
  /** At least one, in the order of their times. */
  readonly intervals: readonly RequestInterval[];
}

function labelsOf({ keys }: Counted, { labels }: RequestInterval): Record<string, string> {
  return Object.fromEntries(keys.map((key, at) => [key, labels[at]!]));
}

/** What the tags of the log begin with. */
const METRIC = 'request.duration';

/** An interval log of HdrHistogram: its times count from the first interval. What a reader should know is a comment of it. */
async function* formatLog(counted: Counted, notes: readonly string[]): AsyncGenerator<string, void> {
  const { everySec, intervals } = counted;
  const { startSec: baseSec } = intervals[0]!;
  const startMs = baseSec * 1000;
  yield FORMAT_VERSION_LINE + notes.map((note) => formatComment(`[${note}]`)).join('');
  yield formatStartTime(startMs, 'UTC') + formatBaseTime(startMs) + LEGEND_LINE;
  for (const interval of intervals) {
    const startSec = interval.startSec - baseSec;
    const tag = formatSeriesTag(METRIC, labelsOf(counted, interval));
    yield formatInterval(interval.histogram, { tag, startSec, endSec: startSec + everySec });
  }
}

async function* formatJson(counted: Counted, figures: readonly Figures[]): AsyncGenerator<string, void> {
  const { everySec, intervals } = counted;
  const groups = intervals.map((interval, at) => ({
    ...figuresJson(figures[at]!),
    ...{ startSec: interval.startSec, lengthSec: everySec, labels: labelsOf(counted, interval) },
    ...{ failed: null, requests: null },
  }));
  yield jsonDocument({ groups });
}

/** Requests of a test whose times count from its start have happened within a year of it. */
const FIRST_DATE_SEC = 3.2e7;

async function* formatRows(
  { name, everySec, keys, intervals }: Counted,
  figures: readonly Figures[],
  percentiles: readonly number[],
  io: Io,
): AsyncGenerator<string, void> {
  const shown = columnsFor({ percentiles }, ['count', 'mean']);
  const cells = figureCells(shown, figures, 'ms');
  const hasDates = intervals[0]!.startSec >= FIRST_DATE_SEC;
  const columns = [
    { title: hasDates ? 'from (UTC)' : 'from s', isText: hasDates },
    ...keys.map((title) => ({ title, isText: true })),
    ...shown,
  ];
  const rows = intervals.map(({ startSec, labels }, at) => [
    hasDates ? stretchStart(startSec * 1000, everySec * 1000) : String(startSec),
    ...labels,
    ...cells[at]!,
  ]);
  const requests = figures.reduce((sum, { count }) => sum + Number(count), 0);
  const by = keys.length === 0 ? '' : ` by ${keys.join(', ')}`;
  const title = `${requestsText(requests)} of ${name} by time${by}, in ms`;
  yield `${wrapToScreen(title, io)}\n\n${shownTable(columns, rows, io).join('\n')}\n`;
}
