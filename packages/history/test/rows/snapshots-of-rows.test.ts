import { caseCount } from '@hdrscope/testing/case-count';
import { shareDuckDb } from '@hdrscope/testing/shared-duckdb';
import fc from 'fast-check';
import { type MergedRow, queryMergedRows, rowsBetween, snapshotsOfRows } from '../../src/index.ts';
import { writeRows } from '../support/folder.ts';
import { INTERVAL_MS, recorded, rowsOf } from '../support/recorded.ts';
import { newDirectory } from '../support/sandbox.ts';

shareDuckDb();

test('the differences of neighbouring snapshots are the rows', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(recorded, { minLength: 1, maxLength: 4 }), async (all) => {
      const folder = newDirectory();
      const rows = await rowsOf(all.map((one) => ({ ...one, significantDigits: 2 })));
      if (rows.length === 0) return;
      await writeRows(folder, rows);
      const merged: MergedRow[] = [];
      for await (const row of queryMergedRows(folder, { everyMs: INTERVAL_MS })) merged.push(row);
      const again: unknown[] = [];
      let before: Parameters<typeof rowsBetween>[0];
      for await (const snapshot of snapshotsOfRows(queryMergedRows(folder, { everyMs: INTERVAL_MS }))) {
        if (before !== undefined) {
          for (const row of rowsBetween(before, snapshot, { producer: 'p' })) again.push(shownOf(row));
        }
        before = snapshot;
      }
      const byText = (a: unknown, b: unknown): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
      const shown = merged.map(shownOf);
      expect(again.sort(byText)).toEqual(shown.sort(byText));
    }),
    { numRuns: caseCount(6, 20) },
  );
});

/** What a registry gives back. Its sums are rounded, and so are its extremes beyond 12 digits, because they are in the unit. */
function shownOf({
  attributes,
  count,
  k,
  c,
  endMs,
  min,
  max,
}: Omit<MergedRow, 'startMs' | 'crossingCount'>): object {
  const [least, most] = [min, max].map((ticks) => ticks.toPrecision(12));
  return { attributes, count, k, c, endMs, least, most };
}

const ROW: MergedRow = {
  metric: 'lat',
  unit: 's',
  attributes: { route: '/' },
  startMs: 0,
  endMs: 10,
  scale: 1e-9,
  bits: 7,
  k: [132218],
  c: [2],
  w: [],
  count: 2,
  sum: 2000,
  min: 1000,
  max: 1000,
  crossingCount: 0,
};

async function* yielded(rows: readonly MergedRow[]): AsyncGenerator<MergedRow> {
  yield* rows;
}

test('a gap is an interval without counts', async () => {
  const totals: unknown[] = [];
  const rows = [ROW, { ...ROW, startMs: 30, endMs: 40 }];
  for await (const { timeMs, families } of snapshotsOfRows(yielded(rows))) {
    totals.push([timeMs, families[0]?.series[0]?.counts.total]);
  }
  expect(totals).toEqual([
    [0, undefined],
    [10, 2],
    [30, 2],
    [40, 4],
  ]);
});

test('coarser rows of one family, and families of another scale or unit', async () => {
  const rows = [
    ROW,
    { ...ROW, bits: 4, k: [132218 >> 3] },
    { ...ROW, scale: 1e-6, sum: 2000, min: 1000, max: 1000 },
    { ...ROW, unit: 'By', scale: 1 },
  ];
  let [last, sums]: unknown[] = [];
  for await (const { families } of snapshotsOfRows(yielded(rows))) {
    sums = families.map(({ series: [one] }) => [one!.sum, one!.max]);
    last = families.map(({ name, series }) => [name, series.map(({ counts }) => counts.total)]);
  }
  expect(last).toEqual([
    ['lat', [4]],
    ['lat in steps of 0.000001 s', [2]],
    ['lat in steps of 1 By', [2]],
  ]);
  expect(sums).toEqual([
    [4e-6, 1e-6],
    [2e-3, 1e-3],
    [2000, 1000],
  ]);
});
