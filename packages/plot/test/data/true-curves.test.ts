import { DoubleHistogram, formatPercentiles, Histogram, parsePercentiles } from '@hdrscope/core';
import { caseCount } from '@hdrscope/testing/case-count';
import fc from 'fast-check';
import { ninesOf, percentileAt } from '../../src/chart/percentile-axis.ts';
import { cornersOf } from '../../src/chart/steps.ts';
import { curveOf, curveOfPercentiles, curveOfSlots, percentileCurve } from '../../src/index.ts';
import type { Curve } from '../../src/plot.ts';

/** What is drawn over a place: all values of the line from the place's left to its right. */
function drawnAt(corners: ReturnType<typeof cornersOf>, left: number, right: number): [number, number] {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const take = (value: number): void => {
    least = Math.min(least, value);
    most = Math.max(most, value);
  };
  for (const [i, [place, value]] of corners.entries()) {
    if (place >= left && place <= right) take(value);
    const [before, from] = corners[i - 1] ?? [place, value];
    for (const edge of [left, right]) {
      if (before < edge && edge < place) take(from + ((value - from) * (edge - before)) / (place - before));
    }
  }
  return [least, most];
}

/** Compares what is drawn with the true quantiles of the values, at many places and within a slot. */
function assertTrue(
  curve: Curve,
  values: readonly number[],
  columns: number,
  slotOf: (value: number) => [number, number],
): void {
  const sorted = [...values].sort((a, b) => a - b);
  const corners = cornersOf(curve);
  const end = Math.max(1, Math.log10(sorted.length));
  const rankAt = (place: number): number => {
    const rank = (percentileAt(place) / 100) * sorted.length;
    return Math.max(1, Math.min(sorted.length, Math.ceil(rank - 1e-6)));
  };
  const last = ninesOf(100 * (1 - 1 / sorted.length));
  const step = end / columns;
  for (let column = 0; column * step <= last; column++) {
    // The pixel of the column, and half a pixel at both sides: a line is that thick.
    const [left, right] = [Math.max(0, (column - 0.5) * step), Math.min(last, (column + 1.5) * step)];
    const [least, most] = drawnAt(corners, left, right);
    const trueLeast = slotOf(sorted[rankAt(Math.max(0, column * step)) - 1]!);
    const trueMost = slotOf(sorted[rankAt(Math.min(last, (column + 1) * step)) - 1]!);
    // No value is drawn that the percentiles from the column before to the column after do not have.
    const before = slotOf(sorted[rankAt(Math.max(0, left - step)) - 1]!);
    const after = slotOf(sorted[Math.min(sorted.length, rankAt(Math.min(last, right + step)) + 1) - 1]!);
    const isTrue = least <= trueLeast[1] && most >= trueMost[0] && least >= before[0] && most <= after[1];
    if (!isTrue) throw new Error(`column ${column}: ${least} to ${most}, not ${trueLeast} to ${trueMost}`);
  }
  // Each corner lies on the true curve.
  for (const [place, value] of corners) {
    const rank = (percentileAt(Math.min(place, last)) / 100) * sorted.length;
    const [low, high] = [Math.floor(rank + 1e-6), Math.ceil(rank - 1e-6) + 1].map((one) =>
      slotOf(sorted[Math.max(1, Math.min(sorted.length, one)) - 1]!),
    );
    if (value < low![0] || value > high![1]) throw new Error(`${place}: ${value}, not ${low} to ${high}`);
  }
}

/** Data whose quantiles are known: they are the sorted values. */
const uniform = Array.from({ length: 100_000 }, (_, i) => i + 1);

const integers = fc.oneof(
  fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 1, maxLength: 300 }),
  fc.array(fc.integer({ min: 1, max: 3_600_000_000 }), { minLength: 1, maxLength: 2000 }),
  // A bulk with a long tail, as of latencies.
  fc
    .array(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), { minLength: 1, maxLength: 2000 })
    .map((parts) => parts.map((part) => Math.min(1e12, Math.round(1000 / (1 - part) ** 1.2)))),
);

function histogramOf(values: readonly number[], significantDigits: number): Histogram {
  const histogram = new Histogram({ autoResize: true, significantDigits });
  for (const value of values) histogram.record(value);
  return histogram;
}

describe('a curve is the distribution, within a slot at every column', () => {
  test.each([400, 860, 1720])('of 100,000 uniform values, at %d columns', (columns) => {
    const histogram = histogramOf(uniform, 3);
    const curve = curveOf('uniform', histogram, { columns });
    assertTrue(curve, uniform, columns, slotIn(histogram));
    expect(curve.points.length).toBeLessThan(columns + 20);
  });

  test('of integers, sparse or dense', () => {
    fc.assert(
      fc.property(
        integers,
        fc.integer({ min: 1, max: 3 }),
        fc.constantFrom(40, 300, 860),
        (values, digits, columns) => {
          const histogram = histogramOf(values, digits);
          assertTrue(curveOf('x', histogram, { columns }), values, columns, slotIn(histogram));
        },
      ),
      { numRuns: caseCount(20, 60) },
    );
  });

  test('with a confidence, whose points are the same slots', () => {
    fc.assert(
      fc.property(integers, (values) => {
        const histogram = histogramOf(values, 2);
        const curve = percentileCurve('x', histogram, { columns: 300, confidence: 0.9 });
        assertTrue(curve, values, 300, slotIn(histogram));
      }),
      { numRuns: caseCount(10, 20) },
    );
  });

  test('of doubles', () => {
    fc.assert(
      fc.property(integers, (values) => {
        const doubles = values.map((value) => (value + 1) / 1024);
        const histogram = new DoubleHistogram({ significantDigits: 3 });
        for (const value of doubles) histogram.record(value);
        assertTrue(curveOf('x', histogram, { columns: 300 }), doubles, 300, slotIn(histogram));
      }),
      { numRuns: caseCount(15, 30) },
    );
  });

  test('of the slots of a kernel map', () => {
    fc.assert(
      fc.property(integers, (values) => {
        // Slot i has the values from 2^i to 2^(i+1) - 1.
        const slots = Array.from({ length: 64 }, (_, i) => ({ lower: 2 ** i, upper: 2 ** (i + 1) - 1 }));
        const counts = slots.map(() => 0);
        const known = values.map((value) => value + 1);
        const slotOf = (value: number): number => Math.floor(Math.log2(value));
        for (const value of known) counts[slotOf(value)]! += 1;
        const within = (value: number): [number, number] => {
          const { lower, upper } = slots[slotOf(value)]!;
          return [lower, upper];
        };
        assertTrue(curveOfSlots('x', slots, counts, { columns: 300 }), known, 300, within);
      }),
      { numRuns: caseCount(15, 30) },
    );
  });
});

function slotIn(histogram: Histogram | DoubleHistogram): (value: number) => [number, number] {
  // Bounds of doubles are rounded.
  return (value) => [
    histogram.lowestEquivalentValue(value) * (1 - 1e-12),
    histogram.highestEquivalentValue(value) * (1 + 1e-12),
  ];
}

test('a curve of percentile text has the value of each row at its percentile, and plateaus where the text has them', () => {
  fc.assert(
    fc.property(integers, (values) => {
      const histogram = histogramOf(values, 3);
      const parsed = parsePercentiles(formatPercentiles(histogram));
      const curve = curveOfPercentiles('x', parsed);
      const corners = cornersOf(curve);
      const last = Math.log10(values.length);
      for (const { percentile, value } of parsed.rows) {
        const place = percentile >= 100 ? last : Math.min(last, ninesOf(percentile));
        const [least, most] = drawnAt(corners, place - 1e-6, place + 1e-6);
        if (least > value * (1 + 1e-9) || most < value * (1 - 1e-9)) {
          throw new Error(`${percentile} %: ${least} to ${most}, not ${value}`);
        }
      }
    }),
    { numRuns: caseCount(15, 40) },
  );
});

test('a plateau in the middle of a percentile text stays level', () => {
  const values = [...Array(100).fill(10), ...Array(800).fill(42), ...Array(100).fill(5000)];
  const { points } = curveOfPercentiles('x', parsePercentiles(formatPercentiles(histogramOf(values, 3))));
  expect(points.map(({ value }) => Math.round(value))).toEqual([10, 42, 5003]);
  expect(points[1]!.from).toBeLessThanOrEqual(20);
  expect(points[1]!.percentile).toBeCloseTo(90, 9);
});

test('a level piece of the curve of 100,000 uniform values is one slot', () => {
  const histogram = histogramOf(uniform, 3);
  const curve = curveOf('uniform', histogram);
  const steps = cornersOf(curve);
  let previous = steps[0]!;
  for (const corner of steps.slice(1)) {
    // The widest slots have 64 values.
    if (corner[1] === previous[1]) {
      const count = ((percentileAt(corner[0]) - percentileAt(previous[0])) / 100) * 100_000;
      expect(count).toBeLessThanOrEqual(64.01);
    }
    previous = corner;
  }
});
