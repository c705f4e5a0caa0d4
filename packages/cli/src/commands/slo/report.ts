import { historyUnits, type ObjectiveHistory, objectiveHistory } from '@hdrscope/history';
import { findStretch, listStretches } from '@hdrscope/history/internal';
import { DAY_MS, firstMoment, zoneOffsetMs } from '@hdrscope/kit';
import { countedUnitOf } from '@hdrscope/plot';
import { wrongOption } from '../../arguments.ts';
import { ExitCode, Refusal, UsageError } from '../../command.ts';
import { defineCommand, defineOptions, type OptionsOf } from '../../define-command.ts';
import {
  assertEvery,
  EVERY,
  type GivenTime,
  isoTime,
  momentIn,
  PAST_TIME,
  readDivision,
  TIME_ZONE,
} from '../../moment.ts';
import { OBJECTIVE } from '../../objective.ts';
import { amountExample, amountIn, groupOption, WHERE } from '../../options.ts';
import { noteCrossing } from '../query/crossing.ts';
import { ALLOW_MISSING, askHistory, withEngine } from '../query/engine.ts';
import { type Reported, reportCsv, reportJson, reportText } from './report-text.ts';

const DESCRIPTION = `Reports whether a history would have kept an objective: on each day, and over the whole time.

It merges the intervals of a history, and counts the values that are at most the threshold. The share is exact when the threshold
is the largest value of a slot; else it has two bounds, and a day between them is undecided. A day without values is neither
kept nor missed. An interval belongs to the day in which it starts; days are those of UTC, or of --time-zone. Weeks (--every 1w)
begin on Monday, and months (1mo) are those of the calendar. The report ends with the last day that has ended.

The burn rate is the share of bad values, divided by the share that may be bad: at 1 the objective is just kept. The budget is
that of the whole time, and each day used a part of it. The exit code is 0 whatever the verdicts are.`;

const OPTIONS = defineOptions({
  metric: { value: '<name>', help: 'the metric', required: 'the name of a metric' },
  threshold: {
    value: '<value>',
    help: 'the largest good value: a number of the unit, or as in 250ms, 64KiB',
    required: 'a value, as in 250ms',
  },
  objective: OBJECTIVE,
  since: {
    ...PAST_TIME,
    help: 'where to begin: so long before the end (90d, 12h), or a date (2026-03-01)',
    default: { agoMs: 90 * DAY_MS } as GivenTime,
    fallback: '90d',
  },
  until: {
    ...PAST_TIME,
    help: 'where to end: so long ago, or a date',
    fallback: 'the end of the last day that is over',
  },
  every: {
    ...EVERY,
    help: 'the length of a period with a verdict of its own, as in 1d, 1w or 1mo',
    default: { text: '1d', length: { days: 1 } },
    fallback: '1d',
  },
  timeZone: TIME_ZONE,
  by: groupOption('has a report of its own', 'one report'),
  where: WHERE,
  allowMissing: ALLOW_MISSING,
});

export const command = defineCommand({
  path: 'hdrscope slo report',
  description: DESCRIPTION,
  examples: [
    'hdrscope slo report history --metric http.server.request.duration --threshold 250ms --objective 99.9%',
    'hdrscope slo report history --metric rpc.duration --threshold 1s --objective 99% --since 30d --by route',
    'hdrscope slo report history --metric rpc.duration --threshold 1s --objective 99% -o days.csv',
  ],
  operands: { '<folder>': 'the folder of a history' },
  options: OPTIONS,
  formats: ['text', 'json', 'csv'],
  output: 'when done',
  async run({ options, operands: [folder = ''], format }, io) {
    const { metric, threshold, objective: percent, every, timeZone, by, where } = options;
    // 99.9 / 100 is 0.9990000000000001.
    const objective = Number((percent / 100).toPrecision(15));
    assertEvery(every, timeZone);
    const span = spanOf(options, Date.now());
    const asked = { metric, where, ...span };
    return askHistory(folder, options, io, async (history) => {
      const reported = await withEngine(folder, async (): Promise<Reported> => {
        const units = await historyUnits(folder, asked, history.query);
        const unit = onlyUnit(units, metric);
        const value = valueIn(threshold, unit);
        const division = { ...readDivision(every), timeZone };
        const question = { ...asked, unit, threshold: value, objective, ...division, by };
        const groups: readonly ObjectiveHistory[] = await objectiveHistory(folder, question, history.query);
        return { metric, threshold: value, objective, unit, every, timeZone, by, ...span, groups, history };
      });
      const totals = reported.groups.map(({ total }) => total);
      await noteCrossing(history, { every, timeZone, selection: asked }, totals, io);
      const texts = { text: reportText, json: reportJson, csv: reportCsv };
      await io.stdout.write(texts[format](reported, io));
      return ExitCode.done;
    });
  },
});

/** The time of a report: whole periods, unless dates say otherwise. @throws UsageError */
function spanOf(
  { since, until, every, timeZone }: OptionsOf<typeof OPTIONS>,
  nowMs: number,
): { sinceMs: number; untilMs: number } {
  const stretches = listStretches({ every: every.length, timeZone }, nowMs, nowMs + 1);
  const lastEndMs = findStretch(stretches, nowMs).startMs;
  const read = (time: GivenTime, endMs: number): number =>
    'agoMs' in time ? Math.max(0, goBack(endMs, time.agoMs, timeZone)) : momentIn(time, timeZone);
  const untilMs = until === undefined ? lastEndMs : read(until, lastEndMs);
  const sinceMs = read(since, untilMs);
  if (sinceMs >= untilMs) {
    const end = isoTime(untilMs, timeZone);
    throw new UsageError(`--since must be before the end, which is ${end}`);
  }
  return { sinceMs, untilMs };
}

/** The time so long before another one: whole days are those of the zone, which may have 23 or 25 hours. */
function goBack(endMs: number, agoMs: number, timeZone: string): number {
  if (agoMs % DAY_MS !== 0) return endMs - agoMs;
  return firstMoment(timeZone, endMs + zoneOffsetMs(timeZone, endMs) - agoMs);
}

/** @throws Refusal */
function onlyUnit(units: readonly string[], metric: string): string {
  const [unit, ...others] = units;
  if (unit === undefined) {
    throw new Refusal(
      `${metric} has no values in this time: hdrscope query FOLDER lists the metrics, and when they have values`,
    );
  }
  if (others.length === 0) return unit;
  throw new Refusal(
    `${metric} has values in the units ${units.join(' and ')}: --where chooses series of one`,
  );
}

/** @throws UsageError */
function valueIn(text: string, ucum: string): number {
  const unit = countedUnitOf({ unit: ucum });
  const value = amountIn(text, unit);
  if (value !== undefined && Number.isFinite(value)) return value;
  const allowed = `a value of at least 0, as in ${amountExample(unit)}: the metric has the unit '${ucum}'`;
  throw wrongOption('--threshold', allowed, text);
}
