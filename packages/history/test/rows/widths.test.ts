import { type Counted, countedIn, explicitLayout, exponentialLayout, type Layout } from '@hdrscope/core';
import { createRegistry, ingest } from '@hdrscope/registry';
import fc from 'fast-check';
import {
  countedOfRow,
  type HistoryRow,
  mergeRows,
  objectiveHistory,
  percentilesOf,
  queryHistory,
  rowsBetween,
} from '../../src/index.ts';
import { writeRows } from '../support/folder.ts';
import { newDirectory } from '../support/sandbox.ts';
import { shareDuckDb } from '../support/shared-duckdb.ts';

shareDuckDb();

const DAY_MS = 86_400_000;
const PERCENTILES = [0, 10, 25, 50, 75, 90, 99, 99.9, 100];

/** Values in seconds, and the buckets that count them. */
interface Part {
  readonly layout: Layout;
  readonly values: readonly number[];
  /** Whether the sender knows the smallest and the largest value. */
  readonly hasExtremes: boolean;
}

function countedOf({ layout, values }: Part): Counted {
  const counts = new Array<number>(layout.slotCount).fill(0);
  for (const value of values) counts[layout.slotOf(value)]!++;
  return countedIn(layout, counts);
}

/** The rows of a registry that counts all parts in one series. */
async function rowsOf(parts: readonly Part[]): Promise<HistoryRow[]> {
  const registry = createRegistry({ clock: { nowMs: () => 1000, monotonicMs: () => 1000 } });
  const family = { name: 'lat', unit: 's' };
  const ingestion = ingest(registry, { name: 'buckets' });
  for (const [i, part] of parts.entries()) {
    const { values, hasExtremes } = part;
    const extremes = hasExtremes ? { min: Math.min(...values), max: Math.max(...values) } : {};
    const reading = { key: String(i), family, attributes: {}, counted: countedOf(part), ...extremes };
    expect(ingestion.take([reading])).toEqual([]);
  }
  return [...rowsBetween(undefined, await registry.gather(), { producer: 'test 1' })];
}

// Whole microseconds, which are whole ticks.
const seconds = fc.integer({ min: 0, max: 20_000_000 }).map((microseconds) => microseconds / 1e6);
const layouts: fc.Arbitrary<Layout> = fc.oneof(
  fc
    .uniqueArray(fc.integer({ min: 1, max: 9000 }), { minLength: 1, maxLength: 8 })
    .map((ms) => explicitLayout(ms.sort((a, b) => a - b).map((one) => one / 1000))),
  fc
    .integer({ min: -1, max: 5 })
    .map((scale) => exponentialLayout({ scale, minIndex: -40 * 2 ** scale, maxIndex: 6 * 2 ** scale })),
);
const parts: fc.Arbitrary<Part[]> = fc.array(
  fc.record({
    layout: layouts,
    values: fc.array(seconds, { minLength: 1, maxLength: 30 }),
    hasExtremes: fc.boolean(),
  }),
  { minLength: 1, maxLength: 4 },
);

function valueOfRank(sorted: readonly number[], percentile: number): number {
  return sorted[Math.max(1, Math.ceil((percentile * sorted.length) / 100 - 1e-9)) - 1]!;
}

/** Half a tick, as values count at the nearest one, and roundings of the last bit. */
const SLACK = 1e-9;

test('rows of any buckets know bounds that contain each percentile, the smallest and the largest value', async () => {
  await fc.assert(
    fc.asyncProperty(parts, async (all) => {
      const sorted = all.flatMap(({ values }) => values).sort((a, b) => a - b);
      const merged = mergeRows(await rowsOf(all));
      expect(merged.count).toBe(sorted.length);
      for (const { percentile, lower, upper } of percentilesOf(merged, PERCENTILES)) {
        const truth = valueOfRank(sorted, percentile);
        expect(lower).toBeLessThanOrEqual(truth + SLACK);
        expect(upper).toBeGreaterThanOrEqual(truth - SLACK);
      }
      expect(merged.min * merged.scale).toBeLessThanOrEqual(sorted[0]! + SLACK);
      expect(merged.max * merged.scale).toBeGreaterThanOrEqual(sorted.at(-1)! - SLACK);
    }),
    { numRuns: 300 },
  );
});

test('DuckDB gives the bounds of merged rows, and counts within a threshold for certain and at most', async () => {
  await fc.assert(
    fc.asyncProperty(parts, seconds, async (all, threshold) => {
      const rows = await rowsOf(all);
      const folder = newDirectory();
      await writeRows(folder, rows);
      const [answer] = await queryHistory(folder, { metric: 'lat', percentiles: PERCENTILES });
      expect(answer!.percentiles).toEqual(percentilesOf(mergeRows(rows), PERCENTILES));

      const question = { metric: 'lat', threshold, objective: 0.9, sinceMs: 0, untilMs: DAY_MS };
      const [{ total } = { total: undefined }] = await objectiveHistory(folder, question);
      const truth = all.flatMap(({ values }) => values).filter((value) => value <= threshold).length;
      expect(total!.within.lower).toBeLessThanOrEqual(truth);
      expect(total!.within.upper).toBeGreaterThanOrEqual(truth);
    }),
    { numRuns: 25 },
  );
});

/** 500 values in (1 s, 2.5 s], and nothing else is known. */
const COARSE: Part = {
  layout: explicitLayout([1, 2.5]),
  values: new Array(500).fill(1.7),
  hasExtremes: false,
};

test('a wide bucket has the bounds of the bucket, and its threshold in the middle is undecided', async () => {
  const rows = await rowsOf([COARSE]);
  const [p75] = percentilesOf(mergeRows(rows), [75]);
  expect(p75!.lower).toBeGreaterThan(0.99);
  expect(p75!.lower).toBeLessThanOrEqual(1);
  expect(p75!.upper).toBeGreaterThanOrEqual(2.5);
  expect(p75!.upper).toBeLessThan(2.52);

  const folder = newDirectory();
  await writeRows(folder, rows);
  const question = { metric: 'lat', threshold: 2, objective: 0.9, sinceMs: 0, untilMs: DAY_MS };
  const [history] = await objectiveHistory(folder, question);
  expect(history!.total).toMatchObject({ within: { lower: 0, upper: 500 }, verdict: 'undecided' });
  expect(history!.divided!.lower).toBeLessThanOrEqual(1);
  expect(history!.divided!.upper).toBeGreaterThanOrEqual(2.5);
});

test('a bucket without an end has no upper bound, unless the largest value is known', async () => {
  const open: Part = { layout: explicitLayout([1]), values: [4], hasExtremes: false };
  const [p50] = percentilesOf(mergeRows(await rowsOf([open])), [50]);
  expect(p50).toMatchObject({ value: Number.POSITIVE_INFINITY, upper: Number.POSITIVE_INFINITY });

  const [known] = percentilesOf(mergeRows(await rowsOf([{ ...open, hasExtremes: true }])), [50]);
  expect(known!.upper).toBeLessThan(4.01);
});

test('values that were recorded have no widths', async () => {
  const registry = createRegistry();
  registry.histogram({ name: 'lat', unit: 's' }).with({}).record(0.25);
  const [row] = rowsBetween(undefined, await registry.gather(), { producer: 'test 1' });
  expect(row).toMatchObject({ w: [], c: [1], version: 2 });
});

test('counts of wide rows say that their values may lie in a wide slot', async () => {
  const { placedFrom, layout, counts } = countedOfRow(mergeRows(await rowsOf([COARSE])));
  const [from] = placedFrom!;
  const slot = from!.slotOf(layout.upper(counts.first));
  expect([from!.lower(slot), from!.upper(slot)].map((ticks) => Number((ticks / 1e9).toFixed(1)))).toEqual([
    1, 2.5,
  ]);
});
