import { caseCount } from '@hdrscope/testing/case-count';
import fc from 'fast-check';
import {
  type AddOptions,
  type Bounds,
  type Counted,
  DoubleHistogram,
  explicitLayout,
  exponentialLayout,
  Histogram,
  HistogramSum,
  type Layout,
  LayoutHistogram,
  linearLayout,
  log2Layout,
} from '../../src/index.ts';

/** Counts of a distribution with the values that were counted, ascending, and with facts about them. */
interface Addend {
  readonly counted: Counted;
  readonly values: readonly number[];
  readonly options: AddOptions;
}

const layouts: fc.Arbitrary<(values: readonly number[]) => Counted> = fc.oneof(
  fc.tuple(fc.nat(5), fc.nat(12)).map(([significantDigits, unit]) => (values: readonly number[]) => {
    const histogram = new Histogram({
      significantDigits,
      lowestDiscernibleValue: 2 ** unit,
      storage: 'sparse',
      autoResize: true,
    });
    histogram.recordValues(values);
    return histogram;
  }),
  fc.nat(5).map((significantDigits) => (values: readonly number[]) => {
    const histogram = new DoubleHistogram({ significantDigits, storage: 'sparse' });
    histogram.recordValues(values);
    return histogram;
  }),
  fc
    .oneof(
      fc.uniqueArray(fc.nat(2000), { minLength: 1, maxLength: 8 }).map((bounds) => {
        const edges = bounds.sort((a, b) => a - b);
        return explicitLayout(edges, edges.length % 2 === 0 ? 'upper' : 'lower') as Layout;
      }),
      fc.tuple(fc.integer({ min: -2, max: 6 }), fc.constantFrom(0, 10, 100)).map(([scale, zeroThreshold]) => {
        const maxIndex = Math.ceil(20 * 2 ** scale);
        return exponentialLayout({ scale, minIndex: 0, maxIndex, zeroThreshold }) as Layout;
      }),
      fc.constant(log2Layout({ slots: 30 }) as Layout),
      fc.integer({ min: 1, max: 50 }).map((width) => linearLayout({ width, slots: 100 }) as Layout),
    )
    .map((layout) => (values: readonly number[]) => {
      const histogram = new LayoutHistogram(layout);
      histogram.recordValues(values);
      return histogram;
    }),
);

const magnitudes = fc.constantFrom(10, 300, 5000, 1_000_000);

const addends: fc.Arbitrary<Addend> = fc
  .tuple(
    layouts,
    magnitudes.chain((most) => fc.array(fc.nat(most), { minLength: 1, maxLength: 30 })),
    fc.record({ sum: fc.boolean(), extremes: fc.boolean(), limits: fc.boolean() }),
  )
  .map(([count, unordered, known]) => {
    const values = unordered.sort((a, b) => a - b);
    const within = [100, 1000].map((limit) => ({
      limit,
      count: values.filter((value) => value <= limit).length,
    }));
    const options = {
      ...(known.sum ? { sum: values.reduce((sum, value) => sum + value, 0) } : {}),
      ...(known.extremes ? { min: values[0]!, max: values.at(-1)! } : {}),
      ...(known.limits ? { within } : {}),
    };
    return { counted: count(values), values, options };
  });

const sums = fc.array(addends, { minLength: 1, maxLength: 6 });

function sumOf(parts: readonly Addend[]): HistogramSum {
  const sum = new HistogramSum({ storage: 'sparse' });
  for (const { counted, options } of parts) sum.add(counted, options);
  return sum;
}

const PERCENTILES = [0, 1, 25, 50, 75, 90, 99, 99.9, 100];
const LIMITS = [0, 1, 50, 100, 255, 256, 999, 1000, 1e6];

/** Everything that a sum answers. */
function answersOf(sum: HistogramSum): unknown {
  return {
    total: sum.totalCount,
    min: sum.min,
    max: sum.max,
    mean: [sum.mean.lower.toPrecision(12), sum.mean.upper.toPrecision(12)],
    percentiles: PERCENTILES.map((percentile) => sum.percentile(percentile)),
    within: LIMITS.map((limit) => sum.countWithin(limit)),
    intervals: PERCENTILES.map((percentile) => sum.percentileInterval(percentile)),
  };
}

/** Means are rounded. Each `expect` takes longer than a case. */
function assertContains(what: string, { lower, upper }: Bounds, truth: number, tolerance = 1e-12): void {
  const slack = Math.abs(truth) * tolerance;
  if (lower <= truth + slack && upper >= truth - slack) return;
  throw new Error(`${what}: ${truth} is not from ${lower} to ${upper}`);
}

const numRuns = caseCount(1700, 34_000);

describe('a sum of distributions of unlike layouts', () => {
  test('contains the truth in every answer', () => {
    fc.assert(
      fc.property(sums, (parts) => {
        const sum = sumOf(parts);
        const truth = parts.flatMap(({ values }) => values).sort((a, b) => a - b);
        expect(sum.totalCount).toBe(truth.length);
        assertContains('min', sum.min, truth[0]!);
        assertContains('max', sum.max, truth.at(-1)!);
        assertContains('mean', sum.mean, truth.reduce((total, value) => total + value, 0) / truth.length);
        const mean = truth.reduce((total, value) => total + value, 0) / truth.length;
        const variance = truth.reduce((total, value) => total + (value - mean) ** 2, 0) / truth.length;
        assertContains('deviation', sum.standardDeviation, Math.sqrt(variance), 1e-6);
        for (const percentile of PERCENTILES) {
          const rank = Math.max(1, Math.ceil((percentile * truth.length) / 100 - 1e-9));
          assertContains(`p${percentile}`, sum.percentile(percentile), truth[rank - 1]!);
        }
        for (const limit of LIMITS) {
          assertContains(
            `within ${limit}`,
            sum.countWithin(limit),
            truth.filter((value) => value <= limit).length,
          );
        }
      }),
      { numRuns },
    );
  });

  test('answers the same in every order and grouping', () => {
    fc.assert(
      fc.property(sums, fc.nat(), fc.nat(6), (parts, turn, cut) => {
        const at = turn % parts.length;
        const turned = [...parts.slice(at), ...parts.slice(0, at)].reverse();
        const grouped = sumOf(turned.slice(0, cut));
        grouped.add(sumOf(turned.slice(cut)));
        const [one, other] = [grouped, sumOf(parts)].map((sum) => JSON.stringify(answersOf(sum)));
        if (one !== other) throw new Error(`${one} and ${other}`);
      }),
      { numRuns },
    );
  });

  test('is never wider than the widest part', () => {
    fc.assert(
      fc.property(fc.array(addends, { minLength: 1, maxLength: 4 }), (parts) => {
        const sum = sumOf(parts);
        const slots = parts.flatMap(({ counted }) => [
          ...sumOf([{ counted, values: [], options: {} }]).intervals(),
        ]);
        const widest = Math.max(...slots.map(({ lower, upper }) => upper - lower));
        for (const percentile of PERCENTILES) {
          const { lower, upper } = sum.percentile(percentile);
          if (upper - lower > widest) throw new Error(`p${percentile}: ${lower} to ${upper}`);
        }
      }),
      { numRuns },
    );
  });
});
