import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { HdrscopeError } from '@hdrscope/core';
import fc from 'fast-check';
import { type MetricFamily, render } from '../../src/index.ts';
import { readExposition, type ScrapedHistograms } from '../../src/scraper/index.ts';

const read = (bytes: Uint8Array): ScrapedHistograms => readExposition(bytes, 'protobuf');

type Write = (writer: BinaryWriter) => void;

const HISTOGRAM_TYPE = 4;

/** A field that is a message. */
const message =
  (field: number, ...fields: Write[]): Write =>
  (writer) => {
    writer.uint32((field << 3) | 2).fork();
    for (const write of fields) write(writer);
    writer.join();
  };
const varint =
  (field: number, value: number | bigint): Write =>
  (writer) => {
    writer.uint32(field << 3).uint64(value);
  };
const signed =
  (field: number, value: number): Write =>
  (writer) => {
    writer.uint32(field << 3).sint64(value);
  };
const double =
  (field: number, value: number): Write =>
  (writer) => {
    writer.uint32((field << 3) | 1).double(value);
  };
const text =
  (field: number, value: string): Write =>
  (writer) => {
    writer.uint32((field << 3) | 2).string(value);
  };
const span = (field: number, offset: number, length: number): Write =>
  message(field, signed(1, offset), varint(2, length));

function family(type: number, ...metric: Write[]): Uint8Array {
  const writer = new BinaryWriter();
  const body = new BinaryWriter();
  for (const write of [text(1, 'x'), varint(3, type), message(4, ...metric)]) write(body);
  return writer.bytes(body.finish()).finish();
}

const histogram = (...fields: Write[]): ScrapedHistograms =>
  read(family(HISTOGRAM_TYPE, message(7, ...fields)));
const bucket = (count: number | bigint, bound: number): Write =>
  message(3, varint(1, count), double(2, bound));

/** The bounds and counts of the used slots of the only histogram. */
function onlyBuckets({ families, refusals }: ScrapedHistograms): [number, number, number][] {
  expect(refusals).toEqual([]);
  const { layout, counts } = families[0]!.histograms[0]!.counted;
  return Array.from(
    { length: layout.slotCount },
    (_, slot) => [layout.lower(slot), layout.upper(slot), counts.at(slot)] as [number, number, number],
  ).filter(([, , count]) => count > 0);
}

function onlyRefusal({ families, refusals }: ScrapedHistograms): string {
  expect(families).toEqual([]);
  expect(refusals).toHaveLength(1);
  return `${refusals[0]!.reason}: ${refusals[0]!.problem}`;
}

test('deltas that are not packed, as the client for Go writes them', () => {
  const scraped = histogram(
    varint(1, 6),
    double(2, 9),
    signed(5, 0),
    double(6, 0.001),
    span(12, 1, 2),
    signed(13, 2),
    signed(13, 2),
  );
  expect(onlyBuckets(scraped)).toEqual([
    [1, 2, 2],
    [2, 4, 4],
  ]);
});

test('negative values, and the zero bucket with its threshold', () => {
  const scraped = histogram(
    varint(1, 7),
    signed(5, 0),
    double(6, 0.25),
    varint(7, 1),
    span(9, 1, 1),
    signed(10, 4),
    span(12, 1, 1),
    signed(13, 2),
  );
  expect(onlyBuckets(scraped)).toEqual([
    [-2, -1, 4],
    [-1, 1, 1],
    [1, 2, 2],
  ]);
  expect(scraped.families[0]!.histograms[0]!.counted.layout).toMatchObject({ zeroThreshold: 0.25 });
});

test('a native histogram without values has an empty span', () => {
  expect(onlyBuckets(histogram(varint(1, 0), signed(5, 3), span(12, 0, 0)))).toEqual([]);
});

test('infinite values are in the last slot, which has no upper bound', () => {
  // At schema 0 the bucket 1024 ends at the largest double, and infinite values have the one after it.
  const scraped = histogram(
    varint(1, 3),
    signed(5, 0),
    double(6, 1e-9),
    span(12, 1, 1),
    span(12, 1023, 1),
    signed(13, 1),
    signed(13, 1),
  );
  expect(onlyBuckets(scraped)).toEqual([
    [1, 2, 1],
    [2, Number.POSITIVE_INFINITY, 2],
  ]);
});

test('values that are not numbers are in the count and in no bucket: they are rejected ones', () => {
  const scraped = histogram(
    varint(1, 5),
    double(2, Number.NaN),
    signed(5, 0),
    double(6, 1e-9),
    span(12, 1, 1),
    signed(13, 3),
  );
  expect(scraped.families[0]!.histograms[0]).toMatchObject({ sum: undefined, rejected: { notANumber: 2 } });
});

test('the bucket +Inf may be left out', () => {
  expect(onlyBuckets(histogram(varint(1, 3), bucket(2, 1)))).toEqual([
    [Number.NEGATIVE_INFINITY, 1, 2],
    [1, Number.POSITIVE_INFINITY, 1],
  ]);
});

test('fields in another order, unknown fields, and other metrics', () => {
  const writer = new BinaryWriter();
  for (const write of [
    message(
      4,
      message(7, bucket(2, 1), varint(1, 3), varint(99, 1), double(98, 1), text(97, '?')),
      message(1, text(2, 'v'), text(1, 'n')),
    ),
    varint(3, HISTOGRAM_TYPE),
    text(1, 'x'),
  ])
    write(writer);
  const bytes = new BinaryWriter().bytes(writer.finish()).finish();
  const gauge = family(1, message(2, double(1, 5)));
  const { families, otherFamilies } = read(Buffer.concat([gauge, bytes, gauge]));
  expect(otherFamilies).toBe(2);
  expect(families[0]!.histograms[0]!.labels).toEqual({ n: 'v' });
});

test.each<[string, Write[], string]>([
  [
    'a schema of no buckets',
    [varint(1, 0), signed(5, 9), double(6, 1e-9)],
    'malformed: has schema 9, which must be from -4 to 8',
  ],
  [
    'custom boundaries',
    [varint(1, 1), signed(5, -53), span(12, 0, 1), signed(13, 1)],
    'unsupported: has custom boundaries (schema -53), which the answer does not state',
  ],
  [
    'a threshold below 0',
    [varint(1, 0), double(6, -1)],
    'malformed: has the zero threshold -1, which must be finite and at least 0',
  ],
  [
    'fewer counts than buckets',
    [varint(1, 1), span(12, 0, 2), signed(13, 1)],
    'malformed: has spans of 2 buckets, but 1 counts',
  ],
  [
    'more counts than buckets',
    [varint(1, 2), span(12, 0, 1), signed(13, 1), signed(13, 0)],
    'malformed: has spans of 1 buckets, but 2 counts',
  ],
  [
    'a span that goes back',
    [varint(1, 2), span(12, 0, 1), span(12, -1, 1), signed(13, 1), signed(13, 0)],
    'malformed: has a span that begins 1 buckets before the end of the one before',
  ],
  [
    'a count below 0',
    [varint(1, 1), span(12, 0, 1), signed(13, -1)],
    'malformed: has a bucket with the count -1',
  ],
  [
    'another count',
    [varint(1, 2), double(2, 1), span(12, 0, 1), signed(13, 1)],
    'malformed: has buckets of 1 values, but its count is 2',
  ],
  [
    'buckets beyond all doubles',
    [varint(1, 1), span(12, 2_000_000, 1), signed(13, 1)],
    'malformed: has values beyond the largest or smallest double, at schema 0',
  ],
  [
    'buckets far apart',
    [varint(1, 2), signed(5, 8), span(12, -100_000, 1), span(12, 200_000, 1), signed(13, 1), signed(13, 0)],
    'malformed: has buckets that are 200004 apart, which must be at most 65536',
  ],
  [
    'a count of 2^63',
    [varint(1, 2n ** 63n), bucket(2n ** 63n, 1)],
    'countTooLarge: has a count above 2^53 - 1',
  ],
  [
    'a native count of 2^63',
    [varint(1, 2n ** 63n), varint(7, 2n ** 63n)],
    'countTooLarge: has a count above 2^53 - 1',
  ],
  [
    'counts that are no integers',
    [double(4, 1.5), double(6, 1e-9)],
    'unsupported: has counts that are no integers (a float histogram)',
  ],
  [
    'buckets above its count',
    [varint(1, 1), bucket(2, 1)],
    'malformed: has buckets of 2 values, but its count is 1',
  ],
  [
    'no buckets',
    [varint(1, 1)],
    'unsupported: has only the bucket +Inf, so the size of its values is unknown; native buckets need protobuf or OpenMetrics 2.0',
  ],
])('%s: the histogram is refused', (_, fields, problem) => {
  expect(onlyRefusal(histogram(...fields))).toBe(problem);
});

test.each([
  ['summary', 2],
  ['gauge histogram', 5],
])('a %s is refused', (name, type) => {
  expect(onlyRefusal(read(family(type, message(7))))).toMatch(`unsupported: is a ${name}`);
});

test('histograms of two bytes each do not fill the memory', () => {
  const metrics = Buffer.alloc(2 * 300_000).fill(Uint8Array.of(0x22, 0x00));
  const body = new BinaryWriter();
  text(1, 'x')(body);
  varint(3, HISTOGRAM_TYPE)(body);
  const bytes = new BinaryWriter().bytes(Buffer.concat([body.finish(), metrics])).finish();
  expect(() => read(bytes)).toThrow('the answer must have at most 3000000 elements');
});

describe('damaged bytes', () => {
  const FAMILY: MetricFamily = {
    ...{ name: 'x_seconds', help: 'Help', unit: 's', type: 'histogram' },
    metrics: [
      {
        labels: [['a', 'b']],
        createdMs: 1_700_000_000_000,
        value: {
          ...{ kind: 'histogram', count: 10, sum: 20 },
          native: {
            positive: { scale: 3, zeroCount: 1, offset: -4, counts: [1, 0, 0, 0, 8] },
            zeroThreshold: 1e-9,
          },
          classic: { boundaries: [1, 2], counts: [3, 4, 3] },
        },
      },
    ],
  };
  const whole = render([FAMILY], 'protobuf');

  test('cut off anywhere: the answer is refused as a whole', () => {
    for (let length = 1; length < whole.length; length++) {
      expect(() => read(whole.subarray(0, length))).toThrow('the answer is not protobuf of metrics');
    }
  });

  test('changed anywhere: no error but those that are documented, and no count but the stated one', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 }),
        (changes) => {
          const bytes = Uint8Array.from(whole);
          for (const [at, byte] of changes) bytes[at] = byte;
          try {
            read(bytes);
          } catch (error) {
            expect(error).toBeInstanceOf(HdrscopeError);
            expect(['ERR_DECODE', 'ERR_TOO_LARGE']).toContain((error as HdrscopeError).code);
          }
        },
      ),
      { numRuns: 2000 },
    );
  });

  test.each([
    ['a varint of 11 bytes', [...Array(10).fill(0xff), 1], 'a number is longer than 10 bytes'],
    ['a group', [2, 0x0b, 0x0c], 'a field has the wire type 3'],
    ['a field without a number', [1, 0x02], 'a field has no number'],
    ['a page', [...Buffer.from('<html>')], 'a message is longer than the one around it'],
    ['a name that is not UTF-8', [3, 0x0a, 1, 0xff], 'a text is not UTF-8'],
  ])('%s', (_, bytes, problem) => {
    expect(() => read(Uint8Array.from(bytes))).toThrow(problem);
  });
});
