import type { Bounds } from '@hdrscope/core';
import { resolutionOf, scaledLayout } from '@hdrscope/core/internal';
import {
  countedOfRow,
  figureBounds,
  type HistoryGroup,
  historySpan,
  type MergedRow,
  queryMergedRows,
  slotBounds,
} from '@hdrscope/history';
import { divideBy, histogramsOfRow, stretchFor } from '@hdrscope/history/internal';
import { scaled } from '@hdrscope/inputs/internal';
import { formatDurationParts, percentileName, Slices } from '@hdrscope/kit';
import {
  attributePairs,
  type Curve,
  createHeatMap,
  curveOfSeries,
  type HeatMapBuilder,
  type HeatMapPlot,
  type PercentilePlot,
  type Plot,
  type TimePlot,
} from '@hdrscope/plot';
import type { CurvePoint } from '@hdrscope/plot/internal';
import { boundsOfSlots } from '@hdrscope/registry/internal';
import { type Io, Refusal } from '../../command.ts';
import { readDivision } from '../../moment.ts';
import { type Asked, groupFigures, plotTitle, type ShownGroup, shownGroups, shownUnitOf } from './answer.ts';
import { noteCrossing } from './crossing.ts';
import { type AskedHistory, withEngine } from './engine.ts';
import { type Options, selectionOf } from './options.ts';

// As many columns as a heat map has.
const MOST_STRETCHES = 240;

// The maps of more groups would be too small to read.
const MOST_MAPS = 20;

/**
 * Heat maps of a metric over time, one for each group and unit. The engine merges the slots of each stretch of time: those of `--every`,
 * else as many as a heat map has columns. Memory does not grow with the length of the history.
 *
 * @throws Refusal when there are too many groups.
 */
export async function heatMapsOf(history: AskedHistory, options: Options, io: Io): Promise<HeatMapPlot[]> {
  const { by, every, timeZone } = options;
  const length = every === undefined ? await chosenStretch(history, options) : undefined;
  if (every === undefined && length === undefined) return [];
  const division = length === undefined ? readDivision(every) : divideBy(length);
  const question = { ...selectionOf(options), by, ...division, timeZone };
  const crossing = { count: 0, crossingCount: 0 };
  const maps = new Map<string, HeatMapBuilder>();
  const slices = new Slices();
  await withEngine(history.folder, async () => {
    for await (const row of queryMergedRows(history.folder, question, history.query)) {
      if (slices.isOver()) await slices.next();
      const key = JSON.stringify([row.unit, row.attributes]);
      const map = maps.get(key) ?? heatMapFor(row);
      maps.set(key, map);
      if (maps.size > MOST_MAPS) {
        throw new Refusal(
          `at most ${MOST_MAPS} heat maps are drawn, and there are more groups: --where chooses series`,
        );
      }
      addTo(map, row);
      crossing.count += row.count;
      crossing.crossingCount += row.crossingCount;
    }
  });
  // Stretches below a day that suit the picture have about the length of intervals, and show no more than these do.
  const chosen = division.every && { text: formatDurationParts(length ?? 0), length: division.every };
  const selection = selectionOf(options);
  await noteCrossing(history, { every: every ?? chosen, timeZone, selection }, [crossing], io);
  return [...maps.values()].map((map) => ({ ...map.plot(), ...zoneOf(timeZone) }));
}

/** The zone of a plot, unless it is UTC. */
function zoneOf(timeZone: string): { readonly timeZone?: string } {
  return timeZone === 'UTC' ? {} : { timeZone };
}

async function chosenStretch(history: AskedHistory, options: Options): Promise<number | undefined> {
  const span = await withEngine(history.folder, () =>
    historySpan(history.folder, selectionOf(options), history.query),
  );
  return span && stretchFor(span, MOST_STRETCHES);
}

function heatMapFor({ metric, unit, attributes }: MergedRow): HeatMapBuilder {
  const shown = shownUnitOf(unit);
  const name = [metric, ...attributePairs(attributes)].join(', ');
  return createHeatMap({ unit: shown.unit, title: plotTitle(name, shown) });
}

function addTo(map: HeatMapBuilder, { startMs, endMs, unit, scale, bits, k, c, w }: MergedRow): void {
  const resolution = resolutionOf(scaled(scale, shownUnitOf(unit).scale));
  const isNarrow = (_: unknown, i: number): boolean => (w[i] ?? 0) === 0;
  const histogram = countedOfRow({ bits, k: k.filter(isNarrow), c: c.filter(isNarrow) });
  const { layout } = histogram;
  const unitLayout = scaledLayout(layout, resolution);
  const wide = k.flatMap((slot, i) => {
    if (isNarrow(slot, i)) return [];
    const first = layout.slotOf(slotBounds(slot, bits).lower);
    const last = layout.slotOf(slotBounds(slot + w[i]!, bits).upper);
    return [{ ...boundsOfSlots(unitLayout, first, last), count: c[i]! }];
  });
  map.add({ startMs, endMs, histogram, unitLayout, wide });
}

// Curves.

/**
 * The curve of a row, in the unit that is shown. Where values lie in wide buckets, points have bounds, which are no wider than the minimum
 * and the maximum allow.
 *
 * @param columns How many columns the picture has.
 */
export function curveOfRow(row: MergedRow, name: string, columns: number): Curve {
  const { scale } = shownUnitOf(row.unit);
  const { lowest: lower, highest: upper } = histogramsOfRow(row);
  const family = { name, resolution: resolutionOf(scaled(row.scale, scale)) };
  const ends = { lower: lower.counts, upper: upper.counts };
  const curve = curveOfSeries(family, { attributes: {}, histogram: upper }, { name, columns, ends });
  const { min, max } = figureBounds(row);
  const [least, most] = [scaled(min.lower, scale), scaled(max.upper, scale)];
  const points = curve.points.map(({ value, lower, upper, ...point }) => ({
    ...point,
    value: Math.min(value, most),
    ...(lower !== undefined &&
      upper !== undefined && { lower: Math.max(lower, least), upper: Math.min(upper, most) }),
  }));
  return { ...curve, points };
}

/** Reads the curves of the groups that an answer has. */
async function readWideCurves(history: AskedHistory, options: Options, columns: number): Promise<WideCurves> {
  const { by } = options;
  const rows = new Map<string, MergedRow>();
  await withEngine(history.folder, async () => {
    for await (const row of queryMergedRows(history.folder, { ...selectionOf(options), by }, history.query))
      rows.set(keyOf(row), row);
  });
  return (group, name) => {
    const row = rows.get(keyOf(group));
    // Between two questions, rows may be removed.
    if (row === undefined)
      throw new Refusal(`the values of ${name} were removed while they were read: ask again`);
    return curveOfRow(row, name, columns);
  };
}

function keyOf({ attributes, unit, scale }: Pick<MergedRow, 'attributes' | 'unit' | 'scale'>): string {
  return JSON.stringify([unit, scale, Object.entries(attributes).sort(([a], [b]) => (a < b ? -1 : 1))]);
}

// Plots.

// A picture with more lines shows nothing.
const MOST_LINES = 100;

const NINES = 6;
const STEPS_OF_NINE = 9;

/** The percentiles that a curve is made of: nine for each nine. */
export const CURVE_PERCENTILES: readonly number[] = Array.from({ length: NINES * STEPS_OF_NINE }, (_, at) => {
  const nine = Math.floor(at / STEPS_OF_NINE);
  const rest = 10 ** -nine * (1 - ((at % STEPS_OF_NINE) + 1) / 10);
  return Number((100 * (1 - rest)).toPrecision(12));
});

/** Makes the curve of a group whose values lie in wide buckets. */
type WideCurves = (group: HistoryGroup, name: string) => Curve;

/**
 * The answer as plots, one for each unit: percentiles over time when the question has buckets of time, else a curve for each group.
 *
 * @param columns How many columns the picture has.
 * @throws Refusal when a plot would have too many lines.
 */
export async function answerPlots(
  groups: readonly HistoryGroup[],
  asked: Asked,
  history: AskedHistory,
  options: Options,
  columns: number,
): Promise<Plot[]> {
  const { units } = shownGroups(groups, asked.metric, asked.by);
  if (asked.every !== undefined) {
    return units.map((shown) => overTime(shown, plotTitle(asked.metric, shown[0]!), asked));
  }
  for (const shown of units) assertFew(shown.length, 'curves');
  const curveOfWide = groups.some(({ isWide }) => isWide)
    ? await readWideCurves(history, options, columns)
    : undefined;
  return units.map(
    (shown): PercentilePlot => ({
      kind: 'percentiles',
      title: plotTitle(asked.metric, shown[0]!),
      unit: shown[0]!.unit,
      curves: shown.map((one) =>
        one.group.isWide && curveOfWide ? curveOfWide(one.group, one.name) : curveOf(one),
      ),
    }),
  );
}

/** The value at a percentile: the upper end of its slot, and the maximum itself. */
function valueAt({ percentiles, max }: HistoryGroup, percentile: number): number {
  return percentile === 100 ? max.upper : percentiles.find((one) => one.percentile === percentile)!.value;
}

function curveOf({ group, name, scale }: ShownGroup): Curve {
  const { count, max } = group;
  const known = CURVE_PERCENTILES.filter((percentile) => (1 - percentile / 100) * count >= 1);
  // Between two percentiles the curve is a straight line.
  const points = [...known, 100].map(
    (percentile): CurvePoint => ({
      percentile,
      from: percentile,
      value: scaled(percentile === 100 ? max.upper : Math.min(max.upper, valueAt(group, percentile)), scale),
    }),
  );
  return { name, points, totalCount: count };
}

function overTime(shown: readonly ShownGroup[], title: string, asked: Asked): TimePlot {
  const stretches = new Map(shown.map(({ group }) => [group.startMs!, group.endMs!]));
  const timesMs = withGaps([...stretches].sort(([a], [b]) => a - b));
  const byName = new Map<string, Map<number, ShownGroup>>();
  for (const one of shown) {
    const ofName = byName.get(one.name) ?? new Map<number, ShownGroup>();
    byName.set(one.name, ofName.set(one.group.startMs!, one));
  }
  assertFew(byName.size * asked.percentiles.length, 'lines');
  const lines = [...byName].flatMap(([name, ofName]) =>
    asked.percentiles.map((percentile) => {
      const shownAt = timesMs.map((timeMs) => lineValue(ofName.get(timeMs), percentile));
      const lower = shownAt.map((one) => one?.lower ?? null);
      return {
        name: byName.size === 1 ? percentileName(percentile) : `${name} ${percentileName(percentile)}`,
        values: shownAt.map((one) => one?.value ?? null),
        ...(lower.some((value) => value !== null) && { lower }),
      };
    }),
  );
  const hasOpen = shown.some((one) =>
    asked.percentiles.some((percentile) => !Number.isFinite(boundsIn(one, percentile).upper)),
  );
  return {
    kind: 'over-time',
    title,
    ...(hasOpen && { subtitle: 'buckets without an end are shown at their lower bounds' }),
    unit: shown[0]!.unit,
    timesMs,
    lines,
    totalCount: shown.reduce((sum, { group }) => sum + group.count, 0),
    endMs: stretches.get(timesMs.at(-1)!)!,
    ...zoneOf(asked.timeZone),
  };
}

function boundsIn(one: ShownGroup, percentile: number): Bounds {
  return groupFigures(one, { percentiles: [percentile] }).percentiles[0]!;
}

/** A value of a line, and its lower bound where it lies in a wide bucket; `undefined` without values. */
function lineValue(
  one: ShownGroup | undefined,
  percentile: number,
): { readonly value: number; readonly lower?: number } | undefined {
  if (one === undefined) return undefined;
  if (!one.group.isWide) return { value: scaled(valueAt(one.group, percentile), one.scale) };
  const { lower, upper } = boundsIn(one, percentile);
  // A picture has no place for values without a bound.
  return Number.isFinite(upper) ? { value: upper, lower } : { value: lower, lower };
}

/** The starts of stretches, and that of each gap, where lines are to end. @param stretches Ascending. */
function withGaps(stretches: readonly (readonly [startMs: number, endMs: number])[]): number[] {
  return stretches.flatMap(([startMs, endMs], at) => {
    const next = stretches[at + 1];
    return next === undefined || next[0] <= endMs ? [startMs] : [startMs, endMs];
  });
}

/** @throws Refusal */
function assertFew(count: number, what: string): void {
  if (count <= MOST_LINES) return;
  throw new Refusal(
    `a plot shows at most ${MOST_LINES} ${what}, got ${count}: --where chooses series, and --percentiles fewer percentiles`,
  );
}
