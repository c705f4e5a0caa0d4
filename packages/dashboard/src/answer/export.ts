import { formatPercentiles } from '@hdrscope/core';
import { percentileName } from '@hdrscope/kit';
import { countedUnitOf } from '@hdrscope/plot';
import { SHOWN_UNITS } from '@hdrscope/registry';
import { type AnswerRow, ROW_PERCENTILES } from '../messages.ts';
import { keyOf } from '../question.ts';
import type { Distribution } from './distribution.ts';
import type { Group } from './groups.ts';

/** A file to download. */
export interface ExportedFile {
  readonly name: string;
  readonly type: string;
  readonly text: string;
}

/**
 * Rows as a table in CSV, in the units of their families: https://www.rfc-editor.org/rfc/rfc4180. Each attribute key has a column.
 * The column of a percentile has its upper bound, `Infinity` where nobody knows one, and a column at the end the lower bound.
 *
 * @param rows Each with its group.
 */
export function rowsAsCsv(rows: readonly (readonly [Group, AnswerRow])[]): ExportedFile {
  const keys = [...new Set(rows.flatMap(([{ attributes }]) => attributes.map(keyOf)))].sort();
  const percentiles = ROW_PERCENTILES.map(percentileName);
  const head = [
    'metric',
    'unit',
    ...keys,
    'series',
    'count',
    'per_second',
    ...percentiles,
    ...percentiles.map((name) => `${name}_lower`),
  ];
  const lines = rows.map(([{ family, attributes }, { seriesCount, count, perSecond, values }]) => [
    ...[family.name, family.unit],
    ...keys.map((key) => attributes.find((pair) => keyOf(pair) === key)?.slice(key.length + 1) ?? ''),
    ...[seriesCount, count, perSecond],
    ...percentiles.map((_, i) => values?.upper[i] ?? ''),
    ...percentiles.map((_, i) => values?.lower[i] ?? ''),
  ]);
  const text = [head, ...lines]
    .map((cells) => `${cells.map((cell) => csvCell(cell)).join(',')}\r\n`)
    .join('');
  return { name: 'hdrscope.csv', type: 'text/csv; charset=utf-8', text };
}

/** Spreadsheets take a text that begins with one of these for a formula. */
const FORMULA = /^(?:[=@\t\r]|[+-](?!\d))/;

function csvCell(cell: string | number): string {
  if (typeof cell === 'number') return String(cell);
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * A distribution as percentile text (.hgrm): times in milliseconds, as all tools of HdrHistogram take them, and other values in the
 * unit of the family.
 */
export function distributionAsText({ family, label }: Group, { histogram }: Distribution): ExportedFile {
  const { ticksPerUnit, unitsPerTick } = family.resolution;
  const { unit, scale } = SHOWN_UNITS[countedUnitOf(family)];
  const perShown = unit === 's' ? 1 / (1000 * scale) : 1;
  return {
    name: `${label.replaceAll(/[^\w.-]+/g, '_').slice(0, 100)}.hgrm`,
    type: 'text/plain; charset=utf-8',
    text: formatPercentiles(histogram, { valueScale: (ticksPerUnit / unitsPerTick) * perShown }),
  };
}
