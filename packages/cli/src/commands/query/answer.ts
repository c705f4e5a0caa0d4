import type { Bounds } from '@hdrscope/core';
import { figureBounds, type HistoryGroup, type MergedRow, percentilesOf } from '@hdrscope/history';
import {
  type Figure,
  type Figures,
  figuresJson,
  scaled,
  type ValueScale,
  valueScaleOf,
} from '@hdrscope/inputs/internal';
import { percentileName } from '@hdrscope/kit';
import {
  attributePairs,
  type Curve,
  countedUnitOf,
  type PercentilePlot,
  type Plot,
  type TimePlot,
} from '@hdrscope/plot';
import type { CurvePoint } from '@hdrscope/plot/internal';
import type { CountedUnit } from '@hdrscope/registry';
import { type Io, Refusal } from '../../command.ts';
import {
  type ColumnOptions,
  columnsFor,
  csvCells,
  csvTitles,
  figureCells,
  jsonDocument,
} from '../../figures.ts';
import { stretchStart } from '../../moment.ts';
import { wrapToScreen } from '../../screen/help-text.ts';
import { csvLine, shownTable } from '../../screen/table.ts';
import { type AskedHistory, missingJson } from './engine.ts';

// Groups.

/** The unit in which the values of a group are shown. */
interface ShownUnit {
  /** As the documents of JSON have it. */
  readonly unit: CountedUnit;
  /** As people read it; empty when values have no unit. */
  readonly title: string;
  /** The divisor of values in the unit of the metric. */
  readonly scale: ValueScale;
}

/** Times are shown in milliseconds, as in all commands; units that commands do not know keep their UCUM code. */
export function shownUnitOf(ucum: string): ShownUnit {
  const unit = countedUnitOf({ unit: ucum });
  const scale = valueScaleOf(unit);
  if (scale.unit === '') return { unit, title: ucum === '1' ? '' : ucum, scale };
  return { unit: scale.unit, title: scale.unit, scale };
}

/** The line above a table: the metric, and the unit of its values. */
export function headingOf(metric: string, { title }: ShownUnit): string {
  return title === '' ? metric : `${metric}, values in ${title}`;
}

/** The title of a plot: what is drawn, and the unit where the axis cannot name it. */
export function plotTitle(name: string, { unit, title }: ShownUnit): string {
  return unit === 'none' && title !== '' ? `${name} in ${title}` : name;
}

interface ShownGroup extends ShownUnit {
  readonly group: HistoryGroup;
  /** The values of the keys of `--by`, in their order, and the step of the values where groups differ in nothing else. */
  readonly cells: readonly string[];
  /** The group's name in plots and documents. */
  readonly name: string;
}

/** The text for a key that the series of a group do not have. */
const WITHOUT = '-';

/** How groups are shown: groups of one unit together, units in the order of their first group. */
function shownGroups(
  groups: readonly HistoryGroup[],
  metric: string,
  by: readonly string[],
): { readonly keys: readonly string[]; readonly units: readonly (readonly ShownGroup[])[] } {
  const hasSteps = new Set(groups.map(({ unit, scale }) => `${scale} ${unit}`)).size > 1;
  const keys = hasSteps ? [...by, 'step'] : by;
  const units = new Map<string, ShownGroup[]>();
  for (const group of groups) {
    const { attributes, unit, scale } = group;
    const step = hasSteps ? [`${scale} ${unit}`.trim()] : [];
    const cells = [...by.map((key) => attributes[key] ?? WITHOUT), ...step];
    const name = [attributePairs(attributes).join(', ') || (by.length === 0 ? metric : WITHOUT), ...step];
    const shown = { ...shownUnitOf(unit), group, cells, name: name.join(' in steps of ') };
    const ofUnit = units.get(unit);
    if (ofUnit === undefined) units.set(unit, [shown]);
    else ofUnit.push(shown);
  }
  return { keys, units: [...units.values()] };
}

// Tables and documents.

/** A question whose answer is printed. */
interface Asked extends ColumnOptions {
  readonly metric: string;
  readonly by: readonly string[];
  /** The length of a bucket of time; `undefined` for one bucket. */
  readonly everyMs: number | undefined;
}

/** The answer as tables: one for each unit. */
export function answerText(groups: readonly HistoryGroup[], asked: Asked, io: Io): string {
  const { keys, units } = shownGroups(groups, asked.metric, asked.by);
  return units
    .map((shown) => {
      const head = headingOf(asked.metric, shown[0]!);
      return `${wrapToScreen(head, io)}\n\n${tableOf(shown, keys, asked, io).join('\n')}\n`;
    })
    .join('\n');
}

function tableOf(shown: readonly ShownGroup[], keys: readonly string[], asked: Asked, io: Io): string[] {
  const { everyMs } = asked;
  const isTimed = everyMs !== undefined;
  const figures = shown.map((one) => groupFigures(one, asked));
  const columns = columnsFor(asked, USUAL);
  const values = figureCells(columns, figures, shown[0]!.scale.unit);
  const rows = shown.map(({ group, cells }, at) => [
    ...cells,
    ...(isTimed ? [group.startMs === undefined ? '' : stretchStart(group.startMs, everyMs)] : []),
    ...values[at]!,
  ]);
  const texts = [...keys, ...(isTimed ? ['start'] : [])];
  return shownTable([...texts.map((title) => ({ title, isText: true })), ...columns], rows, io);
}

/** The columns before the percentiles. */
const USUAL = ['count', 'min', 'mean'];

/** The answer as one document; docs/formats/percentiles.schema.json describes its distributions. */
export function answerJson(
  groups: readonly HistoryGroup[],
  asked: Asked,
  history: AskedHistory,
  traces?: readonly object[],
): string {
  const { metric, by, everyMs } = asked;
  const { units } = shownGroups(groups, metric, by);
  const distributions = units.flat().map((shown) => ({
    ...figuresJson(groupFigures(shown, asked)),
    attributes: shown.group.attributes,
    startSec: shown.group.startMs === undefined ? null : shown.group.startMs / 1000,
    resolution: scaled(shown.group.scale, shown.scale),
  }));
  return jsonDocument({
    metric,
    everySec: everyMs === undefined ? null : everyMs / 1000,
    groups: distributions,
    ...(traces && { traces }),
    ...missingJson(history),
  });
}

function groupFigures(
  { group, name, unit, scale }: ShownGroup,
  { percentiles }: Pick<Asked, 'percentiles'>,
): Figures {
  const { isWide, min, max, sum, count } = group;
  const figure = ({ lower, upper }: Bounds, value: number): Figure => ({
    lower: scaled(lower, scale),
    upper: scaled(upper, scale),
    // No number stands for what lies in wide buckets.
    ...(!isWide && { value: scaled(value, scale) }),
  });
  const boundsAt = (percentile: number): Bounds => {
    const found = group.percentiles.find((one) => one.percentile === percentile)!;
    // A bucket reaches beyond the values that it has.
    return isWide
      ? { lower: Math.max(found.lower, min.lower), upper: Math.min(found.upper, max.upper) }
      : found;
  };
  return {
    name,
    unit,
    count: group.count,
    min: figure(min, min.lower),
    mean: figure(group.mean, count === 0 ? 0 : sum / count),
    max: figure(max, max.upper),
    percentiles: percentiles.map((percentile) => {
      const found = percentile === 100 ? max : boundsAt(percentile);
      // The lowest value is at the lower end of its slot.
      return { percentile, ...figure(found, percentile === 0 ? found.lower : found.upper) };
    }),
    ...(isWide && { areBounds: true }),
  };
}

/** The figures of a merged row, as bounds. */
export function figuresOfRow(row: MergedRow, name: string, percentiles: readonly number[]): Figures {
  const group = {
    ...row,
    ...figureBounds(row),
    isWide: row.w.length > 0,
    percentiles: percentilesOf(row, percentiles),
  };
  return groupFigures({ ...shownUnitOf(row.unit), name, cells: [], group }, { percentiles });
}

export function answerCsv(groups: readonly HistoryGroup[], asked: Asked): string {
  const { metric, by, everyMs } = asked;
  const columns = columnsFor(asked, USUAL);
  const { keys, units } = shownGroups(groups, metric, by);
  const shown = units.flat();
  const titles = new Set(shown.map(({ title }) => title));
  // Each line has its unit where there are several.
  const [title = ''] = titles.size === 1 ? titles : [];
  const header = [
    ...keys,
    ...(everyMs === undefined ? [] : ['start']),
    ...(titles.size > 1 ? ['unit'] : []),
    ...csvTitles(columns, title),
  ];
  const lines = shown.map((one) => [
    ...one.cells,
    ...(one.group.startMs === undefined ? [] : [new Date(one.group.startMs).toISOString()]),
    ...(titles.size > 1 ? [one.title] : []),
    ...csvCells(columns, groupFigures(one, asked)),
  ]);
  return [header, ...lines].map(csvLine).join('');
}

/** The value at a percentile: the upper end of its slot, and the maximum itself. */
function valueAt({ percentiles, max }: HistoryGroup, percentile: number): number {
  return percentile === 100 ? max.upper : percentiles.find((one) => one.percentile === percentile)!.value;
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
export type WideCurves = (group: HistoryGroup, name: string) => Curve;

/**
 * The answer as plots, one for each unit: percentiles over time when the question has buckets of time, else a curve for each group.
 *
 * @param wideCurves Gets the curves of groups whose values lie in wide buckets. It is called once, when there are some.
 * @throws Refusal when a plot would have too many lines.
 */
export async function answerPlots(
  groups: readonly HistoryGroup[],
  asked: Asked,
  wideCurves: () => Promise<WideCurves>,
): Promise<Plot[]> {
  const { units } = shownGroups(groups, asked.metric, asked.by);
  const { everyMs } = asked;
  if (everyMs !== undefined) {
    return units.map((shown) => overTime(shown, plotTitle(asked.metric, shown[0]!), asked, everyMs));
  }
  for (const shown of units) assertFew(shown.length, 'curves');
  const curveOfWide = groups.some(({ isWide }) => isWide) ? await wideCurves() : undefined;
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

function overTime(shown: readonly ShownGroup[], title: string, asked: Asked, everyMs: number): TimePlot {
  const timesMs = withGaps(
    [...new Set(shown.map(({ group }) => group.startMs!))].sort((a, b) => a - b),
    everyMs,
  );
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
    endMs: timesMs.at(-1)! + everyMs,
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

/** Adds the start of each gap, where lines are to end. @param timesMs Ascending. */
function withGaps(timesMs: readonly number[], everyMs: number): number[] {
  return timesMs.flatMap((timeMs, at) => {
    const nextMs = timesMs[at + 1];
    return nextMs === undefined || nextMs <= timeMs + everyMs ? [timeMs] : [timeMs, timeMs + everyMs];
  });
}

/** @throws Refusal */
function assertFew(count: number, what: string): void {
  if (count <= MOST_LINES) return;
  throw new Refusal(
    `a plot shows at most ${MOST_LINES} ${what}, got ${count}: --where chooses series, and --percentiles fewer percentiles`,
  );
}
