import fc from 'fast-check';
import type { HistogramValue, Metric } from '../src/families.ts';
import { protobufWriter } from '../src/protobuf.ts';

const FACTS = { name: 'x', help: '', unit: 's', type: 'histogram' } as const;

function written(value: Partial<HistogramValue>, labels: Metric['labels'] = []): Uint8Array {
  const writer = protobufWriter();
  writer.add(FACTS, { labels, createdMs: 1, value: { kind: 'histogram', count: 1, sum: 1, ...value } });
  return writer.finish().bytes;
}

const count = fc.oneof(
  { weight: 4, arbitrary: fc.constant(0) },
  { weight: 4, arbitrary: fc.nat(300) },
  { weight: 1, arbitrary: fc.nat({ max: 2 ** 45 }) },
);

test('the buckets of a metric are read from its bytes as they were written, without empty ones at the ends', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -4, max: 8 }),
      fc.integer({ min: -3000, max: 3000 }),
      fc.array(count, { minLength: 1, maxLength: 200, size: 'max' }),
      count,
      fc.array(fc.tuple(fc.string(), fc.string({ size: 'medium' })), { maxLength: 4 }),
      fc.boolean(),
      (scale, offset, counts, zeroCount, labels, hasMore) => {
        const first = counts.findIndex((one) => one > 0);
        fc.pre(first >= 0);
        const used = counts.slice(first, counts.findLastIndex((one) => one > 0) + 1);
        const native = { positive: { scale, zeroCount, offset, counts }, zeroThreshold: 2 ** -128 };
        const more = {
          classic: { boundaries: [1, 2], counts: [0, 3, 1] },
          exemplars: [{ value: 1, timeMs: 1, attributes: { trace: 'a' } }],
        };
        const bytes = written({ native, ...(hasMore && more) }, labels);
        const expected = { scale, zeroCount, offset: offset + first, counts: used };
        expect(protobufWriter().readBuckets!({ bytes, at: 0 })).toEqual(expected);
      },
    ),
  );
});

test.each<[string, Partial<HistogramValue>]>([
  ['a metric of classic buckets', { classic: { boundaries: [1], counts: [1, 0] } }],
  [
    'a metric without values',
    { native: { positive: { scale: 3, zeroCount: 2, offset: 0, counts: [] }, zeroThreshold: 1 } },
  ],
  [
    'a difference of counts above 2^52',
    {
      native: { positive: { scale: 3, zeroCount: 0, offset: 5, counts: [2 ** 53 - 1, 2] }, zeroThreshold: 1 },
    },
  ],
])('no buckets are read from %s', (_, value) => {
  expect(protobufWriter().readBuckets!({ bytes: written(value), at: 0 })).toBeUndefined();
});
