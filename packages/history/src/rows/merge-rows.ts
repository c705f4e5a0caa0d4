import { HdrscopeError } from '@hdrscope/core';
import { assertFollows, custom } from '@hdrscope/core/internal';
import { compareRevisions } from '../parquet/order.ts';
import { marginsProperty, mergedMargins } from './margins.ts';
import { assertRow, type Distribution, type HistoryRow } from './row.ts';
import { exemplarsProperty, largest } from './row-exemplars.ts';
import { seriesProperty } from './row-series.ts';
import { largestWeight, weightProperty } from './row-weight.ts';

/**
 * The sum of some rows: their counts added slot by slot, at the coarsest `bits` of them. Of rows of equal producer and sequence, only the
 * one with the largest revision counts.
 *
 * @param rows At least one; all of one unit and one scale.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when one is not an object; `ERR_INCOMPATIBLE` when there is no row, or units or scales
 *   differ: values of different steps have no common slots.
 * @example
 * ```ts
 * import { mergeRows, percentilesOf, rowsBetween } from '@hdrscope/history';
 * import { createRegistry } from '@hdrscope/registry';
 *
 * const registry = createRegistry();
 * const sizes = registry.histogram({ name: 'sizes', unit: 'By' });
 * for (let bytes = 1; bytes <= 100; bytes++) sizes.with({ even: bytes % 2 === 0 }).record(bytes);
 * const rows = [...rowsBetween(undefined, await registry.gather(), { producer: 'shop 7d1f' })];
 * rows.length; //=> 2
 *
 * const merged = mergeRows([...rows, ...rows]);
 * [merged.count, merged.min, merged.max]; //=> [100, 1, 100]
 * percentilesOf(merged, [99]); //=> [{ percentile: 99, value: 99, lower: 99, upper: 99 }]
 * ```
 */
export function mergeRows(rows: Iterable<HistoryRow>): Distribution {
  assertFollows(
    'rows',
    custom<typeof rows>(
      'an iterable of rows',
      (value) => typeof value === 'object' && typeof (value as typeof rows)[Symbol.iterator] === 'function',
    ),
    rows,
  );
  const distinct = distinctRows(rows);
  const [first] = distinct;
  if (first === undefined) {
    throw new HdrscopeError('ERR_INCOMPATIBLE', 'a sum of rows must have at least one row, got none');
  }
  const { unit, scale } = first;
  const other = distinct.find((row) => row.unit !== unit || row.scale !== scale);
  if (other !== undefined) {
    const message = `rows of a sum must have one unit and scale, got "${unit}" in steps of ${scale} and "${other.unit}" in steps of ${other.scale}`;
    const details = { units: [unit, other.unit], scales: [scale, other.scale] };
    throw new HdrscopeError('ERR_INCOMPATIBLE', message, { details });
  }
  const bits = distinct.reduce((least, row) => Math.min(least, row.bits), first.bits);
  const slots = new SlotSums();
  for (const row of distinct) slots.addRow(row, bits);
  const used = distinct.filter(({ count }) => count > 0);
  const extremes = {
    min:
      used.length === 0 ? 0 : used.reduce((least, row) => Math.min(least, row.min), Number.POSITIVE_INFINITY),
    max: used.reduce((most, row) => Math.max(most, row.max), 0),
  };
  return {
    unit,
    scale,
    bits,
    ...slots.lists(),
    count: used.reduce((sum, row) => sum + row.count, 0),
    sum: used.reduce((sum, row) => sum + row.sum, 0),
    ...extremes,
    ...marginsProperty(mergedMargins(used, extremes)),
    ...exemplarsProperty(largest(used.flatMap(({ exemplars = [] }) => exemplars))),
    ...seriesProperty(used),
    ...weightProperty(largestWeight(used)),
  };
}

/** Counts by the first and the last slot that their values may lie in. */
export class SlotSums {
  /** By the last slot of those that begin at the slot: nearly always one. */
  readonly #counts = new Map<number, Map<number, number>>();

  add(first: number, last: number, count: number): void {
    const byLast = this.#counts.get(first) ?? new Map<number, number>();
    this.#counts.set(first, byLast);
    byLast.set(last, (byLast.get(last) ?? 0) + count);
  }

  /** Adds all counts of a row, at fewer `bits` than it has, or as many. */
  addRow(row: Pick<HistoryRow, 'bits' | 'k' | 'c' | 'w'>, bits: number): void {
    const cut = row.bits - bits;
    for (const [i, k] of row.k.entries()) this.add(k >> cut, (k + (row.w[i] ?? 0)) >> cut, row.c[i]!);
  }

  /** As rows have them. */
  lists(): Pick<Distribution, 'k' | 'c' | 'w'> {
    const all = [...this.#counts].flatMap(([first, byLast]) =>
      [...byLast].map(([last, count]) => ({ first, width: last - first, count })),
    );
    all.sort((a, b) => a.first - b.first || a.width - b.width);
    return {
      k: all.map(({ first }) => first),
      c: all.map(({ count }) => count),
      w: all.some(({ width }) => width > 0) ? all.map(({ width }) => width) : [],
    };
  }
}

/** Keeps one row for each producer and sequence: the one with the largest revision, where the first one was. */
export function distinctRows(rows: Iterable<HistoryRow>): HistoryRow[] {
  const distinct: HistoryRow[] = [];
  const places = new Map<string, Map<number, number>>();
  for (const row of rows) {
    assertRow(row);
    const ofProducer = places.get(row.producer) ?? new Map<number, number>();
    places.set(row.producer, ofProducer);
    const place = ofProducer.get(row.sequence) ?? distinct.length;
    ofProducer.set(row.sequence, place);
    const other = distinct[place];
    if (other === undefined || compareRevisions(row, other) < 0) distinct[place] = row;
  }
  return distinct;
}
