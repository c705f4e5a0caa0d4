import { Histogram, percentileDifference } from '@hdrscope/core';
import fc from 'fast-check';
import {
  comparisonPlot,
  describePlot,
  plotFromJson,
  plotTable,
  plotText,
  plotToJson,
} from '../../src/index.ts';
import { renderSvg } from '../../src/render/index.ts';

function uniform(count: number, offset: number): Histogram {
  const histogram = new Histogram({ highestTrackableValue: 1_000_000 });
  for (let value = 1; value <= count; value++) histogram.record(value + offset);
  return histogram;
}

const before = { name: 'before', histogram: uniform(2000, 0) };
const after = { name: 'after', histogram: uniform(2000, 300) };

test('a comparison has both curves and the differences of percentileDifference', () => {
  const plot = comparisonPlot(before, after, {
    unit: 'us',
    percentiles: [50, 90],
    confidence: 0.95,
    title: 'T',
  });
  expect(plot).toMatchObject({ kind: 'comparison', unit: 'us', title: 'T', confidence: 0.95 });
  expect([plot.before.name, plot.after.name]).toEqual(['before', 'after']);
  for (const change of plot.changes) {
    const { difference, lower, upper } = percentileDifference(
      after.histogram,
      before.histogram,
      change.percentile,
      { confidence: 0.95 },
    );
    expect(change.after - change.before).toBe(difference);
    expect([change.lower, change.upper]).toEqual([lower, upper]);
  }
});

test('an interval below the confidence that is asked for is left out', () => {
  const { changes } = comparisonPlot(before, after, { percentiles: [50, 99.99] });
  expect(changes.map((change) => 'lower' in change)).toEqual([true, false]);
});

test('an empty histogram is refused', () => {
  const empty = { name: 'empty', histogram: new Histogram({ highestTrackableValue: 10 }) };
  expect(() => comparisonPlot(before, empty)).toThrow(expect.objectContaining({ code: 'ERR_INCOMPATIBLE' }));
});

/** Values of 1 digit in the slots of 4 digits. */
function moved(values: readonly number[]): Histogram {
  const [wide, fine] = [1, 4].map(
    (significantDigits) => new Histogram({ highestTrackableValue: 1_000_000, significantDigits }),
  ) as [Histogram, Histogram];
  for (const value of values) wide.record(value);
  fine.add(wide);
  return fine;
}

const recorded = fc.array(fc.integer({ min: 1, max: 100_000 }), { minLength: 1, maxLength: 40 });

test('values, differences and curves contain the truth where counts came from wider slots', () => {
  fc.assert(
    fc.property(recorded, recorded, (was, is) => {
      const percentiles = [50, 90, 100];
      const plot = comparisonPlot(
        { name: 'before', histogram: moved(was) },
        { name: 'after', histogram: moved(is) },
        { percentiles, confidence: 1e-9 },
      );
      const [before, after] = [was, is].map((values) => {
        const sorted = values.toSorted((a, b) => a - b);
        return percentiles.map((percentile) => sorted[Math.ceil((percentile * sorted.length) / 100) - 1]!);
      }) as [number[], number[]];
      for (const [i, change] of plot.changes.entries()) {
        expect(change.beforeLower ?? change.before).toBeLessThanOrEqual(before[i]!);
        expect(change.before).toBeGreaterThanOrEqual(before[i]!);
        expect(change.afterLower ?? change.after).toBeLessThanOrEqual(after[i]!);
        expect(change.after).toBeGreaterThanOrEqual(after[i]!);
        // Too few values give no interval.
        if (change.lower !== undefined) {
          expect(change.lower).toBeLessThanOrEqual(after[i]! - before[i]!);
          expect(change.upper).toBeGreaterThanOrEqual(after[i]! - before[i]!);
        }
        const point = plot.after.points.find(({ percentile }) => percentile >= percentiles[i]! - 1e-9)!;
        expect(point.lower ?? point.value).toBeLessThanOrEqual(after[i]!);
        expect(point.value).toBeGreaterThanOrEqual(after[i]!);
      }
    }),
  );
});

test('values with bounds are shown as bounds, and their difference as its interval', () => {
  const plot = comparisonPlot(
    { name: 'before', histogram: moved(Array(1000).fill(66_000)) },
    { name: 'after', histogram: moved(Array(1000).fill(140_000)) },
    { unit: 'us', percentiles: [50] },
  );
  expect(plot.changes[0]).toMatchObject({
    beforeLower: 65_536,
    before: 69_631,
    afterLower: 139_264,
    after: 147_455,
  });
  expect(plotTable(plot).rows).toEqual([
    ['50 %', '65.5 to 69.6 ms', '139 to 147 ms', expect.stringMatching(/^\+\d[\d.]* to \+\d[\d.]* ms$/)],
  ]);
  expect(describePlot(plot)).toContain('before: p50 65.5 to 69.6 ms, p99 65.5 to 69.6 ms');
  expect(plotText(plot, { columns: 100 })).toMatch(
    /p50 +65.5 to 69.6 ms +139 to 147 ms +\+\S+ ms to \+\S+ ms$/m,
  );
  expect(plotText(plot, { columns: 40 })).toMatch(/^ +before +after\np50 +65.5 to 69.6 ms +139 to 147 ms$/m);
  expect(renderSvg(plot)).toContain('opacity="0.18"');
  expect(plotFromJson(plotToJson(plot))).toEqual(plot);
});
