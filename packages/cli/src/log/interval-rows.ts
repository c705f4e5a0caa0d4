import type { DecodedInterval } from '@hdrscope/interval-log/internal';
import { csvLine } from '../csv.ts';
import { distributionJson } from '../distribution-json.ts';
import { percentileTitle, withMaximum } from '../format.ts';
import { scaled, type ValueScale } from '../value-scale.ts';

/** The cells of an interval's row. */
export interface RowOptions {
  readonly unit: ValueScale;
  readonly percentiles: readonly number[];
}

/** The name of intervals without a tag. */
export const NO_TAG = '(no tag)';

/** Formats one line of JSON: the interval, its figures, and the encoded histogram with what its values are multiples of. */
export function ndjsonRow(
  { interval, histogram }: DecodedInterval,
  { unit, percentiles }: RowOptions,
): string {
  const { tag = null, encoded } = interval;
  const shown = (value: number): number => scaled(value, unit);
  const row = {
    ...distributionJson(histogram, { name: tag ?? NO_TAG, unit: unit.unit, percentiles, shown }),
    tag,
    startSec: seconds(interval.startSec),
    endSec: seconds(interval.endSec),
    resolution: shown(1),
    encoded,
  };
  return `${JSON.stringify(row)}\n`;
}

/** The titles of the columns, with their units. */
export function csvHeader({ unit, percentiles }: RowOptions): string {
  const values = ['min', 'mean', ...withMaximum(percentiles).map(percentileTitle)];
  const titles = values.map((title) => (unit.unit === '' ? title : `${title}_${unit.unit}`));
  return csvLine(['start_s', 'end_s', 'tag', 'count', ...titles, 'encoded']);
}

export function csvRow(decoded: DecodedInterval, options: RowOptions): string {
  const { interval, histogram } = decoded;
  const values = valuesOf(decoded, options).map((value) => value ?? '');
  const times = [seconds(interval.startSec), seconds(interval.endSec)];
  return csvLine([...times, interval.tag ?? '', histogram.totalCount, ...values, interval.encoded]);
}

function valuesOf({ histogram }: DecodedInterval, { unit, percentiles }: RowOptions): (number | null)[] {
  const shown = withMaximum(percentiles);
  if (histogram.totalCount === 0) return Array(2 + shown.length).fill(null);
  const { min, mean } = histogram;
  return [min, mean, ...histogram.valuesAtPercentiles(shown)].map((value) => scaled(value, unit));
}

/** Removes the rounding error of the sum of a base time and a timestamp. */
function seconds(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}
