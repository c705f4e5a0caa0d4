import { usedSlots } from '@hdrscope/core/internal';
import { anyCharacter } from '@hdrscope/testing/any-character';
import fc from 'fast-check';
import {
  convertSnapshot,
  type ExpositionFormat,
  type Metric,
  type MetricFamily,
  render,
} from '../../src/index.ts';
import { readExposition, type ScrapedHistogram } from '../../src/scraper/index.ts';
import { testRegistry } from '../support/registry.ts';

const FORMATS: readonly ExpositionFormat[] = ['text', 'text1', 'openmetrics', 'openmetrics2', 'protobuf'];
const WITH_NATIVE = new Set<ExpositionFormat>(['openmetrics2', 'protobuf']);

/** Counts by the bounds of their slots, which do not depend on how the layout numbers them. */
function bucketsOf({ counted: { layout, counts } }: ScrapedHistogram): [number, number, number][] {
  return [...usedSlots(counts)].map(([slot, count]) => [layout.lower(slot), layout.upper(slot), count]);
}

const count = fc.nat(1_000_000);
const labels = fc
  .uniqueArray(
    fc.tuple(fc.stringMatching(/^[a-z_][a-z0-9_]{0,8}$/), fc.string({ unit: anyCharacter, maxLength: 12 })),
    {
      selector: ([name]) => name,
      maxLength: 4,
    },
  )
  .filter((all) => all.every(([name]) => name !== 'le'));

const classic = fc
  .tuple(
    fc.uniqueArray(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 1, maxLength: 8 }),
    fc.array(count, { minLength: 9, maxLength: 9 }),
  )
  .map(([bounds, counts]) => {
    // -0 and 0 are one bound.
    const boundaries = [...new Set(bounds.map((bound) => bound + 0))].sort((a, b) => a - b);
    return { boundaries, counts: counts.slice(0, boundaries.length + 1) };
  });

const run = fc.record({
  offset: fc.integer({ min: -60, max: 60 }),
  counts: fc.array(fc.oneof(fc.constant(0), count), { maxLength: 40 }),
});
const native = fc.record({
  positive: fc.tuple(run, fc.integer({ min: -4, max: 8 }), count).map(([own, scale, zeroCount]) => ({
    ...{ scale, zeroCount },
    // At the coarsest schema, 64 buckets cover all doubles.
    ...(scale < 0 ? { offset: own.offset % 8, counts: own.counts.slice(0, 5) } : own),
  })),
  zeroThreshold: fc.constantFrom(2 ** -128, 1e-9),
});

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, one) => sum + one, 0);

describe('what the writers of hdrscope write, the reader reads', () => {
  test.each(FORMATS)('classic buckets, labels, sums and starts, in %s', (format) => {
    fc.assert(
      fc.property(
        fc.uniqueArray(labels, {
          selector: (all) => JSON.stringify([...all].sort()),
          minLength: 1,
          maxLength: 4,
        }),
        classic,
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        (sets, buckets, sum) => {
          const metrics: Metric[] = sets.map((own) => ({
            labels: own,
            createdMs: 1_700_000_000_123,
            value: { kind: 'histogram', count: sumOf(buckets.counts), sum, classic: buckets },
          }));
          const family: MetricFamily = {
            name: 'x_seconds',
            help: 'h',
            unit: 's',
            type: 'histogram',
            metrics,
          };
          const { families, refusals } = readExposition(render([family], format), format);
          expect(refusals).toEqual([]);
          expect(families).toHaveLength(1);
          expect(families[0]).toMatchObject({ name: 'x_seconds', help: 'h', unit: 's' });
          const { histograms } = families[0]!;
          expect(histograms.map((one) => one.labels)).toEqual(sets.map((own) => Object.fromEntries(own)));
          for (const { counted, sum: read, createdMs } of histograms) {
            expect(counted.layout).toMatchObject({ edges: buckets.boundaries });
            expect(buckets.counts.map((_, slot) => counted.counts.at(slot))).toEqual(buckets.counts);
            expect(read! + 0).toBe(sum + 0);
            // The old text format has no place for a start.
            expect(createdMs).toBe(format.startsWith('text') ? undefined : 1_700_000_000_123);
          }
        },
      ),
    );
  });

  test.each([...WITH_NATIVE])('native buckets, in %s', (format) => {
    fc.assert(
      fc.property(native, (buckets) => {
        const { positive } = buckets;
        const total = sumOf(positive.counts) + positive.zeroCount;
        const value: Metric['value'] = { kind: 'histogram', count: total, sum: 1, native: buckets };
        const family: MetricFamily = {
          name: 'x',
          help: '',
          unit: '',
          type: 'histogram',
          metrics: [{ labels: [], value }],
        };
        const { families, refusals } = readExposition(render([family], format), format);
        expect(refusals).toEqual([]);
        const { layout, counts } = families[0]!.histograms[0]!.counted;
        expect(layout).toMatchObject({
          kind: 'exponential',
          scale: positive.scale,
          zeroThreshold: buckets.zeroThreshold,
        });
        const { minIndex, zeroSlot } = layout as unknown as { minIndex: number; zeroSlot: number };
        expect(counts.total).toBe(total);
        expect(counts.at(zeroSlot)).toBe(positive.zeroCount);
        positive.counts.forEach((one, i) => {
          if (one > 0) expect(counts.at(zeroSlot + positive.offset + i - minIndex + 1)).toBe(one);
        });
      }),
    );
  });

  test('a registry with both kinds of buckets has the same histograms in both formats, and the native ones are taken', async () => {
    const registry = testRegistry();
    const family = registry.histogram({ name: 'http.request.duration', unit: 's', boundaries: [0.1, 1] });
    for (let i = 1; i <= 200; i++) family.with({ route: `/${i % 3}` }).record(i / 100);
    const pages = convertSnapshot(await registry.gather(), { buckets: 'both' });
    const read = (format: ExpositionFormat) => readExposition(render(pages, format), format).families[0]!;
    expect(read('protobuf')).toMatchObject({ name: 'http_request_duration_seconds', unit: 's' });
    expect(read('protobuf').histograms.map(bucketsOf)).toEqual(
      read('openmetrics2').histograms.map(bucketsOf),
    );
    expect(read('protobuf').histograms[0]!.counted.layout.kind).toBe('exponential');
    expect(read('openmetrics').histograms[0]!.counted.layout).toMatchObject({ edges: [0.1, 1] });
  });
});
