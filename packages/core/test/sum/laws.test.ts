import { caseCount } from '@hdrscope/testing/case-count';
import fc from 'fast-check';
import {
  type Bounds,
  type Counted,
  DoubleHistogram,
  explicitLayout,
  exponentialLayout,
  Histogram,
  HistogramSum,
  hdrLayout,
  type Layout,
  LayoutHistogram,
  linearLayout,
  log2Layout,
  logLinearLayout,
} from '../../src/index.ts';
import { resolutionOf, scaledLayout } from '../../src/internal.ts';
import type { AddOptions } from '../../src/sum/options.ts';

/** Counts of a distribution with the values that were counted, ascending, and with facts about them. */
interface Addend {
  readonly counted: Counted;
  readonly values: readonly number[];
  readonly options: AddOptions;
}

/** A way to count values in a layout. */
interface Counter {
  /** Whether values may be fractions. */
  readonly takesFractions: boolean;
  count(values: readonly number[]): Counted;
}

const hdrs: fc.Arbitrary<() => Histogram> = fc.tuple(fc.nat(5), fc.nat(12)).map(
  ([significantDigits, unit]) =>
    () =>
      new Histogram({
        significantDigits,
        lowestDiscernibleValue: 2 ** unit,
        storage: 'sparse',
        autoResize: true,
      }),
);

const doubles: fc.Arbitrary<() => DoubleHistogram> = fc
  .nat(5)
  .map((significantDigits) => () => new DoubleHistogram({ significantDigits, storage: 'sparse' }));

const otherLayouts: fc.Arbitrary<Layout> = fc.oneof(
  fc.uniqueArray(fc.nat(2000), { minLength: 1, maxLength: 8 }).map((bounds) => {
    const edges = bounds.sort((a, b) => a - b);
    return explicitLayout(edges, edges.length % 2 === 0 ? 'upper' : 'lower');
  }),
  fc
    .tuple(fc.integer({ min: -2, max: 6 }), fc.constantFrom(0, 10, 100), fc.nat(8))
    .map(([scale, zeroThreshold, more]) => {
      const maxIndex = Math.ceil(20 * 2 ** scale) + more;
      return exponentialLayout({ scale, minIndex: 0, maxIndex, zeroThreshold });
    }),
  fc.constant(log2Layout({ slots: 30 })),
  fc.constantFrom(1, 4, 8).map((parts) => logLinearLayout({ subBucketsPerOctave: parts, octaves: 20 })),
  fc.integer({ min: 1, max: 50 }).map((width) => linearLayout({ width, slots: 100 })),
);

const ticks: fc.Arbitrary<Layout> = fc
  .tuple(fc.nat(5), fc.nat(12), fc.constantFrom(0.25, 0.5, 1))
  .map(([significantDigits, unit, step]) => {
    const layout = hdrLayout({
      significantDigits,
      lowestDiscernibleValue: 2 ** unit,
      highestTrackableValue: 2 ** 40,
    });
    return scaledLayout(layout, resolutionOf(step));
  });

function recorded<H extends { recordValues(values: readonly number[]): void }>(
  histogram: H,
  values: readonly number[],
): H {
  histogram.recordValues(values);
  return histogram;
}

const counters: fc.Arbitrary<Counter> = fc.oneof(
  hdrs.map((make) => ({
    takesFractions: false,
    count: (values: readonly number[]) => recorded(make(), values),
  })),
  doubles.map((make) => ({
    takesFractions: true,
    count: (values: readonly number[]) => recorded(make(), values),
  })),
  otherLayouts.map((layout) => ({
    takesFractions: true,
    count: (values: readonly number[]) => recorded(new LayoutHistogram(layout), values),
  })),
  // Counts that were moved into the slots of another layout, once and twice.
  fc.tuple(hdrs, hdrs, hdrs).map(([from, between, to]) => ({
    takesFractions: false,
    count: (values: readonly number[]) => {
      const [half, all] = [between(), to()];
      half.add(recorded(from(), values.slice(values.length >> 1)));
      all.add(recorded(from(), values.slice(0, values.length >> 1)));
      all.add(half);
      return all;
    },
  })),
  fc.tuple(doubles, doubles).map(([from, to]) => ({
    takesFractions: true,
    count: (values: readonly number[]) => {
      const all = to();
      all.add(recorded(from(), values));
      return all;
    },
  })),
  fc.tuple(otherLayouts, otherLayouts).map(([from, to]) => ({
    takesFractions: true,
    count: (values: readonly number[]) => {
      const all = new LayoutHistogram(to, { storage: 'sparse' });
      all.add(recorded(new LayoutHistogram(from, { storage: 'sparse' }), values));
      return all;
    },
  })),
  // Counts that were moved into slots of ticks: from the unit, or from other ticks. Each integer is a tick.
  fc.tuple(fc.oneof(otherLayouts, ticks), ticks).map(([from, to]) => ({
    takesFractions: false,
    count: (values: readonly number[]) => {
      const all = new LayoutHistogram(to, { storage: 'sparse' });
      all.add(recorded(new LayoutHistogram(from, { storage: 'sparse' }), values));
      return all;
    },
  })),
);

/** Units of layouts in that of the sum; most parts have the same. */
const scales = fc.constantFrom(1, 1, 1, 1, 1e-3, 2, 1000);

const magnitudes = fc.constantFrom(10, 300, 5000, 1_000_000);

const addends: fc.Arbitrary<Addend> = fc
  .tuple(
    counters,
    magnitudes.chain((most) => fc.array(fc.nat(most), { minLength: 1, maxLength: 30 })),
    fc.record({ sum: fc.boolean(), extremes: fc.boolean(), limits: fc.boolean() }),
    fc.record({ scale: scales, isOption: fc.boolean(), hasFractions: fc.boolean() }),
  )
  .map(([{ count, takesFractions }, unordered, known, { scale, isOption, hasFractions }]) => {
    const counted = unordered
      .map((value) => (takesFractions && hasFractions ? value / 8 : value))
      .sort((a, b) => a - b);
    const values = counted.map((value) => (scale < 1 ? value / Math.round(1 / scale) : value * scale));
    const within = [100, 1000].map((limit) => ({
      limit,
      count: values.filter((value) => value <= limit).length,
    }));
    const options = {
      ...(known.sum ? { sum: values.reduce((sum, value) => sum + value, 0) } : {}),
      ...(known.extremes ? { min: values[0]!, max: values.at(-1)! } : {}),
      ...(known.limits ? { within } : {}),
    };
    const own = count(counted);
    return isOption
      ? { counted: own, values, options: { ...options, scale } }
      : { counted: inUnit(own, scale), values, options };
  });

/** The same counts in another unit. */
function inUnit({ layout, counts, placedFrom = [] }: Counted, scale: number): Counted {
  const scaled = (one: Layout): Layout => (scale === 1 ? one : scaledLayout(one, resolutionOf(scale)));
  return { layout: scaled(layout), counts, placedFrom: placedFrom.map(scaled) };
}

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

function assertHoldsTruth(sum: HistogramSum, parts: readonly Addend[]): void {
  const truth = parts.flatMap(({ values }) => values).sort((a, b) => a - b);
  expect(sum.totalCount).toBe(truth.length);
  assertContains('min', sum.min, truth[0]!);
  assertContains('max', sum.max, truth.at(-1)!);
  const mean = truth.reduce((total, value) => total + value, 0) / truth.length;
  assertContains('mean', sum.mean, mean);
  const variance = truth.reduce((total, value) => total + (value - mean) ** 2, 0) / truth.length;
  assertContains('deviation', sum.standardDeviation, Math.sqrt(variance), 1e-6);
  for (const percentile of PERCENTILES) {
    const rank = Math.max(1, Math.ceil((percentile * truth.length) / 100 - 1e-9));
    assertContains(`p${percentile}`, sum.percentile(percentile), truth[rank - 1]!);
  }
  for (const limit of LIMITS) {
    const within = truth.filter((value) => value <= limit).length;
    assertContains(`within ${limit}`, sum.countWithin(limit), within);
  }
}

function inOrder<T>(all: readonly T[], random: readonly number[]): T[] {
  return all
    .map((one, i) => [random[i]!, one] as const)
    .sort(([a], [b]) => a - b)
    .map(([, one]) => one);
}

/** Sums of sums, cut at random places. */
function grouped(parts: readonly Addend[], random: readonly number[]): HistogramSum {
  const [cut = 0, ...rest] = random;
  const at = Math.floor(cut * parts.length);
  if (at === 0) return sumOf(parts);
  const sum = grouped(parts.slice(0, at), rest.slice(0, rest.length >> 1));
  sum.add(grouped(parts.slice(at), rest.slice(rest.length >> 1)));
  return sum;
}

type Interval = ReturnType<typeof intervalsOf>[number];

/** The slots of a part, within its extremes if these are asked for. */
function intervalsOf({ counted, options }: Addend, hasExtremes = false) {
  const sum = new HistogramSum({ storage: 'sparse' });
  const { scale, min, max } = options;
  sum.add(counted, (hasExtremes ? { scale, min, max } : { scale }) as AddOptions);
  return [...sum.intervals()];
}

function textOf({ lower, upper }: Interval): string {
  return `${lower} ${upper}`;
}

const numRuns = caseCount(100, 34_000);

describe('a sum of distributions of unlike layouts', () => {
  test('contains the truth in every answer', () => {
    fc.assert(
      fc.property(sums, (parts) => assertHoldsTruth(sumOf(parts), parts)),
      { numRuns },
    );
  });

  test('answers the same in every order and grouping of up to 16 of them', () => {
    const sixteen = fc.array(addends, { minLength: 1, maxLength: 16 });
    const orders = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 64, maxLength: 64 });
    fc.assert(
      fc.property(sixteen, orders, (parts, random) => {
        const [one, other] = [grouped(inOrder(parts, random), random), sumOf(parts)];
        expect([one.widenedCount, other.widenedCount]).toEqual([0, 0]);
        const [a, b] = [one, other].map((sum) => JSON.stringify(answersOf(sum)));
        if (a !== b) throw new Error(`${a} and ${b}`);
      }),
      { numRuns },
    );
  });

  test('contains the truth beyond 16 layouts too, and says that slots were widened', () => {
    const many = fc.array(addends, { minLength: 17, maxLength: 40 });
    fc.assert(
      fc.property(many, (parts) => {
        const sum = sumOf(parts);
        assertHoldsTruth(sum, parts);
        // What is known beyond slots narrows them, which is no widening.
        const slots = parts.map(({ options: { scale = 1 }, ...part }) => ({ ...part, options: { scale } }));
        const own = new Set(parts.flatMap((part) => intervalsOf(part).map(textOf)));
        const bare = sumOf(slots);
        const widened = [...bare.intervals()].filter((interval) => !own.has(textOf(interval)));
        const count = widened.reduce((total, interval) => total + interval.count, 0);
        expect([bare.widenedCount >= count, bare.widenedCount <= bare.totalCount]).toEqual([true, true]);
      }),
      { numRuns: caseCount(8, 1360) },
    );
  });

  // Parts in alike slots are joined, and then share their extremes.
  test('is never wider than the widest slot of a part, within its extremes or those of joined parts', () => {
    fc.assert(
      fc.property(fc.array(addends, { minLength: 1, maxLength: 4 }), (parts) => {
        const sum = sumOf(parts);
        const widths = parts
          .flatMap((part) => intervalsOf(part, sum.layouts.length === parts.length))
          .map(({ lower, upper }) => Math.min(upper, sum.max.upper) - Math.max(lower, sum.min.lower));
        const widest = Math.max(...widths);
        for (const percentile of PERCENTILES) {
          const { lower, upper } = sum.percentile(percentile);
          if (upper - lower > widest) throw new Error(`p${percentile}: ${lower} to ${upper}`);
        }
      }),
      { numRuns },
    );
  });
});
