import type { Bounds } from '@hdrscope/core';
import {
  figureBounds,
  type HistoryGroup,
  type HistoryMetric,
  type MergedRow,
  percentilesOf,
} from '@hdrscope/history';
import {
  type Figure,
  type Figures,
  figuresJson,
  scaled,
  type ValueScale,
  valueScaleOf,
} from '@hdrscope/inputs/internal';
import { formatCount, formatTime } from '@hdrscope/kit';
import { attributePairs, countedUnitOf } from '@hdrscope/plot';
import type { CountedUnit } from '@hdrscope/registry';
import type { Io } from '../../command.ts';
import {
  type ColumnOptions,
  columnsFor,
  csvCells,
  csvTitles,
  figureCells,
  jsonDocument,
} from '../../figures.ts';
import { type Every, everySec, isoTime, stretchStart } from '../../moment.ts';
import { wrapToScreen } from '../../screen/help-text.ts';
import { type Column, csvLine, shownTable } from '../../screen/table.ts';
import { type AskedHistory, missingJson } from './engine.ts';
import type { TableFormat } from './options.ts';

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

/** Names the zone of the times in a table, unless it is UTC. */
export function zoneNote(timeZone: string): string {
  return timeZone === 'UTC' ? '' : `, times of ${timeZone}`;
}

/** The title of a plot: what is drawn, and the unit where the axis cannot name it. */
export function plotTitle(name: string, { unit, title }: ShownUnit): string {
  return unit === 'none' && title !== '' ? `${name} in ${title}` : name;
}

export interface ShownGroup extends ShownUnit {
  readonly group: HistoryGroup;
  /** The values of the keys of `--by`, in their order, and the step of the values where groups differ in nothing else. */
  readonly cells: readonly string[];
  /** The group's name in plots and documents. */
  readonly name: string;
}

/** The text for a key that the series of a group do not have. */
const WITHOUT = '-';

/** How groups are shown: groups of one unit together, units in the order of their first group. */
export function shownGroups(
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
export interface Asked extends ColumnOptions {
  readonly metric: string;
  readonly by: readonly string[];
  /** The length of a stretch of time; `undefined` for one stretch. */
  readonly every: Every | undefined;
  readonly timeZone: string;
}

/** The answer as tables: one for each unit. */
export function answerText(groups: readonly HistoryGroup[], asked: Asked, io: Io): string {
  const { keys, units } = shownGroups(groups, asked.metric, asked.by);
  return units
    .map((shown) => {
      const head = `${headingOf(asked.metric, shown[0]!)}${asked.every === undefined ? '' : zoneNote(asked.timeZone)}`;
      return `${wrapToScreen(head, io)}\n\n${tableOf(shown, keys, asked, io).join('\n')}\n`;
    })
    .join('\n');
}

function tableOf(shown: readonly ShownGroup[], keys: readonly string[], asked: Asked, io: Io): string[] {
  const { every, timeZone } = asked;
  const isTimed = every !== undefined;
  const figures = shown.map((one) => groupFigures(one, asked));
  const columns = columnsFor(asked, USUAL);
  const values = figureCells(columns, figures, shown[0]!.scale.unit);
  const rows = shown.map(({ group, cells }, at) => [
    ...cells,
    ...(isTimed
      ? [group.startMs === undefined ? '' : stretchStart(group.startMs, every.length, timeZone)]
      : []),
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
  const { metric, by, every, timeZone } = asked;
  const { units } = shownGroups(groups, metric, by);
  const distributions = units.flat().map((shown) => ({
    ...figuresJson(groupFigures(shown, asked)),
    attributes: shown.group.attributes,
    ...stretchJson(shown.group, timeZone),
    resolution: scaled(shown.group.scale, shown.scale),
  }));
  return jsonDocument({
    metric,
    everySec: every === undefined ? null : everySec(every),
    every: every?.text ?? null,
    timeZone,
    groups: distributions,
    ...(traces && { traces }),
    ...missingJson(history),
  });
}

function stretchJson({ startMs, endMs, crossingCount }: HistoryGroup, timeZone: string) {
  const seconds = (ms: number | undefined): number | null => (ms === undefined ? null : ms / 1000);
  return {
    startSec: seconds(startMs),
    endSec: seconds(endMs),
    start: startMs === undefined ? null : isoTime(startMs, timeZone),
    crossingCount,
  };
}

export function groupFigures(
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
  const { metric, by, every, timeZone } = asked;
  const columns = columnsFor(asked, USUAL);
  const { keys, units } = shownGroups(groups, metric, by);
  const shown = units.flat();
  const titles = new Set(shown.map(({ title }) => title));
  // Each line has its unit where there are several.
  const [title = ''] = titles.size === 1 ? titles : [];
  const header = [
    ...keys,
    ...(every === undefined ? [] : ['start']),
    ...(titles.size > 1 ? ['unit'] : []),
    ...csvTitles(columns, title),
  ];
  const lines = shown.map((one) => [
    ...one.cells,
    ...(one.group.startMs === undefined ? [] : [isoTime(one.group.startMs, timeZone)]),
    ...(titles.size > 1 ? [one.title] : []),
    ...csvCells(columns, groupFigures(one, asked)),
  ]);
  return [header, ...lines].map(csvLine).join('');
}

// Metrics.

export function metricsText(
  metrics: readonly HistoryMetric[],
  history: AskedHistory,
  format: TableFormat,
  io: Io,
): string {
  if (format === 'json') {
    return jsonDocument({
      metrics: metrics.map(({ metric, unit, scale, keys, series, rows, count, startMs, endMs }) => ({
        ...{ metric, unit, resolution: scale, attributes: keys, series, rows, count },
        startSec: startMs / 1000,
        endSec: endMs / 1000,
      })),
      ...missingJson(history),
    });
  }
  const isCsv = format === 'csv';
  const countText = (count: number): string => (isCsv ? String(count) : formatCount(count));
  const timeText = (timeMs: number): string =>
    isCsv ? new Date(timeMs).toISOString() : formatTime(timeMs / 1000).slice(0, '2026-11-22 10:00:00'.length);
  const cells = metrics.map(({ metric, unit, keys, series, rows, count, startMs, endMs }) => [
    metric,
    unit === '' && !isCsv ? '-' : unit,
    ...[series, rows, count].map(countText),
    ...[startMs, endMs].map(timeText),
    keys.join(isCsv ? ' ' : ', '),
  ]);
  if (isCsv) {
    const header = ['metric', 'unit', 'series', 'rows', 'values', 'from', 'to', 'attributes'];
    return [header, ...cells].map(csvLine).join('');
  }
  return `${shownTable(COLUMNS, cells, io).join('\n')}\n`;
}

const COLUMNS: readonly Column[] = [
  { title: 'metric', isText: true },
  { title: 'unit', isText: true, spare: 1 },
  { title: 'series', spare: 4 },
  { title: 'rows', spare: 5 },
  { title: 'values' },
  { title: 'from', isText: true, spare: 2 },
  { title: 'to', isText: true, spare: 2 },
  { title: 'attributes', isText: true, spare: 3 },
];
