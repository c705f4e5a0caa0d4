import {
  type Figures,
  figuresJson,
  scaled,
  summarizeHistogram,
  type ValueScale,
} from '@hdrscope/inputs/internal';
import type { DecodedInterval } from '@hdrscope/interval-log/internal';
import { type ColumnOptions, csvCells, csvTitles, type FigureColumn } from '../../figures.ts';
import { csvLine } from '../../screen/table.ts';

export interface RowOptions extends ColumnOptions {
  readonly unit: ValueScale;
}

export const NO_TAG = '(no tag)';

/** Formats one line of JSON: the interval, its figures, and the encoded histogram with what its values are multiples of. */
export function ndjsonRow(decoded: DecodedInterval, options: RowOptions): string {
  const { interval } = decoded;
  const { tag = null, encoded } = interval;
  const row = {
    ...figuresJson(intervalFigures(decoded, options)),
    tag,
    startSec: seconds(interval.startSec),
    endSec: seconds(interval.endSec),
    resolution: scaled(1, options.unit),
    encoded,
  };
  return `${JSON.stringify(row)}\n`;
}

export function csvHeader(columns: readonly FigureColumn[], { unit }: RowOptions): string {
  return csvLine(['start_s', 'end_s', 'tag', ...csvTitles(columns, unit.unit), 'encoded']);
}

export function csvRow(
  decoded: DecodedInterval,
  columns: readonly FigureColumn[],
  options: RowOptions,
): string {
  const { interval } = decoded;
  const values = csvCells(columns, intervalFigures(decoded, options));
  const times = [seconds(interval.startSec), seconds(interval.endSec)];
  return csvLine([...times, interval.tag ?? '', ...values, interval.encoded]);
}

export function intervalFigures(
  { interval, histogram }: DecodedInterval,
  { unit, percentiles }: RowOptions,
): Figures {
  const { tag: name = NO_TAG, startSec, endSec } = interval;
  const shown = (value: number): number => scaled(value, unit);
  return summarizeHistogram(histogram, {
    name,
    unit: unit.unit,
    percentiles,
    shown,
    seconds: endSec - startSec,
  });
}

/** Removes the rounding error of the sum of a base time and a timestamp. */
function seconds(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}
