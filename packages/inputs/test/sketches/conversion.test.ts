import {
  type Counted,
  explicitLayout,
  exponentialLayout,
  Histogram,
  type Layout,
  LayoutHistogram,
  logLinearLayout,
} from '@hdrscope/core';
import { usedSlots } from '@hdrscope/core/internal';
import { decodeOtlp } from '@hdrscope/otel/receiver';
import { caseCount } from '@hdrscope/testing/case-count';
import fc from 'fast-check';
import { targetBoundaries } from '../../src/sketches/boundaries.ts';
import { closeSketch, convertSketch, measureRange } from '../../src/sketches/conversion.ts';
import { planDdsketch, readDdsketch } from '../../src/sketches/ddsketch.ts';
import { encodeDdsketchBinary, readDdsketchBinary } from '../../src/sketches/ddsketch-binary.ts';
import { planExponential, readElasticsearch, targetElasticsearch } from '../../src/sketches/elasticsearch.ts';
import { planHdr, targetEncoded } from '../../src/sketches/hdr.ts';
import { targetOtlp } from '../../src/sketches/otlp.ts';
import type { SketchTarget } from '../../src/sketches/sketch.ts';
import { readVmranges, targetVmranges } from '../../src/sketches/vmrange.ts';
import { listSlots as listBounds, listNominalSlots } from './support/vectors.ts';

const VALUES = fc.array(
  fc.integer({ min: 1, max: 10_000_000 }).map((value) => value / 1000),
  { minLength: 1, maxLength: 40 },
);

/** Layouts that somebody else has counted over. */
const SOURCES: Readonly<Record<string, (values: readonly number[]) => Counted>> = {
  hdr: (values) => {
    const histogram = new Histogram({
      highestTrackableValue: 2 ** 40,
      significantDigits: 2,
      storage: 'sparse',
    });
    for (const value of values) histogram.record(Math.ceil(value));
    return histogram;
  },
  exponential: (values) => counted(exponentialLayout({ scale: 3, minIndex: -100, maxIndex: 200 }), values),
  explicit: (values) => counted(explicitLayout([0, 0.001, 0.1, 1, 7, 50, 400, 10_000]), values),
  linear: (values) =>
    counted(logLinearLayout({ subBucketsPerOctave: 4, octaves: 24 }), values.map(Math.ceil)),
  ddsketch: (values) => {
    const range = { least: 0.001, most: 10_000, aroundZero: 0, hasNegative: false, narrowest: 1 };
    return counted(planDdsketch(range, { relativeAccuracy: 0.03 }).layout, values);
  },
};

function counted(layout: Layout, values: readonly number[]): Counted {
  const histogram = new LayoutHistogram(layout);
  histogram.recordValues([...values]);
  return histogram;
}

const TARGETS: Readonly<Record<string, (source: Counted) => SketchTarget>> = {
  base64: (source) => targetEncoded(planHdr(source)),
  'base64 of 1 digit': (source) => targetEncoded(planHdr(source, { digits: 1, resolution: 0.001 })),
  ddsketch: (source) => planDdsketch(measureRange(source), { relativeAccuracy: 0.02 }),
  'ddsketch of sketches-js': (source) =>
    planDdsketch(measureRange(source), { writer: 'sketches-js', relativeAccuracy: 0.2 }),
  'ddsketch-binary': (source) =>
    planDdsketch(measureRange(source), { relativeAccuracy: 0.02 }, encodeDdsketchBinary),
  otlp: (source) => targetOtlp(planExponential(source), { name: 'values', unit: 's' }),
  elasticsearch: (source) => targetElasticsearch(planExponential(source)),
  'elasticsearch of 4 buckets': (source) => targetElasticsearch(planExponential(source, { buckets: 4 })),
  vmrange: () => targetVmranges('values'),
  prometheus: (source) => targetBoundaries(source, 'values'),
};

const PAIRS = Object.keys(SOURCES).flatMap((from) => Object.keys(TARGETS).map((to) => [from, to] as const));

describe.each(PAIRS)('%s to %s', (from, to) => {
  test('keeps all counts, and shows each value as far from itself as it says at most', () => {
    fc.assert(
      fc.property(VALUES, (values) => {
        const exact = from === 'hdr' || from === 'linear' ? values.map(Math.ceil) : values;
        const source = SOURCES[from]!(values);
        const { counted: moved, after } = convertSketch({ counted: source }, TARGETS[to]!(source));
        expect(moved.counts.total).toBe(values.length);
        const shown = Array.from(usedSlots(moved.counts)).flatMap(([slot, count]) =>
          new Array<number>(count).fill(moved.layout.midpoint(slot)),
        );
        for (const [at, value] of [...exact].sort((a, b) => a - b).entries()) {
          const distance = Math.abs(shown[at]! - value);
          expect(distance).toBeLessThanOrEqual(
            Math.max(after.relative * value, after.aroundZero) * (1 + 1e-9),
          );
        }
      }),
      { numRuns: caseCount(30, 2000) },
    );
  });

  test('comes back within half a slot of the other form', () => {
    fc.assert(
      fc.property(VALUES, (values) => {
        const source = SOURCES[from]!(values);
        const there = convertSketch({ counted: source }, TARGETS[to]!(source)).counted;
        const back = convertSketch(
          { counted: there },
          { layout: source.layout, openSlots: 'both', write: () => '' },
        ).counted;
        expect(back.counts.total).toBe(values.length);
        const [before, after] = [listSlots(source), listSlots(back)];
        const between = listSlots(there);
        for (const [at, slot] of before.entries()) {
          const { layout } = source;
          const [middle, other] = [layout.midpoint(slot), between[at]!];
          const half = (there.layout.upper(other) - there.layout.lower(other)) / 2;
          // HDR slots count what rounds to their integers.
          const step = from === 'hdr' || from === 'linear' || to.startsWith('base64') ? 1 : 0;
          const [lower, upper] = [layout.lower(after[at]!), layout.upper(after[at]!)];
          expect(Math.max(lower - middle, middle - upper, 0)).toBeLessThanOrEqual((half + step) * (1 + 1e-9));
          const isFiner =
            there.layout.lower(other) > layout.lower(slot) && there.layout.upper(other) < layout.upper(slot);
          if (isFiner) expect(after[at]).toBe(slot);
        }
      }),
      { numRuns: caseCount(30, 2000) },
    );
  });
});

/** The slot of each value, ascending. */
function listSlots({ counts }: Counted): number[] {
  return Array.from(usedSlots(counts)).flatMap(([slot, count]) => new Array<number>(count).fill(slot));
}

// What is written is what was counted.

const READERS: Readonly<Record<string, (content: string | Uint8Array) => Counted | Promise<Counted>>> = {
  'ddsketch-binary': (content) => readDdsketchBinary(content as Uint8Array).counted,
  async otlp(content) {
    const { points } = await decodeOtlp(new TextEncoder().encode(content as string), 'json');
    return points[0]!.reading.counted;
  },
  ddsketch: (content) => readDdsketch(content as Uint8Array, 'sketches-go').counted,
  'ddsketch of sketches-js': (content) => readDdsketch(content as Uint8Array, 'sketches-js').counted,
  elasticsearch: (content) => readElasticsearch(content as string).counted,
  vmrange: (content) => readVmranges(content as string)[0]!.counted,
};

test.each(Object.keys(READERS))('%s is read as it was written', async (to) => {
  await fc.assert(
    fc.asyncProperty(VALUES, async (values) => {
      const source = SOURCES.exponential!(values);
      const { content, counted: written } = convertSketch({ counted: source }, TARGETS[to]!(source));
      const read = await READERS[to]!(content);
      expect(listNominalSlots(read)).toEqual(listNominalSlots(written));
    }),
    { numRuns: caseCount(100, 5000) },
  );
});

describe('what a form cannot hold', () => {
  const open = counted(explicitLayout([1, 2]), [1.5, 7]);

  test('refuses values in a slot without a bound', () => {
    expect(() => convertSketch({ counted: open }, TARGETS.ddsketch!(open))).toThrow(
      '1 values are in a slot without a bound above 2, and nothing states the largest value',
    );
  });

  test('takes them where the largest value is known', () => {
    const closed = closeSketch({ counted: open, max: 8 });
    expect(closed.counted.counts.total).toBe(2);
    const { after } = convertSketch(closed, TARGETS.ddsketch!(closed.counted));
    // The values of the slot from 2 to 8 are read near 5.
    expect(after.relative).toBeGreaterThan(1.4);
    expect(after.relative).toBeLessThan(1.6);
  });

  test('refuses negative values in HDR slots', () => {
    const negative = counted(explicitLayout([-2, -1, 1]), [-1.5]);
    expect(() => convertSketch({ counted: negative }, TARGETS.base64!(negative))).toThrow(
      'which has none below 0',
    );
  });

  test('keeps negative values in a DDSketch and in exponential buckets', async () => {
    const negative = counted(explicitLayout([-4, -2, -1, 1, 2]), [-3, -1.5, -1.6, 0, 1.5]);
    for (const to of ['ddsketch', 'ddsketch-binary', 'elasticsearch', 'otlp']) {
      const { content } = convertSketch({ counted: negative }, TARGETS[to]!(negative));
      const { counts } = await READERS[to]!(content);
      expect(Array.from(usedSlots(counts), ([, count]) => count)).toEqual([1, 2, 1, 1]);
    }
  });
});

// Stores that may have collapsed.

/** A sketch of sketches-go with a value in each bin from an index on. */
function encodeBins(first: number, bins: number): Uint8Array {
  const mapping = { gamma: 2, indexOffset: 0, interpolation: 'NONE' } as const;
  const positive = new Map(Array.from({ length: bins }, (_, at) => [first + at, 1]));
  return encodeDdsketchBinary({ mapping, positive, negative: new Map(), zeroCount: 0 });
}

/** A double as the statistics of an encoding have it. */
function encodeFact(flag: number, value: number): Uint8Array {
  return Uint8Array.from([flag, ...new Uint8Array(Float64Array.of(value).buffer)]);
}

describe('a DDSketch whose bins may have taken others', () => {
  const sketch = readDdsketchBinary(encodeBins(3, 3));

  test('counts the smallest values from 0 on, where nothing states the smallest one', () => {
    const [first, ...others] = listBounds(sketch.counted);
    expect(first![0]).toBeLessThan(1e-300);
    expect(others.map(([lower]) => Math.round(lower!))).toEqual([16, 32]);
  });

  test.each([
    ['within the bin', 9, 8, 0],
    ['below the bin', 0.25, 0.25, 1],
    ['0', 0, 0, 1],
  ])('begins at the smallest value that is stated: %s', (_, min, lower, mayBeCollapsed) => {
    const closed = closeSketch({ ...sketch, min });
    expect(listBounds(closed.counted)[0]![0]).toBeCloseTo(lower, 10);
    expect(convertSketch(closed, TARGETS.ddsketch!(closed.counted)).mayBeCollapsed).toBe(mayBeCollapsed);
  });

  test('ends at a largest value that is stated beyond its bins, and keeps their order', () => {
    const widened = readDdsketchBinary(Buffer.concat([encodeBins(3, 3), encodeFact((0x23 << 2) | 0, 1000)]));
    expect(listBounds(widened.counted).at(-1)!.map(Math.round)).toEqual([32, 1000, 1]);
    const { counted: moved } = convertSketch(widened, TARGETS.ddsketch!(widened.counted));
    expect(moved.layout.upper(moved.counts.last)).toBeLessThan(100);
  });

  test('goes where its bin is, and the conversion counts what may be elsewhere', () => {
    const {
      counted: moved,
      after,
      mayBeCollapsed,
    } = convertSketch(sketch, planDdsketch(measureRange(sketch.counted), { relativeAccuracy: 1 / 3 }));
    expect(listNominalSlots(moved).map((slot) => slot.map(Math.round))).toEqual([
      [8, 16, 1],
      [16, 32, 1],
      [32, 64, 1],
    ]);
    expect(after.relative).toBeCloseTo(0.5, 10);
    expect(mayBeCollapsed).toBe(1);
  });
});
