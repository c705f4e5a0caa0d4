import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type HistoryRow, rowsBetween, writeRows } from '@hdrscope/history';
import { DAY, dayOf } from '@hdrscope/history/internal';
import { DAY_MS, formatCount, formatTime, listNames, MINUTE_MS, suggestion, valuesText } from '@hdrscope/kit';
import { listRemoteHistograms, type RemoteReadHealth, readRemote } from '@hdrscope/prometheus/receiver';
import type { Snapshot } from '@hdrscope/registry';
import { ExitCode, type Io, Refusal, UsageError } from '../../command.ts';
import { spanOf } from '../../moment.ts';
import { readServerUrl } from '../prometheus/urls.ts';
import { type AskedHistory, askHistory } from './engine.ts';
import { assertOfServer, type Options } from './options.ts';

const HOUR_MS = 60 * MINUTE_MS;
/** Lengths of rows: from each one to the next, a longer time has about as many rows. */
const STEPS_MS = [MINUTE_MS, 5 * MINUTE_MS, HOUR_MS, DAY_MS];
const MOST_STEPS = 2000;
const MOST_WAITING_ROWS = 10_000;
const MOST_NAMES = 10;
const PRODUCER = 'prometheus';

/**
 * Asks a Prometheus server as if it were a history: reads what the metric counted in the time that is asked for into a folder that lasts as
 * long as the question.
 *
 * @returns The exit code.
 */
export async function askPrometheus(
  options: Options & { readonly prometheus: string },
  io: Io,
  ask: (history: AskedHistory) => Promise<number>,
): Promise<number> {
  assertOfServer(options);
  const { prometheus: url, metric } = options;
  const server = readServerUrl(url, '--prometheus');
  if (metric === undefined) {
    const names = await listRemoteHistograms({ url, signal: io.signal });
    const known =
      names.length === 0 ? 'knows no histogram by its targets' : `has ${listNames(names, MOST_NAMES)}`;
    throw new UsageError(`--prometheus goes with --metric: ${server.host} ${known}`);
  }
  const folder = await mkdtemp(join(tmpdir(), 'hdrscope-'));
  try {
    const health = await readInto(folder, { ...options, metric }, io);
    if (health.values === 0) throw new Refusal(await describeNothing(options, metric, server, health));
    await noteHealth(health, server, io);
    const exitCode = await askHistory(folder, options, io, ask);
    const isRefused = lacksValues(health) && options.allowMissing !== true && exitCode === ExitCode.done;
    return isRefused ? ExitCode.refused : exitCode;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Writes what the metric counted to files of a history. */
async function readInto(
  folder: string,
  options: Options & { readonly prometheus: string; readonly metric: string },
  { signal }: Io,
): Promise<RemoteReadHealth> {
  const { prometheus: url, metric, where } = options;
  const { sinceMs, untilMs } = readSpan(options);
  const stepMs = chooseStep(options, untilMs - sinceMs);
  let earlier: Snapshot | undefined;
  let health: RemoteReadHealth | undefined;
  let rows: HistoryRow[] = [];
  let [files, sequence] = [0, 0];
  const write = async (): Promise<void> => {
    for (const day of new Set(rows.map(({ startMs }) => dayOf(startMs)))) {
      const ofDay = rows.filter(({ startMs }) => dayOf(startMs) === day);
      await writeRows(join(folder, `${DAY}${day}`, `${files++}.parquet`), ofDay);
    }
    rows = [];
  };
  for await (const state of readRemote({ url, metric, where, sinceMs, untilMs, stepMs, signal })) {
    ({ health } = state);
    if (earlier !== undefined) {
      for (const row of rowsBetween(earlier, state.snapshot, { producer: PRODUCER, sequence })) {
        rows.push(row);
        sequence++;
      }
    }
    earlier = state.snapshot;
    if (rows.length >= MOST_WAITING_ROWS) await write();
  }
  await write();
  return health!;
}

/** The time that the options ask for: that of the ranges to compare, or the last hour unless they state another one. */
function readSpan(options: Options): {
  readonly sinceMs: number;
  readonly untilMs: number;
} {
  const ranges = [...options.before, ...options.after];
  if (ranges.length > 0) {
    return {
      sinceMs: ranges.reduce((least, { sinceMs }) => Math.min(least, sinceMs), Number.POSITIVE_INFINITY),
      untilMs: ranges.reduce((most, { untilMs }) => Math.max(most, untilMs), 0),
    };
  }
  const { sinceMs, untilMs = Date.now() } = spanOf(options);
  return { sinceMs: sinceMs ?? untilMs - HOUR_MS, untilMs };
}

/** The length of a row. Stretches of `--every` are made of whole rows, and so are ranges to compare that begin at full minutes. */
function chooseStep({ every, timeZone, before, after }: Options, lengthMs: number): number {
  if (before.length + after.length > 0) return MINUTE_MS;
  // Days and months have whole days of UTC. Offsets of zones have whole quarters of an hour.
  const length = typeof every?.length === 'number' ? every.length : DAY_MS;
  const isFitting = (stepMs: number): boolean =>
    every === undefined || (length % stepMs === 0 && (timeZone === 'UTC' || stepMs <= 5 * MINUTE_MS));
  const fitting = STEPS_MS.filter(isFitting);
  return fitting.find((stepMs) => lengthMs / stepMs <= MOST_STEPS) ?? fitting.at(-1) ?? length;
}

const EMPTY = 'its remote read sends no samples of them; Prometheus sends native histograms from 2.44 on';

/** Whether values are missing that the server may have. */
function lacksValues({ refused, emptySeries, lostValues }: RemoteReadHealth): boolean {
  return emptySeries + lostValues + Object.values(refused).reduce((sum, count) => sum + count, 0) > 0;
}

async function noteHealth(health: RemoteReadHealth, { host }: URL, io: Io): Promise<void> {
  const { undatedValues, lostValues, problems, refused, emptySeries } = health;
  const notes = [
    ...(emptySeries > 0 ? [`${formatCount(emptySeries)} series are left out: ${EMPTY}`] : []),
    ...(undatedValues > 0
      ? [
          `${valuesText(undatedValues)} of series that came later are left out: nothing says whether they were counted in this time`,
        ]
      : []),
    ...(lostValues > 0
      ? [`${valuesText(lostValues)} are left out: between classic and native buckets, their place is unknown`]
      : []),
    ...(problems.length > 0
      ? [
          `${formatCount(Object.values(refused).reduce((sum, count) => sum + count, 0))} states of histograms of ${host} are refused: ${listNames(problems, 3, '; ')}`,
        ]
      : []),
  ];
  for (const note of notes) await io.stderr.write(`hdrscope: ${note}\n`);
}

async function describeNothing(
  options: Options & { readonly prometheus: string },
  metric: string,
  { host }: URL,
  { series, problems, undatedValues, emptySeries }: RemoteReadHealth,
): Promise<string> {
  const { sinceMs, untilMs } = readSpan(options);
  const time = `from ${formatTime(sinceMs / 1000)} to ${formatTime(untilMs / 1000)}`;
  const whole = metric.replace(/_(bucket|sum|count)$/, '');
  if (whole !== metric) return `${metric} is a part of a histogram: --metric ${whole} asks for all of it`;
  if (problems.length > 0) return `${host} has no values of ${metric} ${time} that count: ${problems[0]}`;
  if (emptySeries > 0) return `${host} has ${metric} ${time}, but ${EMPTY}`;
  if (undatedValues > 0) {
    return `${host} has the first sample of ${metric} ${time}: nothing says when its ${valuesText(undatedValues)} were counted`;
  }
  if (series > 0) return `${host} counted no value of ${metric} ${time}`;
  const names = await listRemoteHistograms({ url: options.prometheus }).catch((): string[] => []);
  const others = names.includes(metric) ? [] : names;
  const hint =
    suggestion(metric, others) || (others.length === 0 ? '' : `: it has ${listNames(others, MOST_NAMES)}`);
  const chosen = Object.keys(options.where).length === 0 ? '' : ' with these attributes';
  return `${host} has no samples of a histogram ${metric}${chosen} ${time}${hint}`;
}
