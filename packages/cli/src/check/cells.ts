import type { Bounds } from '@hdrscope/core';
import { formatCount, valuesText } from '../format.ts';
import type { Column } from '../table.ts';
import { valueFormat } from '../value-scale.ts';
import { shareText } from './percent-text.ts';
import type { Subject } from './subject.ts';
import type { Judged, Row } from './verdicts.ts';

/** The columns of the table of verdicts. */
export function columnsOf(confidence: number): Column[] {
  return [
    { title: 'objective', isText: true },
    { title: 'actual' },
    { title: `${Number((confidence * 100).toPrecision(6))} % interval`, spare: 2 },
    { title: 'within', spare: 1 },
    { title: 'verdict', isText: true },
  ];
}

/** The cells of each verdict, in the order of `columnsOf`. */
export function cellsOf({ subject, rows }: Judged): string[][] {
  const shown = rows.flatMap(({ kind, actual, interval }) =>
    kind === 'percentile' ? [actual?.upper ?? 0, interval?.lower ?? 0] : [],
  );
  const format = valueFormat(shown, { divisor: 1, unit: subject.unit === 'ms' ? 'ms' : '' });
  const count = typeof subject.evidence === 'string' ? 0 : subject.evidence.count;
  return rows.map((row) => {
    const { objective, kind, interval, within, verdict } = row;
    return [
      objective,
      actualText(row, format),
      interval === undefined ? '-' : intervalText(interval, format),
      kind !== 'percentile' || within === undefined ? '-' : withinText(within, count),
      verdict,
    ];
  });
}

/** The actual value of an objective, in bounds when they decide or when the value is rounded. */
function actualText(row: Row, format: (value: number) => string): string {
  const { kind, actual, within, threshold = 0 } = row;
  if (actual === undefined) return '-';
  if (kind !== 'percentile') {
    const count = formatCount(actual.upper);
    return row.share === undefined ? count : `${count} (${shareText(row.share)})`;
  }
  const isNarrow = actual.upper <= actual.lower * NARROW || actual.upper === 0;
  const isCounted = within !== undefined && within.lower === within.upper;
  const isDivided = !isCounted && actual.lower <= threshold && threshold < actual.upper;
  return isNarrow && !isDivided ? format(actual.upper) : boundsText(actual, format);
}

// A slot of two significant digits. The person knows that a histogram rounds.
const NARROW = 1.01;

/** `99.9 to 99.99 %` */
function withinText({ lower, upper }: Bounds, count: number): string {
  const [from, to] = [shareText(lower / count), shareText(upper / count)];
  return from === to ? to : `${from.slice(0, -' %'.length)} to ${to}`;
}

function boundsText({ lower, upper }: Bounds, format: (value: number) => string): string {
  const [from, to] = [format(lower), format(upper)];
  return from === to ? to : `${from} to ${to}`;
}

function intervalText({ lower, upper }: Bounds, format: (value: number) => string): string {
  return upper === Number.POSITIVE_INFINITY ? `from ${format(lower)}` : boundsText({ lower, upper }, format);
}

/** The number of values and of failures, for the head of a table: `1,000 values, in ms; 3 of 1,000 requests failed`. */
export function factsText({ evidence, unit, errors }: Subject): string {
  const count = typeof evidence === 'string' ? 'values cannot be judged' : valuesText(evidence.count);
  const shown = unit === 'none' ? count : `${count}, in ${unit}`;
  if (typeof errors === 'string') return shown;
  return `${shown}; ${formatCount(errors.failed)} of ${formatCount(errors.requests)} requests failed`;
}

/** The sentences below a table: the ground of each verdict that is not sure, and facts about the values. */
export function notesOf({ subject, rows }: Judged): string[] {
  const grounds = rows.flatMap(({ objective, note }) =>
    note === undefined ? [] : [`${objective}: ${note}`],
  );
  return [...grounds, ...subject.notes];
}
