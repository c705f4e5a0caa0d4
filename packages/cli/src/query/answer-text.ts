import type { HistoryGroup } from '@hdrscope/history';
import type { Io } from '../command.ts';
import { csvLine } from '../csv.ts';
import { boundsJson, type DistributionJson, jsonDocument } from '../distribution-json.ts';
import { formatCount, percentileTitle } from '../format.ts';
import { wrapToScreen } from '../help-text.ts';
import { stretchStart } from '../history/stretch.ts';
import { type Column, shownTable } from '../table.ts';
import { scaled, valueFormat } from '../value-scale.ts';
import { headingOf, type ShownGroup, shownGroups } from './groups.ts';

/** A question whose answer is printed. */
export interface Asked {
  readonly metric: string;
  /** In the order of the command line. */
  readonly percentiles: readonly number[];
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

function tableOf(
  shown: readonly ShownGroup[],
  keys: readonly string[],
  { percentiles: asked, everyMs }: Asked,
  io: Io,
): string[] {
  const percentiles = asked.filter((percentile) => percentile !== 100);
  const isTimed = everyMs !== undefined;
  const values = shown.map(({ group }) => [
    group.min,
    meanOf(group),
    ...percentiles.map((percentile) => valueAt(group, percentile)),
    group.max,
  ]);
  const valueText = valueFormat(values.flat(), shown[0]!.scale);
  const rows = shown.map(({ group, cells }, at) => [
    ...cells,
    ...(isTimed ? [group.startMs === undefined ? '' : stretchStart(group.startMs, everyMs)] : []),
    formatCount(group.count),
    ...values[at]!.map(valueText),
  ]);
  const columns: Column[] = [
    ...keys.map((title) => ({ title, isText: true })),
    ...(isTimed ? [{ title: 'start', isText: true }] : []),
    { title: 'count' },
    { title: 'min', spare: 2 },
    { title: 'mean', spare: 1 },
    ...percentiles.map((percentile) => ({ title: percentileTitle(percentile) })),
    { title: 'max' },
  ];
  return shownTable(columns, rows, io);
}

/** The answer as one document; docs/formats/percentiles.schema.json describes its distributions. */
export function answerJson(groups: readonly HistoryGroup[], asked: Asked): string {
  const { metric, by, percentiles, everyMs } = asked;
  const { units } = shownGroups(groups, metric, by);
  const distributions = units.flat().map((shown) => ({
    ...distributionOf(shown, percentiles),
    attributes: shown.group.attributes,
    startSec: shown.group.startMs === undefined ? null : shown.group.startMs / 1000,
    resolution: scaled(shown.group.scale, shown.scale),
  }));
  return jsonDocument({
    metric,
    everySec: everyMs === undefined ? null : everyMs / 1000,
    groups: distributions,
  });
}

function distributionOf(
  { group, name, unit, scale }: ShownGroup,
  percentiles: readonly number[],
): DistributionJson {
  const shown = (value: number): number => scaled(value, scale);
  const mean = meanOf(group);
  return {
    name,
    unit,
    count: group.count,
    min: shown(group.min),
    mean: shown(mean),
    max: shown(group.max),
    percentiles: percentiles.map((percentile) => {
      if (percentile === 100) return { percentile, value: shown(group.max) };
      const found = group.percentiles.find((one) => one.percentile === percentile)!;
      return { percentile, ...boundsJson({ lower: shown(found.lower), upper: shown(found.upper) }) };
    }),
  };
}

/** The answer as CSV. */
export function answerCsv(groups: readonly HistoryGroup[], asked: Asked): string {
  const { metric, by, everyMs } = asked;
  const percentiles = asked.percentiles.filter((percentile) => percentile !== 100);
  const { keys, units } = shownGroups(groups, metric, by);
  const shown = units.flat();
  const titles = new Set(shown.map(({ title }) => title));
  // Each line has its unit where there are several.
  const [title = ''] = titles.size === 1 ? titles : [];
  const inUnit = (name: string): string => (title === '' ? name : `${name}_${title}`);
  const header = [
    ...keys,
    ...(everyMs === undefined ? [] : ['start']),
    ...(titles.size > 1 ? ['unit'] : []),
    'count',
    ...['min', 'mean', ...percentiles.map(percentileTitle), 'max'].map(inUnit),
  ];
  const lines = shown.map(({ group, cells, scale, title }) => {
    const values = [
      group.min,
      meanOf(group),
      ...percentiles.map((percentile) => valueAt(group, percentile)),
      group.max,
    ];
    return [
      ...cells,
      ...(group.startMs === undefined ? [] : [new Date(group.startMs).toISOString()]),
      ...(titles.size > 1 ? [title] : []),
      group.count,
      ...values.map((value) => scaled(value, scale)),
    ];
  });
  return [header, ...lines].map(csvLine).join('');
}

function meanOf({ sum, count }: HistoryGroup): number {
  return count === 0 ? 0 : sum / count;
}

/** The value at a percentile: the upper end of its slot, and the maximum itself. */
export function valueAt({ percentiles, max }: HistoryGroup, percentile: number): number {
  return percentile === 100 ? max : percentiles.find((one) => one.percentile === percentile)!.value;
}
