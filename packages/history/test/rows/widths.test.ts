import {
  type Bounds,
  type Counted,
  countedIn,
  explicitLayout,
  exponentialLayout,
  type Layout,
} from '@hdrscope/core';
import { createRegistry, ingest, type Snapshot } from '@hdrscope/registry';
import { caseCount } from '@hdrscope/testing/case-count';
import { shareDuckDb } from '@hdrscope/testing/shared-duckdb';
import fc from 'fast-check';
import {
  countedOfRow,
  type FigureBounds,
  figureBounds,
  type HistoryRow,
  mergeRows,
  objectiveHistory,
  percentilesOf,
  queryHistory,
  rowsBetween,
} from '../../src/index.ts';
import { writeRows } from '../support/folder.ts';
import { newDirectory } from '../support/sandbox.ts';

shareDuckDb();

const DAY_MS = 86_400_000;
const PERCENTILES = [0, 10, 25, 50, 75, 90, 99, 99.9, 100];

/** Values in seconds, and the buckets that count them. */
interface Part {
  readonly layout: Layout;
  readonly values: readonly number[];
  /** Whether the sender knows the smallest and the largest value. */
  readonly hasExtremes: boolean;
  /** Whether the sender knows the sum. */
  readonly hasSum: boolean;
}

function countedOf({ layout, values }: Part): Counted {
  const counts = new Array<number>(layout.slotCount).fill(0);
  for (const value of values) counts[layout.slotOf(value)]!++;
  return countedIn(layout, counts);
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** The rows of a registry that counts all parts in one series: one row, or one for each part. */
async function rowsOf(parts: readonly Part[], isApart = false): Promise<HistoryRow[]> {
  const registry = createRegistry({ clock: { nowMs: () => 1000, monotonicMs: () => 1000 } });
  const rows: HistoryRow[] = [];
  let before: Snapshot | undefined;
  const takeRows = async (): Promise<void> => {
    const now = await registry.gather({ maxAgeMs: 0 });
    rows.push(...rowsBetween(before, now, { producer: 'test 1', sequence: rows.length }));
    before = now;
  };
  const family = { name: 'lat', unit: 's' };
  const ingestion = ingest(registry, { name: 'buckets' });
  for (const [i, part] of parts.entries()) {
    const { values, hasExtremes, hasSum } = part;
    const extremes = hasExtremes ? { min: Math.min(...values), max: Math.max(...values) } : {};
    const facts = { ...extremes, ...(hasSum && { sum: sumOf(values) }) };
    const reading = { key: String(i), family, attributes: {}, counted: countedOf(part), ...facts };
    expect(ingestion.take([reading])).toEqual([]);
    if (isApart) await takeRows();
  }
  if (!isApart) await takeRows();
  return rows;
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
    hasSum: fc.boolean(),
  }),
  { minLength: 1, maxLength: 4 },
);

function valueOfRank(sorted: readonly number[], percentile: number): number {
  return sorted[Math.max(1, Math.ceil((percentile * sorted.length) / 100 - 1e-9)) - 1]!;
}

/** Engines add sums in any order. */
function expectSame(one: FigureBounds, other: FigureBounds): void {
  for (const figure of ['mean', 'min', 'max'] as const) {
    for (const end of ['lower', 'upper'] as const) {
      const [a, b] = [one[figure][end], other[figure][end]];
      if (a !== b) expect(Math.abs(a - b)).toBeLessThanOrEqual(1e-12 * a);
    }
  }
}

/** Expects that bounds contain the figures of values, and are these figures where all senders know them. */
function expectFigures({ mean, min, max }: FigureBounds, all: readonly Part[]): void {
  const values = all.flatMap((part) => part.values);
  const expectWithin = ({ lower, upper }: Bounds, truth: number, isKnown: boolean): void => {
    expect(lower).toBeLessThanOrEqual(truth + SLACK);
    expect(upper).toBeGreaterThanOrEqual(truth - SLACK);
    if (isKnown) expect(upper - lower).toBeLessThanOrEqual(SLACK);
  };
  const hasExtremes = all.every((part) => part.hasExtremes);
  expectWithin(
    mean,
    sumOf(values) / values.length,
    all.every(({ hasSum }) => hasSum),
  );
  expectWithin(min, Math.min(...values), hasExtremes);
  expectWithin(max, Math.max(...values), hasExtremes);
}

/** Half a tick, as values count at the nearest one, and roundings of the last bit. */
const SLACK = 1e-9;

test('rows of any buckets know bounds that contain each percentile, the mean, the smallest and the largest value', async () => {
  await fc.assert(
    fc.asyncProperty(parts, fc.boolean(), async (all, isApart) => {
      const sorted = all.flatMap(({ values }) => values).sort((a, b) => a - b);
      const merged = mergeRows(await rowsOf(all, isApart));
      expect(merged.count).toBe(sorted.length);
      for (const { percentile, lower, upper } of percentilesOf(merged, PERCENTILES)) {
        const truth = valueOfRank(sorted, percentile);
        expect(lower).toBeLessThanOrEqual(truth + SLACK);
        expect(upper).toBeGreaterThanOrEqual(truth - SLACK);
      }
      expectFigures(figureBounds(merged), all);
    }),
    { numRuns: caseCount(100, 300) },
  );
});

test('DuckDB gives the bounds of merged rows, and counts within a threshold for certain and at most', async () => {
  await fc.assert(
    fc.asyncProperty(parts, seconds, fc.boolean(), async (all, threshold, isApart) => {
      const rows = await rowsOf(all, isApart);
      const folder = newDirectory();
      await writeRows(folder, rows);
      const [answer] = await queryHistory(folder, { metric: 'lat', percentiles: PERCENTILES });
      expect(answer!.percentiles).toEqual(percentilesOf(mergeRows(rows), PERCENTILES));
      expectSame(figureBounds(mergeRows(rows)), answer!);
      expectFigures(answer!, all);

      const question = { metric: 'lat', threshold, objective: 0.9, sinceMs: 0, untilMs: DAY_MS };
      const [{ total } = { total: undefined }] = await objectiveHistory(folder, question);
      const truth = all.flatMap(({ values }) => values).filter((value) => value <= threshold).length;
      expect(total!.within.lower).toBeLessThanOrEqual(truth);
      expect(total!.within.upper).toBeGreaterThanOrEqual(truth);
    }),
    { numRuns: caseCount(8, 25) },
  );
});

/** 500 values in (1 s, 2.5 s], and nothing else is known. */
const COARSE: Part = {
  layout: explicitLayout([1, 2.5]),
  values: new Array(500).fill(1.7),
  hasExtremes: false,
  hasSum: false,
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
  const open: Part = { layout: explicitLayout([1]), values: [4], hasExtremes: false, hasSum: false };
  const [p50] = percentilesOf(mergeRows(await rowsOf([open])), [50]);
  expect(p50).toMatchObject({ value: Number.POSITIVE_INFINITY, upper: Number.POSITIVE_INFINITY });
  const figures = figureBounds(mergeRows(await rowsOf([open])));
  expect([figures.mean, figures.min, figures.max].map(({ upper }) => upper)).toEqual([
    Number.POSITIVE_INFINITY,
    Number.POSITIVE_INFINITY,
    Number.POSITIVE_INFINITY,
  ]);

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
