import { caseCount } from '@hdrscope/testing/case-count';
import { shareDuckDb } from '@hdrscope/testing/shared-duckdb';
import fc from 'fast-check';
import { historySpan, type MergedRow, mergeRows, queryMergedRows } from '../../src/index.ts';
import type { MergeQuestion } from '../../src/internal.ts';
import { NO_MARGINS } from '../../src/rows/margins.ts';
import { writeRows } from '../support/folder.ts';
import { groupKey } from '../support/merged-percentiles.ts';
import { groupedBy, INTERVAL_MS, recorded, rowsOf, START_MS } from '../support/recorded.ts';
import { newDirectory } from '../support/sandbox.ts';

shareDuckDb();

const RUNS = { numRuns: caseCount(8, 25) };

async function merged(folder: string, question?: MergeQuestion): Promise<MergedRow[]> {
  const rows: MergedRow[] = [];
  for await (const row of queryMergedRows(folder, question)) rows.push(row);
  return rows;
}

test('slots, counts, sums and bounds are those of mergeRows, by group and time, whatever the digits are', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(recorded, { minLength: 1, maxLength: 5 }),
      fc.constantFrom<(readonly string[] | undefined)[]>(undefined, [], ['route'], ['method', 'absent']),
      fc.constantFrom(undefined, INTERVAL_MS, 2 * INTERVAL_MS),
      async (all, by, everyMs) => {
        const rows = await rowsOf(all);
        if (rows.length === 0) return;
        const folder = newDirectory();
        await writeRows(folder, rows);
        // A retry writes rows again.
        await writeRows(folder, rows.slice(0, 2));
        const groups = groupedBy(rows, ({ attributes, startMs }) => {
          const own = Object.entries(attributes).filter(([key]) => by === undefined || by.includes(key));
          return groupKey(own.sort().flat(), everyMs && startMs - (startMs % everyMs));
        });
        const question = { metric: 'lat', ...(by && { by }), ...(everyMs && { everyMs }) };
        const answer = await merged(folder, question);
        expect(answer.length).toBe(groups.size);
        for (const row of answer) {
          const key = groupKey(Object.entries(row.attributes).flat(), everyMs && row.startMs);
          const { sum, margins = NO_MARGINS, ...exact } = mergeRows(groups.get(key)!);
          expect(row).toMatchObject(exact);
          // The order of additions changes the last bits.
          expect(Math.abs(row.sum - sum)).toBeLessThanOrEqual(sum * 1e-12);
          const { sumBelow, sumAbove, ...others } = row.margins ?? NO_MARGINS;
          expect({ ...margins, ...others }).toEqual(margins);
          expect(Math.abs(sumBelow - margins.sumBelow)).toBeLessThanOrEqual(sum * 1e-12);
          expect(Math.abs(sumAbove - margins.sumAbove)).toBeLessThanOrEqual(sum * 1e-12);
        }
      },
    ),
    RUNS,
  );
});

test('all metrics in the order of time, also over several days', async () => {
  const folder = newDirectory();
  const sizes = await rowsOf([{ significantDigits: 2, attributes: { route: '/' }, intervals: [[1], [2]] }], {
    metric: 'sizes',
  });
  const days = [0, 1, 9].flatMap((day) =>
    sizes.map((row) => ({
      ...row,
      startMs: row.startMs + day * 86_400_000,
      endMs: row.endMs + day * 86_400_000,
      producer: `p${day}`,
    })),
  );
  const others = await rowsOf([{ significantDigits: 3, attributes: {}, intervals: [[7]] }], {
    metric: 'lat',
  });
  for (const rows of groupedBy(days, ({ startMs }) =>
    new Date(startMs).toISOString().slice(0, 10),
  ).values()) {
    await writeRows(folder, rows);
  }
  await writeRows(folder, others);
  const minutes = await merged(folder, { everyMs: INTERVAL_MS });
  expect(minutes.map(({ metric, attributes, count }) => [metric, attributes, count])).toEqual([
    ['lat', {}, 1],
    ...Array.from({ length: 6 }, () => ['sizes', { route: '/' }, 1]),
  ]);
  expect(minutes.map(({ startMs }) => startMs)).toEqual(
    minutes.map(({ startMs }) => startMs).sort((a, b) => a - b),
  );
  const weeks = await merged(folder, { metric: 'sizes', everyMs: 7 * 86_400_000 });
  expect(weeks.map(({ count, startMs, endMs }) => [count, endMs - startMs])).toEqual([
    [4, 604_800_000],
    [2, 604_800_000],
  ]);
  const [whole] = await merged(folder, { metric: 'sizes' });
  expect([whole!.startMs, whole!.endMs]).toEqual([START_MS, START_MS + 9 * 86_400_000 + 2 * INTERVAL_MS]);
  expect(await merged(folder, { metric: 'sizes', sinceMs: START_MS + 10 * 86_400_000 })).toEqual([]);
  expect(await historySpan(folder, { metric: 'sizes', untilMs: START_MS + 5 * 86_400_000 })).toEqual({
    startMs: START_MS,
    endMs: START_MS + 86_400_000 + 2 * INTERVAL_MS,
    lastStartMs: START_MS + 86_400_000 + INTERVAL_MS,
    intervalMs: INTERVAL_MS,
  });
  expect(await historySpan(folder, { metric: 'absent' })).toBeUndefined();
  expect(await merged(folder, { metric: 'absent', everyMs: INTERVAL_MS })).toEqual([]);
});

test('units and scales are never added', async () => {
  const folder = newDirectory();
  const one = { significantDigits: 2, attributes: {}, intervals: [[5]] };
  const rows = await Promise.all([1e-9, 1e-6].map((scale) => rowsOf([one], { scale })));
  await writeRows(
    folder,
    rows.flat().map((row, i) => ({ ...row, producer: `p${i}` })),
  );
  expect((await merged(folder, { by: [] })).map(({ scale, count }) => [scale, count])).toEqual([
    [1e-9, 1],
    [1e-6, 1],
  ]);
});
