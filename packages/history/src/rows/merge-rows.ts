import { HdrscopeError } from '@hdrscope/core';
import type { Distribution, HistoryRow } from './row.ts';

/**
 * The sum of some rows: their counts added slot by slot, at the coarsest `bits` of them. Rows of equal producer and sequence count once.
 *
 * @param rows At least one; all of one unit and one scale.
 * @throws HdrscopeError `ERR_INCOMPATIBLE` when there is no row, or units or scales differ: values of different steps have no common
 *   slots.
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
  const distinct = [...withoutDuplicates(rows)];
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
  const counts = new Map<number, number>();
  for (const row of distinct) {
    for (const [i, k] of row.k.entries()) {
      const slot = k >> (row.bits - bits);
      counts.set(slot, (counts.get(slot) ?? 0) + row.c[i]!);
    }
  }
  const k = [...counts.keys()].sort((a, b) => a - b);
  const used = distinct.filter(({ count }) => count > 0);
  return {
    unit,
    scale,
    bits,
    k,
    c: k.map((slot) => counts.get(slot)!),
    count: used.reduce((sum, row) => sum + row.count, 0),
    sum: used.reduce((sum, row) => sum + row.sum, 0),
    min:
      used.length === 0 ? 0 : used.reduce((least, row) => Math.min(least, row.min), Number.POSITIVE_INFINITY),
    max: used.reduce((most, row) => Math.max(most, row.max), 0),
  };
}

/** The first row of each producer and sequence. */
function* withoutDuplicates(rows: Iterable<HistoryRow>): Generator<HistoryRow> {
  const seen = new Map<string, Set<number>>();
  for (const row of rows) {
    const ofProducer = seen.get(row.producer) ?? new Set();
    seen.set(row.producer, ofProducer);
    if (ofProducer.has(row.sequence)) continue;
    ofProducer.add(row.sequence);
    yield row;
  }
}
