import { assertFollows, custom, fromTicks, resolutionOf } from '@hdrscope/core/internal';
import { createRegistry, type FamilyOptions, ingest, type Registry, type Snapshot } from '@hdrscope/registry';
import type { MergedRow } from '../query/merged-rows.ts';
import { countedOfRow } from './counted-of-row.ts';
import { NO_MARGINS } from './margins.ts';

/**
 * Yields the snapshots that a registry would have given at the end of each stretch of time, had it counted the values of the rows. A page
 * shows them as a record, and two snapshots show what was counted between them. The first snapshot is that of the first start, without
 * counts; time without rows is an interval of its own. Attributes are texts, as in the rows.
 *
 * A metric that has several units or scales becomes several families: the second is called `NAME in steps of SCALE UNIT`. A family has the
 * digits of its first row.
 *
 * @param rows Ordered by time, as `queryMergedRows` yields them with `everyMs` or `every`. An error of theirs is thrown unchanged.
 * @throws HdrscopeError as `countedOfRow`, when a row is not as the format has it.
 * @example
 * ```ts
 * import { snapshotsOfRows } from '@hdrscope/history';
 *
 * async function* rows() {
 *   const row = { metric: 'sizes', unit: 'By', attributes: {}, scale: 1, bits: 7, k: [130816], c: [1], w: [], count: 1, sum: 1, min: 1, max: 1 };
 *   yield { ...row, startMs: 0, endMs: 60_000 };
 *   yield { ...row, startMs: 60_000, endMs: 120_000 };
 * }
 * const seen: number[][] = [];
 * for await (const { timeMs, families } of snapshotsOfRows(rows())) {
 *   seen.push([timeMs, families[0]?.series[0]?.counts.total ?? 0]);
 * }
 * seen; //=> [[0, 0], [60000, 1], [120000, 2]]
 * ```
 */
export async function* snapshotsOfRows(
  rows: AsyncIterable<Omit<MergedRow, 'crossingCount'>>,
): AsyncGenerator<Snapshot, void> {
  assertFollows(
    'rows',
    custom<typeof rows>(
      'an async iterable of rows',
      (value) => typeof (value as typeof rows)[Symbol.asyncIterator] === 'function',
    ),
    rows,
  );
  let nowMs = 0;
  const registry = createRegistry({ clock: { nowMs: () => nowMs, monotonicMs: () => nowMs } });
  const take = rowTaker(registry);
  const snapshotAt = (timeMs: number): Promise<Snapshot> => {
    nowMs = timeMs;
    return registry.gather({ maxAgeMs: 0 });
  };
  let stretch: Pick<MergedRow, 'startMs' | 'endMs'> | undefined;
  for await (const row of rows) {
    if (row.startMs !== stretch?.startMs) {
      if (stretch !== undefined) yield await snapshotAt(stretch.endMs);
      if (stretch === undefined || row.startMs > stretch.endMs) yield await snapshotAt(row.startMs);
      stretch = row;
    }
    take(row);
  }
  if (stretch !== undefined) yield await snapshotAt(stretch.endMs);
}

/** Adds rows to a registry. */
function rowTaker(registry: Registry): (row: Omit<MergedRow, 'crossingCount'>) => void {
  const ingestion = ingest(registry, { name: 'history' });
  const families = new Map<string, FamilyOptions>();
  const names = new Set<string>();
  const familyOf = ({ metric, unit, scale }: Pick<MergedRow, 'metric' | 'unit' | 'scale'>): FamilyOptions => {
    const key = JSON.stringify([metric, unit, scale]);
    const known = families.get(key);
    if (known !== undefined) return known;
    // Names of families differ in more than upper and lower case.
    const isTaken = names.has(metric.toLowerCase());
    names.add(metric.toLowerCase());
    const name = isTaken ? `${metric} in steps of ${scale} ${unit}`.trim() : metric;
    const family = { name, unit, resolution: scale };
    families.set(key, family);
    return family;
  };
  return (row) => {
    const { attributes } = row;
    const counted = countedOfRow(row);
    const resolution = resolutionOf(row.scale);
    const [sum, min, max] = [row.sum, row.min, row.max].map((ticks) => fromTicks(resolution, ticks));
    const { sumBelow, sumAbove, minAbove, maxBelow } = row.margins ?? NO_MARGINS;
    const facts = {
      sum: sumBelow + sumAbove === 0 ? sum : undefined,
      min: minAbove === 0 ? min : undefined,
      max: maxBelow === 0 ? max : undefined,
      within: { min, max },
    };
    const reading = { key: '', family: familyOf(row), attributes, counted, ...facts };
    const [refusal] = ingestion.take([{ ...reading, counter: { temporality: 'delta' } }]);
    if (refusal !== undefined) throw refusal.cause;
  };
}
