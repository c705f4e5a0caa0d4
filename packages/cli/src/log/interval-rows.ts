import type { DecodedInterval } from '@hdrscope/interval-log';
import { percentileTitle } from '../format.ts';
import { scaled, type ValueScale } from '../value-scale.ts';

/** The cells of an interval's row. */
export interface RowOptions {
  readonly unit: ValueScale;
  readonly percentiles: readonly number[];
}

/** Formats one line of JSON. An interval without values has no percentiles in it. */
export function ndjsonRow(
  { interval, histogram }: DecodedInterval,
  { unit, percentiles }: RowOptions,
): string {
  const [min, mean, ...rest] = valuesOf({ interval, histogram }, { unit, percentiles });
  const row = {
    startSec: seconds(interval.startSec),
    endSec: seconds(interval.endSec),
    tag: interval.tag ?? null,
    count: histogram.totalCount,
    unit: unit.unit,
    min,
    mean,
    percentiles: Object.fromEntries(percentiles.map((percentile, at) => [percentile, rest[at]])),
    max: rest.at(-1),
    encoded: interval.encoded,
  };
  return `${JSON.stringify(row)}\n`;
}

/** The titles of the columns, with their units. */
export function csvHeader({ unit, percentiles }: RowOptions): string {
  const values = ['min', 'mean', ...percentiles.map(percentileTitle), 'max'];
  const titles = values.map((title) => (unit.unit === '' ? title : `${title}_${unit.unit}`));
  return `${['start_s', 'end_s', 'tag', 'count', ...titles, 'encoded'].join()}\n`;
}

export function csvRow(decoded: DecodedInterval, options: RowOptions): string {
  const { interval, histogram } = decoded;
  const values = valuesOf(decoded, options).map((value) => value ?? '');
  const times = [seconds(interval.startSec), seconds(interval.endSec)];
  return `${[...times, quoted(interval.tag ?? ''), histogram.totalCount, ...values, interval.encoded].join()}\n`;
}

function valuesOf({ histogram }: DecodedInterval, { unit, percentiles }: RowOptions): (number | null)[] {
  if (histogram.totalCount === 0) return Array(3 + percentiles.length).fill(null);
  const { min, mean, max } = histogram;
  return [min, mean, ...histogram.valuesAtPercentiles(percentiles), max].map((value) => scaled(value, unit));
}

/** Removes the rounding error of the sum of a base time and a timestamp. */
function seconds(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}

/** A field of CSV. A tag has no commas and spaces, but it may have quotes. Source: RFC 4180 §2. */
function quoted(cell: string): string {
  return cell.includes('"') ? `"${cell.replaceAll('"', '""')}"` : cell;
}
