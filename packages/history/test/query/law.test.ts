import { fromTicks, usedSlots } from '@hdrscope/core/internal';
import { valuesAtPercentiles } from '@hdrscope/registry';
import { caseCount } from '@hdrscope/testing/case-count';
import { shareDuckDb } from '@hdrscope/testing/shared-duckdb';
import fc from 'fast-check';
import { countedOfRow, figureBounds, mergeRows, percentilesOf, queryHistory } from '../../src/index.ts';
import { runInDuckDb } from '../support/duckdb.ts';
import { writeRows } from '../support/folder.ts';
import { groupKey, groupsOf } from '../support/merged-percentiles.ts';
import { added, groupedBy, INTERVAL_MS, recorded, rowsOf } from '../support/recorded.ts';
import { newDirectory } from '../support/sandbox.ts';

shareDuckDb();

const percentiles = fc.array(
  fc.oneof(fc.constantFrom(0, 50, 90, 99, 99.9, 100), fc.double({ min: 0, max: 100, noNaN: true })),
  {
    minLength: 1,
    maxLength: 4,
  },
);

const RUNS = { numRuns: caseCount(8, 25) };

test('DuckDB counts in each slot what Histogram.add counts', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(recorded, { minLength: 1, maxLength: 5 }), async (all) => {
      const rows = await rowsOf(all);
      if (rows.length === 0) return;
      const path = await writeRows(newDirectory(), rows);
      for (const [bits, ofBits] of groupedBy(rows, (row) => String(row.bits))) {
        const sql = `SELECT k, sum(c)::DOUBLE AS n FROM (SELECT unnest(k) AS k, unnest(c) AS c FROM '${path}' WHERE bits = ${bits}) GROUP BY k ORDER BY k`;
        const total = added(ofBits);
        const slots = (await runInDuckDb(sql, {})).map(({ k, n }) => [k, n]);
        const { k, c } = mergeRows(ofBits);
        expect(slots).toEqual(k.map((slot, i) => [slot, c[i]]));
        const counted = countedOfRow({ bits: Number(bits), k, c });
        expect(total.layout.sharesSlotsWith(counted.layout)).toBe(true);
        expect([...usedSlots(total.counts)]).toEqual([...usedSlots(counted.counts)]);
        expect(total.counts.total).toBe(counted.counts.total);
      }
    }),
    RUNS,
  );
});

test('percentiles of DuckDB are those of Histogram.add, by group and time, whatever the digits are', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(recorded, { minLength: 1, maxLength: 5 }),
      percentiles,
      fc.constantFrom([], ['route'], ['route', 'method'], ['absent']),
      fc.constantFrom(undefined, INTERVAL_MS, 2 * INTERVAL_MS),
      async (all, asked, by, everyMs) => {
        const rows = await rowsOf(all);
        if (rows.length === 0) return;
        const folder = newDirectory();
        await writeRows(folder, rows);
        // A retry writes rows again.
        await writeRows(folder, rows.slice(0, 2));
        const question = { metric: 'lat', percentiles: asked, by, ...(everyMs && { everyMs }) };
        const answer = await queryHistory(folder, question);
        const groups = groupsOf(rows, by, everyMs);
        expect(answer.length).toBe(groups.size);
        for (const group of answer) {
          const values = by.map((key) => group.attributes[key]);
          const members = groups.get(groupKey(values, group.startMs))!;
          const merged = mergeRows(members);
          const unique = [...new Set(asked)];
          expect(group.percentiles).toEqual(percentilesOf(merged, unique));
          const histogram = added(members);
          const resolution = { ticksPerUnit: 1e9, unitsPerTick: 1 };
          expect(group.percentiles.map(({ value }) => value)).toEqual(
            valuesAtPercentiles({ resolution }, { histogram }, unique),
          );
          const { min, max } = figureBounds(merged);
          expect([group.count, group.min, group.max]).toEqual([merged.count, min, max]);
          expect(group.sum).toBeCloseTo(fromTicks(resolution, merged.sum), 3);
          expect([group.unit, group.scale, group.bits]).toEqual(['s', 1e-9, merged.bits]);
        }
      },
    ),
    RUNS,
  );
});
