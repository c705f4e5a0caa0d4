import { type Bounds, type Counted, HistogramSum, increase } from '@hdrscope/core';
import { exactly, formatDecimal } from '@hdrscope/core/internal';
import { type Figures, figuresJson, withoutEstimate } from '@hdrscope/inputs/internal';
import { formatBounds, formatCount, listNames, reasonOf } from '@hdrscope/kit';
import { intervalTicks } from '@hdrscope/kit/delivery';
import { formatValue } from '@hdrscope/plot';
import {
  fetchExposition,
  readExposition,
  type ScrapedHistogram,
  type ScrapedHistograms,
} from '@hdrscope/prometheus/scraper';
import { canonicalText } from '@hdrscope/registry/internal';
import { type Io, Refusal } from '../../command.ts';
import { defineCommand } from '../../define-command.ts';
import { boundsCells, columnsFor, columnsOption, percentilesFor } from '../../figures.ts';
import { intervalOption, intervalsOption, percentilesOption } from '../../options.ts';
import { replaceScreen } from '../../screen/screen.ts';
import { shownTable } from '../../screen/table.ts';
import { readTargetUrl } from './urls.ts';

const DESCRIPTION = `Shows the percentiles of the histograms of exporters: what each has counted between two scrapes.

A target is the URL of its metrics; without a path, the path is /metrics. Native and classic histograms are read, and
the series of all targets under one name are one row; --by has a row for each value of a label. A percentile has
the bounds of its bucket, and nothing is interpolated. Counts that fall, or another start, are a restart: all of
the new counts are new then. A target that does not answer does not delay the others; what it counted meanwhile
is shown when it is back. Summaries and gauge histograms are left out. Ctrl-C ends it.`;

/** How many rows a screen of unknown height shows. */
const USUAL_HEIGHT = 43;
const MOST_NAMED = 3;
// A target that hangs stretches an interval of less than a second.
const LEAST_TIMEOUT_MS = 1000;
const MOST_TIMEOUT_MS = 10_000;

export const command = defineCommand({
  path: 'hdrscope prometheus top',
  description: DESCRIPTION,
  examples: [
    'hdrscope prometheus top http://localhost:9100',
    'hdrscope prometheus top http://shop-1:8080 http://shop-2:8080 --by route --interval 10s',
    'hdrscope prometheus top http://localhost:9464/metrics --once --json',
  ],
  operands: { '<url...>': 'URLs of targets, such as http://localhost:9100' },
  options: {
    interval: { ...intervalOption('the time between two scrapes'), default: 5, fallback: '5s' },
    intervals: intervalsOption(),
    once: { help: 'prints one interval, and ends' },
    by: { value: '<label>', help: 'a row for each value of this label', fallback: 'a row for each name' },
    columns: columnsOption('text', ['stdev']),
    percentiles: percentilesOption(),
  },
  formats: ['text', 'json'],
  formatNotes: 'json is a line for each row and interval',
  async run({ options, operands, format }, io) {
    const { once = false, interval, by } = options;
    const isJson = format === 'json';
    const percentiles = percentilesFor(options, !isJson);
    const columns = columnsFor(options, ['rate'], []);
    const targets = operands.map((text) => newTarget(text));
    const noted = new Set<string>();
    const timeoutMs = Math.ceil(Math.min(Math.max(interval * 1000, LEAST_TIMEOUT_MS), MOST_TIMEOUT_MS));
    const read = async (): Promise<Reading[]> => {
      const nowMs = io.monotonicMs();
      return Promise.all(
        targets.map((target) => readTarget(target, nowMs, { timeoutMs, signal: io.signal })),
      );
    };
    const first = await read();
    io.signal.throwIfAborted();
    if (first.every(({ problem }) => problem !== undefined)) {
      throw new Refusal(`no target answers: ${first.map(({ problem }) => problem).join('; ')}`);
    }
    const isScreen = io.stdout.isTerminal && !once && !isJson;
    const ticks = intervalTicks(interval * 1000, io.signal);
    let readings = first;
    for (let left = once ? 1 : (options.intervals ?? Number.POSITIVE_INFINITY); left > 0; left--) {
      await noteReadings(readings, noted, io);
      await ticks();
      readings = await read();
      io.signal.throwIfAborted();
      const rows = sumRows(
        readings.flatMap(({ increases }) => increases),
        by,
      );
      const all = rows.map((row) => ({ row, figures: rowFigures(row, percentiles) }));
      if (isJson) {
        for (const { row, figures } of all) await io.stdout.write(`${rowJson(row, figures, by)}\n`);
        continue;
      }
      const cells = all.map(({ row, figures }) => [
        row.title,
        ...boundsCells(columns, figures, (bounds) => formatBucketBounds(bounds, row.unit)),
      ]);
      const most = isScreen ? Math.max((io.stdout.rows ?? USUAL_HEIGHT) - 4, 1) : cells.length;
      const titles = [
        { title: by === undefined ? 'histogram' : `histogram, ${by}`, isText: true },
        ...columns,
      ];
      const lines = [
        ...describeTargets(readings, interval),
        ...(cells.length === 0
          ? ['no histogram has counted anything']
          : shownTable(titles, cells.slice(0, most), io)),
        ...(cells.length > most ? [`and ${formatCount(cells.length - most)} more`] : []),
      ];
      const text = `${lines.join('\n')}\n`;
      await io.stdout.write(isScreen ? replaceScreen(text) : text);
    }
    await noteReadings(readings, noted, io);
  },
});

// Following targets.

interface Target {
  readonly url: string;
  /** The host and port, for messages: a URL may have a password. */
  readonly name: string;
  /** The states of its last answer, by series; `undefined` before the first one. */
  states: ReadonlyMap<string, ScrapedHistogram> | undefined;
  answeredMs: number;
  startedMs: number | undefined;
  isLate: boolean;
}

/** What a series has counted between two answers. */
interface SeriesIncrease {
  readonly family: string;
  readonly unit: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly counted: Counted;
  /** The sum of these values; `undefined` when it is unknown. */
  readonly sum: number | undefined;
  readonly isRestart: boolean;
  /** The time in which they were counted. */
  readonly seconds: number;
}

/** What came of asking a target. */
interface Reading {
  readonly target: Target;
  readonly increases: readonly SeriesIncrease[];
  readonly refusals: ScrapedHistograms['refusals'];
  /** Why it has not answered. */
  readonly problem: string | undefined;
  /** Since when it has not answered, or had not, in seconds; 0 for one that answers each time. */
  readonly lateSeconds: number;
}

/** @throws UsageError when a text is no URL of a target. */
function newTarget(text: string): Target {
  const url = readTargetUrl(text);
  return {
    ...{ url: url.href, name: url.host, states: undefined, isLate: false },
    ...{ answeredMs: 0, startedMs: undefined },
  };
}

/** Asks a target, and compares its answer with the one before. */
async function readTarget(
  target: Target,
  nowMs: number,
  options: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<Reading> {
  target.startedMs ??= nowMs;
  const sinceMs = target.states === undefined ? target.startedMs : target.answeredMs;
  const seconds = (nowMs - sinceMs) / 1000;
  try {
    const { bytes, format } = await fetchExposition({ url: target.url, ...options });
    const { families, refusals } = readExposition(bytes, format);
    const { states: before, isLate } = target;
    const states = new Map<string, ScrapedHistogram>();
    const increases: SeriesIncrease[] = [];
    for (const { name: family, unit, histograms } of families) {
      for (const histogram of histograms) {
        const key = `${family}${canonicalText(histogram.labels)}`;
        states.set(key, histogram);
        if (before === undefined) continue;
        const found = compareStates(histogram, before.get(key));
        increases.push({ ...found, family, unit, labels: histogram.labels, seconds });
      }
    }
    // A series that an answer lacks may come back.
    for (const [key, state] of before ?? []) if (!states.has(key)) states.set(key, state);
    Object.assign(target, { states, answeredMs: nowMs, isLate: false });
    return { target, increases, refusals, problem: undefined, lateSeconds: isLate ? seconds : 0 };
  } catch (error) {
    target.isLate = true;
    const problem = `${target.name}: ${reasonOf(error)}`;
    return { target, increases: [], refusals: [], problem, lateSeconds: seconds };
  }
}

/** Some targets compute their start from their age, so that it wanders. */
const WANDERING_MS = 1000;

/** A series that was not there before has begun since. */
function compareStates(
  now: ScrapedHistogram,
  before: ScrapedHistogram | undefined,
): Pick<SeriesIncrease, 'counted' | 'sum' | 'isRestart'> {
  const isOtherLife =
    before?.createdMs !== undefined &&
    now.createdMs !== undefined &&
    Math.abs(now.createdMs - before.createdMs) > WANDERING_MS;
  if (before === undefined || isOtherLife) {
    return { counted: now.counted, sum: now.sum, isRestart: isOtherLife };
  }
  const counted = increase(now.counted, before.counted);
  if (counted.isReset) return { counted, sum: now.sum, isRestart: true };
  const areKnown = now.sum !== undefined && before.sum !== undefined;
  return { counted, sum: areKnown ? now.sum - before.sum : undefined, isRestart: false };
}

// Rows.

interface Row {
  readonly family: string;
  /** The value of the label of `--by`; `undefined` without it, or where series have no such label. */
  readonly value: string | undefined;
  readonly title: string;
  readonly unit: RowUnit;
  readonly values: HistogramSum;
  /** `undefined` when that of one of its series is unknown. */
  sum: number | undefined;
  /** In values a second, of all series. */
  rate: number;
  restarts: number;
}

/** The rows of an interval: those that counted most come first. */
function sumRows(increases: readonly SeriesIncrease[], by: string | undefined): Row[] {
  const rows = new Map<string, Row>();
  for (const { family, unit, labels, counted, sum, seconds, isRestart } of increases) {
    const value = by === undefined ? undefined : labels[by];
    // Values of different units cannot be added up.
    const key = JSON.stringify([family, value, unit]);
    let row = rows.get(key);
    if (row === undefined) {
      row = {
        ...{
          family,
          value,
          unit: rowUnit(unit),
          values: new HistogramSum(),
          sum: 0,
          rate: 0,
          restarts: 0,
        },
        title: value === undefined ? family : `${family}{${by}=${JSON.stringify(value)}}`,
      };
      rows.set(key, row);
    }
    row.values.add(counted);
    row.rate += counted.counts.total / Math.max(seconds, 0.001);
    row.sum = sum === undefined || row.sum === undefined ? undefined : row.sum + sum;
    if (isRestart) row.restarts++;
  }
  return [...rows.values()]
    .filter(({ values }) => values.totalCount > 0)
    .sort((a, b) => b.values.totalCount - a.values.totalCount || (a.title < b.title ? -1 : 1));
}

/** A unit whose values are shown with it; `'none'` for all others. */
type RowUnit = 's' | 'ms' | 'us' | 'ns' | 'bytes' | 'none';

function rowUnit(unit: string): RowUnit {
  if (unit === 's' || unit === 'ms' || unit === 'us' || unit === 'ns') return unit;
  return unit === 'By' ? 'bytes' : 'none';
}

function formatBucketBounds(bounds: Bounds, unit: RowUnit): string {
  return formatBounds(bounds, (bound) => (bound === 0 ? '0' : formatValue(bound, unit)));
}

function rowFigures({ title, unit, values, sum, rate }: Row, percentiles: readonly number[]): Figures {
  const count = values.totalCount;
  return {
    ...{ name: title, unit, count, seconds: count / rate, areBounds: true },
    ...{ min: values.min, max: values.max },
    mean: sum === undefined ? values.mean : exactly(Number((sum / count).toPrecision(12))),
    percentiles: percentiles.map((percentile) => ({
      percentile,
      ...withoutEstimate(values.percentile(percentile)),
    })),
  };
}

function rowJson({ family, value, rate, restarts }: Row, figures: Figures, by: string | undefined): string {
  const { name: _, ...others } = figuresJson(figures);
  return JSON.stringify({
    ...{ name: family, ...(by !== undefined && { labels: value === undefined ? {} : { [by]: value } }) },
    ...{ seconds: figures.seconds, ratePerSec: rate, restarts },
    ...others,
  });
}

// Notes.

/** The line above the table: how many targets there are, and how late others are. */
function describeTargets(readings: readonly Reading[], interval: number): string[] {
  const answering = readings.filter(({ problem }) => problem === undefined);
  const what = answering.length === 1 ? '1 target' : `${formatCount(answering.length)} targets`;
  return [
    `${what}, ${formatDecimal(interval, interval < 10 ? 1 : 0)} s`,
    ...readings.flatMap(({ problem, lateSeconds, target }) => {
      const seconds = formatValue(lateSeconds, 's');
      if (problem !== undefined) return [`${target.name} has not answered for ${seconds}`];
      return lateSeconds > 0 ? [`${target.name} is back: its values are those of ${seconds}`] : [];
    }),
  ];
}

/** Says on standard error why targets do not answer, what is left out, and what began anew: each once. */
async function noteReadings(readings: readonly Reading[], noted: Set<string>, io: Io): Promise<void> {
  for (const { target, problem, refusals, increases } of readings) {
    const restarted = increases.filter(({ isRestart }) => isRestart);
    const byProblem = new Map<string, Set<string>>();
    for (const { family, problem: why } of refusals) {
      byProblem.set(why, (byProblem.get(why) ?? new Set()).add(family));
    }
    const lines = [
      ...(problem === undefined ? [] : [problem]),
      ...[...byProblem].map(([why, families]) => {
        const subject = families.size === 1 ? 'it' : 'each';
        return `left out: ${listNames([...families], MOST_NAMED)}: ${subject} ${why}`;
      }),
    ].filter((line) => !noted.has(line));
    for (const line of lines) noted.add(line);
    if (restarted.length > 0) {
      const names = listNames([...new Set(restarted.map(({ family }) => family))], MOST_NAMED);
      lines.push(`${target.name}: counters were reset: ${names}`);
    }
    for (const line of lines) await io.stderr.write(`hdrscope: ${line}\n`);
  }
}
