import { formatDecimal } from '@hdrscope/core/internal';
import { formatJavaDate } from '../writer/format.ts';
import { formatJavaDouble } from './java-numbers.ts';

// Source of all texts: HdrHistogram (Java), `HistogramLogProcessor`.

/** The numbers of a row of the table of intervals, in their order. */
export interface IntervalRow {
  /** End of the interval, in seconds since the start of the log. */
  readonly endSec: number;
  readonly count: number;
  /** The interval's values at 50 % and 90 % and its maximum, divided by the scale. */
  readonly values: readonly number[];
  readonly totalCount: number;
  /** The values at 50 %, 90 %, 99 %, 99.9 % and 99.99 % and the maximum of all intervals so far, divided by the scale. */
  readonly totalValues: readonly number[];
}

/** The numbers of a row of the moving window. */
export interface WindowRow {
  readonly endSec: number;
  readonly count: number;
  readonly value: number;
  readonly max: number;
}

/** Formats the first line of an output file, which states its range of the log. */
export function formatRange(title: string, startSec: number, endSec: number): string {
  const end = endSec < Number.MAX_VALUE ? seconds(endSec) : '<Infinite>';
  return `#[${title} between ${seconds(startSec)} and ${end} seconds (relative to StartTime)]\n`;
}

/** Formats the start of the log, in seconds and as a date in the zone. */
export function formatLogStart(startSec: number, timeZone?: string): string {
  const date = formatJavaDate(startSec * 1000, timeZone);
  return `#[StartTime: ${seconds(startSec)} (seconds since epoch), ${date}]\n`;
}

export function windowTitle(percentile: number): string {
  return `Moving window log for ${formatJavaDouble(percentile)} percentile`;
}

const COLUMNS = ['Int_Count', 'Int_50%', 'Int_90%', 'Int_Max', 'Total_Count', 'Total_50%', 'Total_90%'];
const TAIL_COLUMNS = ['Total_99%', 'Total_99.9%', 'Total_99.99%', 'Total_Max'];

export function intervalLegend(csv: boolean): string {
  if (csv) return quoted(['Timestamp', ...COLUMNS, ...TAIL_COLUMNS]);
  return 'Time: IntervalPercentiles:count ( 50% 90% Max ) TotalPercentiles:count ( 50% 90% 99% 99.9% 99.99% Max )\n';
}

export function formatIntervalRow(row: IntervalRow, csv: boolean): string {
  const { count, totalCount } = row;
  if (csv) {
    const [values, totals] = [row.values.map(seconds).join(), row.totalValues.map(seconds).join()];
    return `${seconds(row.endSec)},${count},${values},${totalCount},${totals}\n`;
  }
  const [values, totals] = [row.values.map(wide).join(' '), row.totalValues.map(wide).join(' ')];
  return `${seconds(row.endSec)}: I:${count} ( ${values} ) T:${totalCount} ( ${totals} )\n`;
}

export function windowLegend(percentile: number, csv: boolean): string {
  const name = `${formatJavaDouble(percentile)}%'ile`;
  return csv ? quoted(['Timestamp', 'Window_Count', name, 'Max']) : `Time: WindowCount ${name} Max\n`;
}

export function formatWindowRow({ endSec, count, value, max }: WindowRow, csv: boolean): string {
  if (csv) return `${seconds(endSec)},${count},${seconds(value)},${seconds(max)}\n`;
  return `${seconds(endSec)}: I:${count} P:${wide(value)} M:${wide(max)}\n`;
}

/** Formats the list of tags, sorted as Java sorts strings. */
export function formatTags(tags: ReadonlySet<string | undefined>): string {
  const named = [...tags].filter((tag) => tag !== undefined).sort();
  const lines = [
    'Tags found in input file:',
    ...(tags.has(undefined) ? ['[NO TAG (default)]'] : []),
    ...named,
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function quoted(columns: readonly string[]): string {
  return `${columns.map((column) => `"${column}"`).join()}\n`;
}

/** Formats as `%.3f` and as `%4.3f`, which are the same: three decimals need more than four characters. */
function seconds(x: number): string {
  return formatDecimal(x, 3);
}

/** Formats as `%7.3f`. */
function wide(x: number): string {
  return formatDecimal(x, 3).padStart(7);
}
