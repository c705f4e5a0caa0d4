import type { HistoryGroup } from '@hdrscope/history';
import type { Io } from '../command.ts';
import { csvLine } from '../csv.ts';
import {
  type ColumnOptions,
  columnsFor,
  csvCells,
  csvTitles,
  exactly,
  type Figures,
  figureCells,
  figuresJson,
  jsonDocument,
} from '../figures.ts';
import { wrapToScreen } from '../help-text.ts';
import { stretchStart } from '../history/stretch.ts';
import { shownTable } from '../table.ts';
import { scaled } from '../value-scale.ts';
import { headingOf, type ShownGroup, shownGroups } from './groups.ts';

/** A question whose answer is printed. */
export interface Asked extends ColumnOptions {
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
export function answerJson(groups: readonly HistoryGroup[], asked: Asked): string {
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
  });
}

function groupFigures({ group, name, unit, scale }: ShownGroup, { percentiles }: Asked): Figures {
  const shown = (value: number): number => scaled(value, scale);
  const max = exactly(shown(group.max));
  return {
    name,
    unit,
    count: group.count,
    min: exactly(shown(group.min)),
    mean: exactly(shown(group.count === 0 ? 0 : group.sum / group.count)),
    max,
    percentiles: percentiles.map((percentile) => {
      if (percentile === 100) return { percentile, ...max };
      const { lower, upper } = group.percentiles.find((one) => one.percentile === percentile)!;
      return { percentile, lower: shown(lower), upper: shown(upper) };
    }),
    hasSlots: true,
  };
}

/** The answer as CSV. */
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
export function valueAt({ percentiles, max }: HistoryGroup, percentile: number): number {
  return percentile === 100 ? max : percentiles.find((one) => one.percentile === percentile)!.value;
}
