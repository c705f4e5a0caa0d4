import { HdrscopeError } from '../errors.ts';

/** A row of a printed percentile distribution. */
export interface PercentileRow {
  /** From 1. */
  readonly line: number;
  readonly value: number;
  /** From 0 to 1. */
  readonly percentile: number;
  /** How many values are at most this one. */
  readonly totalCount: number;
}

/** The lines below the rows. CSV has none. */
export interface PercentileFooter {
  /** The number of its last line. */
  readonly line: number;
  readonly mean?: number;
  readonly standardDeviation?: number;
  readonly max?: number;
  readonly totalCount?: number;
}

/** A printed percentile distribution. */
export interface PercentileTable {
  readonly rows: readonly PercentileRow[];
  readonly footer: PercentileFooter;
  /** How many decimals values are printed with. */
  readonly decimals: number;
  /** The unit in the title of the values, as in `Value(ms)`. */
  readonly unit: PrintedUnit | undefined;
}

/** A unit of time that percentile text states for its values. */
export type PrintedUnit = 'ns' | 'us' | 'ms' | 's';

// wrk2 writes `Value   Percentile   TotalCount 1/(1-Percentile)` into its report; C's CSV has no quotes; vegeta writes `Value(ms)`.
const HEADER =
  /^"?Value ?(?:\((ns|[u\u00b5\u03bc]s|ms|s)\))?"?[\s,]+"?Percentile"?[\s,]+"?TotalCount"?[\s,]+"?1\/\(1-Percentile\)"?$/;
const FOOTER = /^#\[(\w+)\s*=\s*([^,\s]+),\s*(\w+(?: \w+)?)\s*=\s*([^\]\s]+)\]$/;
const NUMBER = /^\d+(?:\.\d*)?(?:[eE][+-]?\d+)?$/;
const INTEGER = /^\d+$/;

/**
 * Finds the table in a text and reads it, with its footer or up to the end of the text.
 *
 * @throws HdrscopeError `ERR_DECODE` when there is no table, or a line of it cannot be read; the message names the line.
 */
export function readPercentileTable(text: string): PercentileTable {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const header = lines.findIndex((line) => HEADER.test(line));
  if (header === -1) {
    throw new HdrscopeError(
      'ERR_DECODE',
      'percentile text must have a line with Value, Percentile, TotalCount and 1/(1-Percentile): there is no such line',
    );
  }
  const rows: PercentileRow[] = [];
  let footer: PercentileFooter = { line: header + 1 };
  let decimals = 0;
  for (let i = header + 1; i < lines.length; i++) {
    const text = lines[i] as string;
    if (text === '') continue;
    if (text.startsWith('#')) {
      footer = { ...footer, ...footerOf(text, i + 1), line: i + 1 };
    } else {
      // Other lines may follow the footer of a table, but none may stand between its rows.
      if (footer.mean !== undefined) break;
      const fields = text.split(/[\s,]+/);
      rows.push(rowOf(fields, i + 1, rows.at(-1)));
      decimals = Math.max(decimals, (fields[0]?.split('.')[1] ?? '').length);
    }
  }
  assertTotal(rows, footer);
  return { rows: withMaximum(rows), footer, decimals, unit: unitOf(lines[header]!) };
}

/** vegeta rounds total counts, so the rows below the last may have all values too. The last row has the largest value, so one is its. */
function withMaximum(rows: readonly PercentileRow[]): readonly PercentileRow[] {
  const last = rows.at(-1);
  if (last === undefined || last.totalCount === 0) return rows;
  const { value, totalCount } = last;
  return rows.map((row) =>
    row.totalCount === totalCount && row.value < value ? { ...row, totalCount: totalCount - 1 } : row,
  );
}

function unitOf(header: string): PrintedUnit | undefined {
  const [, unit] = HEADER.exec(header) ?? [];
  return unit?.replace(/[\u00b5\u03bc]/, 'u') as PrintedUnit | undefined;
}

function rowOf(fields: readonly string[], line: number, before: PercentileRow | undefined): PercentileRow {
  const [value = '', percentile = '', totalCount = ''] = fields;
  if (fields.length < 3 || fields.length > 4) {
    throw wrong(line, 'a row', 'a value, a percentile, a total count and 1/(1-percentile)', fields.join(' '));
  }
  const row = {
    line,
    value: numberOf(value, 'the value', line),
    percentile: numberOf(percentile, 'the percentile', line),
    totalCount: INTEGER.test(totalCount) ? Number(totalCount) : Number.NaN,
  };
  if (row.percentile > 1) throw wrong(line, 'the percentile', 'a number from 0 to 1', percentile);
  if (!Number.isSafeInteger(row.totalCount)) {
    throw wrong(line, 'the total count', 'an integer from 0 to 2^53 - 1', totalCount);
  }
  if (before === undefined) return row;
  if (row.value < before.value) throw wrong(line, 'the value', `at least ${before.value}, as above`, value);
  if (row.percentile < before.percentile) {
    throw wrong(line, 'the percentile', `at least ${before.percentile}, as above`, percentile);
  }
  if (row.totalCount < before.totalCount) {
    throw wrong(line, 'the total count', `at least ${before.totalCount}, as above`, totalCount);
  }
  return row;
}

function footerOf(text: string, line: number): Omit<PercentileFooter, 'line'> {
  const [, first = '', one = '', second = '', other = ''] = FOOTER.exec(text) ?? [];
  if (first === 'Mean' && second === 'StdDeviation') {
    // C prints NaN as the mean of an empty histogram.
    return { mean: momentOf(one, 'the mean', line), standardDeviation: momentOf(other, second, line) };
  }
  if (first === 'Max' && /^Total count$/i.test(second)) {
    const totalCount = INTEGER.test(other) ? Number(other) : Number.NaN;
    if (!Number.isSafeInteger(totalCount)) {
      throw wrong(line, 'the total count', 'an integer from 0 to 2^53 - 1', other);
    }
    return { max: numberOf(one, 'the maximum', line), totalCount };
  }
  return {};
}

function momentOf(field: string, what: string, line: number): number {
  return /^-?nan$/i.test(field) ? Number.NaN : numberOf(field, what, line);
}

function numberOf(field: string, what: string, line: number): number {
  const number = NUMBER.test(field) ? Number(field) : Number.NaN;
  if (!Number.isFinite(number)) throw wrong(line, what, 'a finite number of at least 0', field);
  return number;
}

function assertTotal(rows: readonly PercentileRow[], { totalCount, line }: PercentileFooter): void {
  const last = rows.at(-1)?.totalCount ?? 0;
  if (totalCount !== undefined && totalCount < last) {
    throw wrong(
      line,
      'the total count below the rows',
      `at least ${last}, as in the last row`,
      String(totalCount),
    );
  }
}

const LONGEST_EXCERPT = 60;

function wrong(line: number, what: string, allowed: string, got: string): HdrscopeError {
  const shown = JSON.stringify(got.slice(0, LONGEST_EXCERPT));
  return new HdrscopeError('ERR_DECODE', `line ${line}: ${what} must be ${allowed}, got ${shown}`);
}
