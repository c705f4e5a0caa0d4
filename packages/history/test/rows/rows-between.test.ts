import { usedSlots } from '@hdrscope/core/internal';
import { createRegistry } from '@hdrscope/registry';
import { caseCount } from '@hdrscope/testing/case-count';
import { FakeClock } from '@hdrscope/testing/fake-clock';
import { refusalOf } from '@hdrscope/testing/refusals';
import fc from 'fast-check';
import { countedOfRow, mergeRows, percentilesOf, rowsBetween } from '../../src/index.ts';
import type { RowFacts } from '../../src/rows/rows-between.ts';
import { added, emptyHistogram, recorded, rowsOf } from '../support/recorded.ts';

test('a row has the very slots of the series', async () => {
  await fc.assert(
    fc.asyncProperty(recorded, async (one) => {
      const rows = await rowsOf([one]);
      const intervals = one.intervals.filter(({ length }) => length > 0);
      expect(rows.length).toBe(intervals.length);
      for (const [i, row] of rows.entries()) {
        const histogram = emptyHistogram(one.significantDigits);
        for (const tick of intervals[i]!) histogram.record(tick);
        const { layout, counts } = countedOfRow(row);
        expect(layout.sharesSlotsWith(histogram.layout)).toBe(true);
        expect([...usedSlots(counts)]).toEqual([...usedSlots(histogram.counts)]);
        expect(row.count).toBe(histogram.totalCount);
        expect(row.k).toEqual([...row.k].sort((a, b) => a - b));
      }
    }),
    { numRuns: caseCount(60, 200) },
  );
});

test('the sum of the rows of all intervals is the whole of the registry', async () => {
  await fc.assert(
    fc.asyncProperty(recorded, async (one) => {
      const rows = await rowsOf([one]);
      if (rows.length === 0) return;
      const [whole] = await rowsOf([{ ...one, intervals: [one.intervals.flat()] }]);
      const merged = mergeRows(rows);
      expect([merged.k, merged.c, merged.count, merged.min, merged.max]).toEqual([
        whole!.k,
        whole!.c,
        whole!.count,
        whole!.min,
        whole!.max,
      ]);
    }),
    { numRuns: caseCount(60, 200) },
  );
});

test('percentiles of merged rows are those of Histogram.add, at the digits of the coarsest row', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(recorded, { minLength: 1, maxLength: 4 }),
      fc.array(fc.double({ min: 0, max: 100, noNaN: true }), { maxLength: 5 }),
      async (all, percentiles) => {
        const rows = await rowsOf(all, { scale: 1 });
        if (rows.length === 0) return;
        const values = percentilesOf(mergeRows(rows), percentiles).map(({ value }) => value);
        expect(values).toEqual(added(rows).valuesAtPercentiles(percentiles));
      },
    ),
    { numRuns: caseCount(60, 200) },
  );
});

describe('a row', () => {
  test('has the identity of its series as texts, ascending by their keys', async () => {
    const registry = createRegistry();
    const scope = { name: 'lib', version: '1.2' };
    registry
      .histogram({ name: 'rpc', unit: 's', scope })
      .with({ z: 1, a: true, list: ['x', 2], text: '"quoted"', absent: undefined, half: '\ud800' })
      .record(1);
    const [row] = rowsBetween(undefined, await registry.gather(), { producer: 'test' });
    expect(Object.entries(row!.attributes)).toEqual([
      ['a', 'true'],
      ['half', '\ufffd'],
      ['list', '["x",2]'],
      ['otel.scope.name', 'lib'],
      ['otel.scope.version', '1.2'],
      ['text', '"quoted"'],
      ['z', '1'],
    ]);
  });

  test('begins at the snapshot before, or at the start of its series', async () => {
    const clock = new FakeClock(1_700_000_000_000);
    const registry = createRegistry({ clock });
    const family = registry.histogram({ name: 'rpc', unit: 's' });
    family.with({ n: 1 }).record(1);
    clock.advance(1000.5);
    const before = await registry.gather();
    clock.advance(1000);
    family.with({ n: 1 }).record(1);
    family.with({ n: 2 }).record(1);
    clock.advance(1000);
    const now = await registry.gather();
    const times = [...rowsBetween(before, now, { producer: 'test', sequence: 7 })].map((row) => [
      row.attributes.n,
      row.startMs - 1_700_000_000_000,
      row.endMs - 1_700_000_000_000,
      row.sequence,
    ]);
    expect(times.sort()).toEqual([
      ['1', 1000, 3000, expect.any(Number)],
      ['2', 2000, 3000, expect.any(Number)],
    ]);
    expect(times.map(([, , , sequence]) => sequence).sort()).toEqual([7, 8]);
  });

  test('never ends before it begins, also when the wall clock is set back', async () => {
    const clock = new FakeClock(1_700_000_000_000);
    const registry = createRegistry({ clock });
    const series = registry.histogram({ name: 'rpc', unit: 's' }).with({});
    const before = await registry.gather();
    series.record(1);
    clock.setWallClock(1_600_000_000_000);
    const [row] = rowsBetween(before, await registry.gather({ maxAgeMs: 0 }), { producer: 'test' });
    expect([row!.startMs, row!.endMs]).toEqual([1_600_000_000_000, 1_600_000_000_000]);
  });

  test('is missing for a series that only rejected values', async () => {
    const registry = createRegistry();
    registry.histogram({ name: 'rpc', unit: 's' }).with({}).record(-1);
    expect([...rowsBetween(undefined, await registry.gather(), { producer: 'test' })]).toEqual([]);
  });
});

test.each([
  [{ producer: '' }, 'producer must be a text, not empty, got ""'],
  [{ producer: 'a', sequence: -1 }, 'sequence must be an integer from 0 to 2^53 - 1, got -1'],
  [{ producer: 'a', sequnce: 7 } as RowFacts, 'rowsBetween has no option "sequnce": did you mean sequence?'],
])('the facts %j are refused', async (facts, message) => {
  const snapshot = await createRegistry().gather();
  const refusal = refusalOf(() => rowsBetween(undefined, snapshot, facts).next(), 'ERR_INVALID_OPTION');
  expect(refusal.message).toContain(message);
});

test('rows without a common step are not added', async () => {
  const one = { significantDigits: 2, attributes: {}, intervals: [[5]] };
  const [seconds] = await rowsOf([one], { scale: 1e-9 });
  expect(
    refusalOf(() => mergeRows([seconds!, { ...seconds!, sequence: 1, scale: 1 }]), 'ERR_INCOMPATIBLE')
      .message,
  ).toBe('rows of a sum must have one unit and scale, got "s" in steps of 1e-9 and "s" in steps of 1');
  expect(refusalOf(() => mergeRows([]), 'ERR_INCOMPATIBLE').message).toBe(
    'a sum of rows must have at least one row, got none',
  );
});

test('counts of a row that is no row are refused', () => {
  const row = { bits: 7, k: [0, 132_218], c: [1, 2], w: [] };
  expect(countedOfRow(row).counts.total).toBe(3);
  expect(countedOfRow({ ...row, k: [], c: [] }).counts.total).toBe(0);
  expect(countedOfRow({ bits: 5, k: [132_218 >> 2], c: [2] }).layout.significantDigits).toBe(2);
  expect(refusalOf(() => countedOfRow({ ...row, bits: 18 }), 'ERR_INVALID_OPTION').message).toContain(
    'bits must be',
  );
  expect(refusalOf(() => countedOfRow({ ...row, c: [1] }), 'ERR_INVALID_COUNT').message).toBe(
    'c must be 2 counts, one for each slot, got 1',
  );
  expect(
    refusalOf(() => percentilesOf({ ...row, count: 3, scale: 1 }, [101]), 'ERR_INVALID_VALUE').message,
  ).toContain('percentile');
});
