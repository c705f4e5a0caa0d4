import fc from 'fast-check';
import { kolmogorovSmirnovTest } from '../../src/analysis/kolmogorov-smirnov-test.ts';
import { mannWhitneyTest } from '../../src/analysis/mann-whitney-test.ts';
import { forEachCommonRange } from '../../src/analysis/paired-slots.ts';
import type { Counted } from '../../src/counted.ts';
import { DenseCounts } from '../../src/counts/dense.ts';
import { Histogram } from '../../src/histogram/histogram.ts';
import type { HistogramOptions } from '../../src/histogram/setup.ts';
import type { HdrLayout } from '../../src/layout/hdr.ts';
import { recorded } from '../support/recorded.ts';
import { LARGEST, type Recording, recordings, UNIT_MAGNITUDES } from '../support/values.ts';

const shapes: fc.Arbitrary<HistogramOptions> = fc
  .record({
    lowestDiscernibleValue: fc.constantFrom(...UNIT_MAGNITUDES).map((magnitude) => 2 ** magnitude),
    significantDigits: fc.integer({ min: 0, max: 5 }),
  })
  .map((shape): HistogramOptions => ({ ...shape, highestTrackableValue: 2n ** 63n - 1n, storage: 'sparse' }));

function rangesOf(a: Counted<HdrLayout>, b: Counted<HdrLayout>): [number, number][] {
  const ranges: [number, number][] = [];
  forEachCommonRange(a, b, (countInA, countInB) => ranges.push([countInA, countInB]));
  return ranges;
}

/** The expected pairs, found by the coarser slot of every single value. */
function rangesBySight(
  [a, recordingA]: [Histogram, Recording],
  [b, recordingB]: [Histogram, Recording],
): [number, number][] {
  const ranges = new Map<number, [number, number]>();
  const rangeOf = (value: number): [number, number] => {
    const from = Math.min(...[a, b].map(({ layout }) => layout.lower(layout.slotOf(value))));
    if (!ranges.has(from)) ranges.set(from, [0, 0]);
    return ranges.get(from)!;
  };
  for (const [value, count] of recordingA) rangeOf(value)[0] += count;
  for (const [value, count] of recordingB) rangeOf(value)[1] += count;
  return [...ranges].sort(([x], [y]) => x - y).map(([, counts]) => counts);
}

describe('the common ranges of two histograms', () => {
  test('are the slots where the layouts are equal', () => {
    const [a, b] = [
      recorded([
        [1, 2],
        [5, 1],
      ]),
      recorded([
        [5, 3],
        [9, 1],
      ]),
    ];
    expect(rangesOf(a, b)).toEqual([
      [2, 0],
      [1, 3],
      [0, 1],
    ]);
    expect(rangesOf(a, new Histogram())).toEqual([
      [2, 0],
      [1, 0],
    ]);
    expect(rangesOf(new Histogram(), new Histogram())).toEqual([]);
  });

  test('are the coarser slots everywhere, whatever digits and units', () => {
    fc.assert(
      fc.property(
        shapes,
        shapes,
        recordings(LARGEST, 15),
        recordings(LARGEST, 15),
        (shapeA, shapeB, first, second) => {
          const [a, b] = [recorded(first, shapeA), recorded(second, shapeB)];
          expect(rangesOf(a, b)).toEqual(rangesBySight([a, first], [b, second]));
        },
      ),
      { numRuns: 300 },
    );
  });

  test('reach beyond the range of the shorter layout, up to 2^63', () => {
    const a = new Histogram({ highestTrackableValue: 100, significantDigits: 1 }); // in slots of an eighth, up there too
    a.record(50);
    const { layout } = new Histogram({ highestTrackableValue: 2n ** 63n - 1n, storage: 'sparse' });
    const counts = new DenseCounts(layout.slotCount);
    for (const slot of [layout.slotOf(LARGEST), layout.slotCount - 2, layout.slotCount - 1])
      counts.increment(slot);
    expect(rangesOf(a, { layout, counts })).toEqual([
      [1, 0],
      [0, 1],
      [0, 2],
    ]);
    expect(rangesOf({ layout, counts }, a)).toEqual([
      [0, 1],
      [1, 0],
      [2, 0],
    ]);
  });

  test('make tests of different layouts those of the coarser', () => {
    const some = recordings(100_000, 30).filter((recording) => recording.length > 0);
    fc.assert(
      fc.property(some, some, (first, second) => {
        const [fine, coarse] = [{ significantDigits: 3 }, { significantDigits: 1 }];
        for (const test of [kolmogorovSmirnovTest, mannWhitneyTest]) {
          expect(test(recorded(first, fine), recorded(second, coarse))).toEqual(
            test(recorded(first, coarse), recorded(second, coarse)),
          );
        }
      }),
    );
  });
});
