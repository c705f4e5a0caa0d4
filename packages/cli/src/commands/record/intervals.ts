import type { RequestForm } from '@hdrscope/inputs';
import {
  countRequestIntervals,
  hasRequests,
  type RequestInterval,
  requestFacts,
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
import { jsonDocument } from '../../figures.ts';
import { bytesOf, explained, type Input } from '../../inputs/input.ts';
import { LineTally } from '../../inputs/line-tally.ts';
import type { Inputs } from '../../inputs/open-inputs.ts';
import { DURATION, stretchStart } from '../../moment.ts';
import { writeLines } from '../../output-options.ts';
import { findOneForm, formatGroups, type Grouped, groupingNotes, groupsJson } from './groups.ts';
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
  const kind = findOneForm(timed);
  assertNoNumberOptions(options, OF_NUMBERS, `${timed[0]!.name} has its own unit`);
  const badLines = new LineTally();
  const reading = { ...requestOptions(options), onBadLine: badLines.add };
  const read = timed.map((input) => ({ name: input.name, bytes: bytesOf(input, progress.onBytes) }));
  const asked = { by, where, percentiles, significantDigits: digits };
  const { intervals, beyond } = await explained(async () => {
    const { stepMs = NANOSECOND_MS } = requestFacts(kind, reading);
    // Most logs are in nanoseconds.
    const apart = { everySec: every, ticksPerMs: 1 / (format === 'hlog' ? NANOSECOND_MS : stepMs) };
    return countRequestIntervals(kind, read, asked, apart, reading);
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
  if (format === 'hlog') await writeLines(formatLog(intervals, every, notes), output, io);
  else if (format === 'json') await writeLines(formatJson(intervals, every), output, io);
  else {
    const grouped = { name, notes, ...groupByTime(intervals, every, by) };
    await writeLines(formatGroups(grouped, percentiles, 'text', io), output, io);
  }
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

/** What the tags of the log begin with. */
const METRIC = 'request.duration';

/** An interval log of HdrHistogram: its times count from the first interval. What a reader should know is a comment of it. */
async function* formatLog(
  intervals: readonly RequestInterval[],
  everySec: number,
  notes: readonly string[],
): AsyncGenerator<string, void> {
  const { startSec: baseSec } = intervals[0]!;
  const startMs = baseSec * 1000;
  yield FORMAT_VERSION_LINE + notes.map((note) => formatComment(`[${note}]`)).join('');
  yield formatStartTime(startMs, 'UTC') + formatBaseTime(startMs) + LEGEND_LINE;
  for (const { startSec, labels, histogram } of intervals) {
    const tag = formatSeriesTag(METRIC, labels);
    yield formatInterval(histogram, {
      tag,
      startSec: startSec - baseSec,
      endSec: startSec - baseSec + everySec,
    });
  }
}

async function* formatJson(
  intervals: readonly RequestInterval[],
  lengthSec: number,
): AsyncGenerator<string, void> {
  const groups = groupsJson(intervals);
  yield jsonDocument({
    groups: groups.map((group, at) => ({ startSec: intervals[at]!.startSec, lengthSec, ...group })),
  });
}

/** Requests of a test whose times count from its start have happened within a year of it. */
const FIRST_DATE_SEC = 3.2e7;

/** Intervals as groups, whose first label is their time. */
function groupByTime(
  intervals: readonly RequestInterval[],
  everySec: number,
  by: readonly string[],
): Pick<Grouped, 'groups' | 'keys' | 'requests'> {
  const hasDates = intervals[0]!.startSec >= FIRST_DATE_SEC;
  const time = hasDates ? 'time (UTC)' : 'time (s)';
  const shownTime = ({ startSec }: RequestInterval): string =>
    hasDates ? stretchStart(startSec * 1000, everySec * 1000) : String(startSec);
  return {
    groups: intervals.map((one) => ({ ...one, labels: { [time]: shownTime(one), ...one.labels } })),
    keys: [time, ...new Set(by)],
    requests: intervals.reduce((sum, { figures }) => sum + Number(figures.count), 0),
  };
}
