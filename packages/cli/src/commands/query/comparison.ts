import type { Bounds, Resolution } from '@hdrscope/core';
import { resolutionOf } from '@hdrscope/core/internal';
import { type MergedRow, queryMergedRows } from '@hdrscope/history';
import { histogramsOfRow, type MergeQuestion, type TimeRange } from '@hdrscope/history/internal';
import { scaled, type ValueScale } from '@hdrscope/inputs/internal';
import { DAY_MS, listNames, MINUTE_MS } from '@hdrscope/kit';
import { attributePairs, type ComparisonPlot } from '@hdrscope/plot';
import { makeComparisonPlot, type PlottedChange, type PlottedSide } from '@hdrscope/plot/internal';
import { Refusal } from '../../command.ts';
import type { ComparedBuild } from '../../comparison/changes.ts';
import {
  type ComparedRun,
  DEFAULT_CONFIDENCE,
  type Differences,
  differencesOf,
} from '../../comparison/index.ts';
import { stretchStart } from '../../moment.ts';
import { figuresOfRow, plotTitle, shownUnitOf } from './answer.ts';
import { type AskedHistory, withEngine } from './engine.ts';
import { type Options, selectionOf } from './options.ts';
import { curveOfRow } from './plots.ts';

/** Two distributions of a history that are compared. */
export interface HistoryComparison {
  /** Each range of time, or each group, is a run. */
  readonly sides: readonly [before: readonly HistoryRun[], after: readonly HistoryRun[]];
  /** UCUM code of the unit of both. */
  readonly unit: string;
  /** From the integers of both histograms to the values that are shown. */
  readonly scale: ValueScale;
}

interface HistoryRun extends ComparedRun {
  readonly row: MergedRow;
}

/**
 * Reads the ranges of time, or the two groups of `--by`, that a command line compares.
 *
 * @throws Refusal when a side has no values, there are not two groups, or their values have no common slots.
 */
export async function readComparison(history: AskedHistory, options: Options): Promise<HistoryComparison> {
  const { before, after } = options;
  const isOfRanges = before.length > 0;
  const read = async (ranges: readonly TimeRange[]): Promise<NamedRow[]> => {
    const rows: NamedRow[] = [];
    for (const range of ranges) rows.push(await rangeOf(history, options, range, ranges.length === 1));
    return rows;
  };
  const named = isOfRanges
    ? [await read(before), await read(after)]
    : (await groupsOf(history, options)).map((group) => [group]);
  const all = named.flat();
  const one = withOneStep(all);
  const isWide = all.some(({ row }) => row.w.length > 0);
  const [first, second] = named.map((rows) => rows.map((row) => runOf(row, isWide))) as [
    HistoryRun[],
    HistoryRun[],
  ];
  return { sides: [first, second], unit: one.row.unit, scale: scaleOf(one.row) };
}

/** The first of rows that are counted in equal steps. @throws Refusal */
function withOneStep(all: readonly NamedRow[]): NamedRow {
  const [one, ...others] = all as [NamedRow, ...NamedRow[]];
  const { unit, scale } = one.row;
  const other = others.find(({ row }) => row.unit !== unit || row.scale !== scale);
  if (other === undefined) return one;
  throw new Refusal(
    `${one.name} is counted in steps of ${stepText(one.row)} and ${other.name} in steps of ${stepText(other.row)}: only equal steps are compared`,
  );
}

/** The builds of a history, in the order of their first values. */
export interface HistoryBuilds {
  readonly builds: readonly ComparedBuild[];
  readonly scale: ValueScale;
  /** How many values are of no build. */
  readonly lost: number;
}

/**
 * Reads the builds that an attribute names. The values of a build are one run.
 *
 * @throws Refusal when no series has the attribute, or values have no common slots.
 */
export async function readBuilds(
  history: AskedHistory,
  options: Options,
  key: string,
): Promise<HistoryBuilds> {
  const rows = await rowsOf(history, { ...selectionOf(options), by: [key] });
  const named = rows
    .sort((a, b) => a.startMs - b.startMs)
    .flatMap((row): NamedRow[] => {
      const name = row.attributes[key];
      return name === undefined ? [] : [{ name, row }];
    });
  if (named.length === 0) throw new Refusal(`${options.metric} has no values with the attribute ${key}`);
  const isWide = named.some(({ row }) => row.w.length > 0);
  const { row } = withOneStep(named);
  const sum = (all: readonly MergedRow[]): number => all.reduce((total, { count }) => total + count, 0);
  return {
    builds: named.map((one) => ({ name: one.name, runs: [runOf(one, isWide)] })),
    scale: scaleOf(row),
    lost: sum(rows) - sum(named.map((one) => one.row)),
  };
}

interface NamedRow {
  readonly name: string;
  readonly row: MergedRow;
  /** The same values by stretches of time. @default they are not known */
  readonly stretches?: readonly MergedRow[];
}

async function rangeOf(
  history: AskedHistory,
  options: Options,
  range: TimeRange,
  hasStretches: boolean,
): Promise<NamedRow> {
  const name = rangeText(range);
  const [row, ...others] = await rowsOf(history, { ...selectionOf(options), ...range, by: [] });
  if (row === undefined) throw new Refusal(`${options.metric} has no values to compare in ${name}`);
  if (others.length > 0) {
    throw new Refusal(
      `${options.metric} is counted in steps of ${[row, ...others].map(stepText).join(' and ')} in ${name}: --where chooses series of one step`,
    );
  }
  // The spread of several ranges says all that their stretches could.
  if (!hasStretches) return { name, row };
  const everyMs = Math.max(Math.ceil((range.untilMs - range.sinceMs) / STRETCHES), 1);
  const stretches = await rowsOf(history, { ...selectionOf(options), ...range, by: [], everyMs });
  return { name, row, stretches };
}

/** Into how many stretches of time a range is divided, to see how dependent its values are. */
const STRETCHES = 60;

async function groupsOf(history: AskedHistory, options: Options): Promise<NamedRow[]> {
  const { by } = options;
  const rows = await rowsOf(history, { ...selectionOf(options), by });
  const named = rows.map((row) => ({ name: nameOf(row, by), row }));
  if (named.length === 2) return named;
  const names = named.map(({ name }) => name);
  const found = names.length === 0 ? 'no group' : listNames(names, MOST_NAMES, '; ');
  throw new Refusal(`a comparison takes two groups, got ${found}: --where and --by choose them`);
}

const MOST_NAMES = 5;

async function rowsOf(history: AskedHistory, question: MergeQuestion): Promise<MergedRow[]> {
  return withEngine(history.folder, async () => {
    const rows: MergedRow[] = [];
    for await (const row of queryMergedRows(history.folder, question, history.query)) rows.push(row);
    return rows;
  });
}

function nameOf({ attributes }: MergedRow, by: readonly string[]): string {
  return attributePairs(attributes).join(', ') || `no ${by.join(', ')}`;
}

/** A range as people read it: `2026-03-10`, `2026-03-10 to 2026-03-17`, `2026-03-10 14:00 to 15:10`. Days are whole days. */
function rangeText({ sinceMs, untilMs }: TimeRange): string {
  const unitMs = [DAY_MS, MINUTE_MS].find((ms) => sinceMs % ms === 0 && untilMs % ms === 0) ?? 1;
  const [from, to] = [stretchStart(sinceMs, unitMs), stretchStart(untilMs, unitMs)];
  if (unitMs === DAY_MS) return untilMs - sinceMs === DAY_MS ? from : `${from} to ${to}`;
  return from.slice(0, DATE_LENGTH) === to.slice(0, DATE_LENGTH)
    ? `${from} to ${to.slice(DATE_LENGTH)}`
    : `${from} to ${to}`;
}

const DATE_LENGTH = '2026-03-10 '.length;

function stepText({ unit, scale }: MergedRow): string {
  return `${scale} ${unit}`.trim();
}

/** @param hasBounds Whether the figures of the comparison are bounds. */
function runOf({ name, row, stretches = [] }: NamedRow, hasBounds: boolean): HistoryRun {
  const bounded = histogramsOfRow(row);
  const { histogram } = bounded;
  return {
    name,
    values: row.w.length === 0 ? histogram : bounded,
    stretches: hasBounds ? [] : stretches.map((stretch) => histogramsOfRow(stretch).lowest),
    totalCount: histogram.totalCount,
    row,
    ...(hasBounds && { boundsOf: (percentiles) => figuresOfRow(row, name, percentiles) }),
  };
}

function scaleOf({ unit, scale }: MergedRow): ValueScale {
  const shown = shownUnitOf(unit).scale;
  const { ticksPerUnit, unitsPerTick }: Resolution = resolutionOf(scaled(scale, shown));
  return { divisor: ticksPerUnit / unitsPerTick, unit: shown.unit };
}

/** The differences of both sides, with the verdicts of `hdrscope diff`. */
export function historyDifferences(
  { sides: [before, after], scale }: HistoryComparison,
  { percentiles, confidence = DEFAULT_CONFIDENCE, failIfWorse, mustExclude, minRuns, oneRun }: Options,
): Differences {
  const options = {
    ...{ percentiles, confidence, minRuns },
    ...(failIfWorse !== undefined && { failIfWorse }),
    ...(mustExclude !== undefined && { mustExclude }),
    ...(oneRun !== undefined && { oneRun }),
  };
  return differencesOf(before, after, scale, options);
}

/** Both curves, and the differences of their percentiles. */
export function comparisonPlotOf(
  { sides, unit: ucum, scale }: HistoryComparison,
  { metric = '', percentiles, confidence = DEFAULT_CONFIDENCE }: Options,
  columns: number,
): ComparisonPlot {
  const shown = shownUnitOf(ucum);
  const [[before], [after]] = sides as [[HistoryRun], [HistoryRun]];
  const plotted = ({ name, values, stretches = [], row }: HistoryRun): PlottedSide => ({
    ...{ values, stretches },
    valueScale: scale.divisor,
    curve: curveOfRow(row, name, columns),
  });
  const plot = makeComparisonPlot(plotted(before), plotted(after), {
    unit: shown.unit,
    percentiles,
    confidence,
  });
  const [was, is] = [before, after].map((run) => boundsOf(run, percentiles));
  const changes = plot.changes.map((change, i): PlottedChange => {
    const [one, other] = [was?.[i], is?.[i]];
    return {
      ...change,
      ...(one && { before: one.upper, beforeLower: one.lower }),
      ...(other && { after: other.upper, afterLower: other.lower }),
    };
  });
  return { ...plot, changes, title: plotTitle(metric, shown) };
}

/** The bounds of percentiles of wide buckets, in the unit that is shown; `undefined` where values have those of their slots. */
function boundsOf({ row, name }: HistoryRun, percentiles: readonly number[]): readonly Bounds[] | undefined {
  return row.w.length === 0 ? undefined : figuresOfRow(row, name, percentiles).percentiles;
}
