import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { expectRefused } from '@hdrscope/testing/refusals';
import { decodedJson, decodedProtobuf } from './support/receiving.ts';
import {
  type AttributeJson,
  attributesJson,
  type ExponentialJson,
  type RequestJson,
  requestBytes,
  requestJson,
  type ValueJson,
} from './support/request.ts';

const EXPLICIT = {
  attributes: attributesJson({ route: '/cart', retries: 2 }),
  startTimeUnixNano: '1700000000000000001',
  timeUnixNano: '1700000060000000003',
  count: '6',
  sum: 12.5,
  min: 0.5,
  max: 7,
  bucketCounts: ['1', '2', '3'],
  explicitBounds: [1, 2.5],
};
const EXPONENTIAL = {
  attributes: attributesJson({ route: '/pay' }),
  startTimeUnixNano: '1',
  timeUnixNano: '18446744073709551615',
  count: '300000000010',
  sum: -3,
  scale: -2,
  zeroCount: '3',
  zeroThreshold: 1e-9,
  positive: { offset: -7, bucketCounts: ['1', '0', '300000000000'] },
  negative: { offset: 3, bucketCounts: ['6'] },
};

const REQUEST: RequestJson = requestJson([
  {
    name: 'a',
    unit: 's',
    description: 'A.',
    histogram: { aggregationTemporality: 1, dataPoints: [EXPLICIT, {}] },
  },
  { name: 'b', unit: 'By', exponentialHistogram: { aggregationTemporality: 2, dataPoints: [EXPONENTIAL] } },
  { name: 'c', gauge: { dataPoints: [{}, {}] } },
  { name: 'd', sum: { dataPoints: [{}] } },
  { name: 'e', summary: { dataPoints: [{}, {}, {}] } },
  { name: 'f' },
]);

/** Decodes a request, by encoding. */
const DECODERS = {
  protobuf: (request: RequestJson) => decodedProtobuf(requestBytes(request)),
  json: (request: RequestJson) => decodedJson(JSON.stringify(request)),
};

describe.each(Object.entries(DECODERS))('a request in %s', (_, decode) => {
  test('gives back every field as it was written', () => {
    const common = { resource: { 'service.name': 'shop' }, scope: { name: 'meter', version: '1.2.3' } };
    const [explicit, exponential, ...others] = decode(REQUEST);
    expect(explicit).toEqual({
      ...common,
      name: 'a',
      unit: 's',
      description: 'A.',
      data: {
        kind: 'explicit',
        temporality: 'delta',
        points: [
          {
            attributes: { route: '/cart', retries: 2 },
            startNs: 1700000000000000001n,
            timeNs: 1700000060000000003n,
            isEmpty: false,
            count: 6,
            sum: 12.5,
            min: 0.5,
            max: 7,
            exemplars: [],
            counts: [1, 2, 3],
            bounds: [1, 2.5],
          },
          {
            attributes: {},
            startNs: 0n,
            timeNs: 0n,
            isEmpty: false,
            count: 0,
            sum: undefined,
            min: undefined,
            max: undefined,
            exemplars: [],
            counts: [],
            bounds: [],
          },
        ],
      },
    });
    expect(exponential).toEqual({
      ...common,
      name: 'b',
      unit: 'By',
      description: '',
      data: {
        kind: 'exponential',
        temporality: 'cumulative',
        points: [
          {
            attributes: { route: '/pay' },
            startNs: 1n,
            timeNs: 2n ** 64n - 1n,
            isEmpty: false,
            count: 300_000_000_010,
            sum: -3,
            min: undefined,
            max: undefined,
            exemplars: [],
            scale: -2,
            zeroCount: 3,
            zeroThreshold: 1e-9,
            positive: { offset: -7, counts: [1, 0, 300_000_000_000] },
            negative: { offset: 3, counts: [6] },
          },
        ],
      },
    });
    expect(others.map(({ data }) => ('pointCount' in data ? data.pointCount : data.points.length))).toEqual([
      2, 1, 3, 0,
    ]);
  });

  test('keeps the types of attribute values', () => {
    const values: Record<string, ValueJson> = {
      text: { stringValue: 'ä' },
      none: { stringValue: '' },
      yes: { boolValue: true },
      no: { boolValue: false },
      small: { intValue: '-5' },
      large: { intValue: '9223372036854775807' },
      half: { doubleValue: 0.5 },
      bytes: { bytesValue: 'AQID' },
      list: { arrayValue: { values: [{ intValue: '1' }, { stringValue: 'x' }] } },
      map: { kvlistValue: { values: [{ key: 'k', value: { boolValue: true } }] } },
      __proto__x: { intValue: '0' },
      nothing: {},
    };
    const attributes = [
      ...Object.entries(values).map(([key, value]) => ({ key, value })),
      { key: 'absent' },
      { key: '__proto__', value: { stringValue: 'own' } },
    ];
    const [metric] = decode({
      resourceMetrics: [{ resource: { attributes }, scopeMetrics: [{ metrics: [{ name: 'a' }] }] }],
    });
    expect(Object.entries(metric!.resource)).toEqual([
      ['text', 'ä'],
      ['none', ''],
      ['yes', true],
      ['no', false],
      ['small', -5],
      ['large', '9223372036854775807'],
      ['half', 0.5],
      ['bytes', 'AQID'],
      ['list', [1, 'x']],
      ['map', { k: true }],
      ['__proto__x', 0],
      ['nothing', undefined],
      ['absent', undefined],
      ['__proto__', 'own'],
    ]);
  });

  test('is refused when its attributes are nested too deep', () => {
    let value: ValueJson = { stringValue: 'deep' };
    for (let i = 0; i < 40; i++) value = { arrayValue: { values: [value] } };
    const request = {
      resourceMetrics: [{ resource: { attributes: [{ key: 'k', value }] }, scopeMetrics: [] }],
    };
    expect(() => decode(request)).toThrow('an attribute is nested more than 32 deep');
  });

  test('reads counts above 2^53 - 1 as numbers that are not safe integers', () => {
    const [metric] = decode(
      requestJson([
        {
          name: 'a',
          histogram: {
            aggregationTemporality: 1,
            dataPoints: [{ count: '9007199254740992', bucketCounts: ['18446744073709551615'] }],
          },
        },
        {
          name: 'b',
          exponentialHistogram: {
            aggregationTemporality: 1,
            dataPoints: [{ positive: { bucketCounts: ['9007199254740993'] } }],
          },
        },
      ]),
    );
    const { data } = metric!;
    const [point] = data.kind === 'explicit' ? data.points : [];
    expect([point!.count, ...point!.counts].map(Number.isSafeInteger)).toEqual([false, false]);
  });
});

test('JSON can hold integers as numbers, doubles as text, null for absent fields, and names with underscores', () => {
  const text = JSON.stringify({
    resource_metrics: [
      {
        resource: null,
        scope_metrics: [
          {
            metrics: [
              {
                name: 'a',
                unknown: { field: [1] },
                histogram: {
                  aggregation_temporality: 2,
                  data_points: [
                    {
                      start_time_unix_nano: 5,
                      time_unix_nano: 7,
                      count: 3,
                      sum: 'NaN',
                      min: '-Infinity',
                      max: '1.5e3',
                      bucket_counts: [1, '2'],
                      explicit_bounds: ['Infinity'],
                      flags: 1,
                    },
                  ],
                },
              },
            ],
          },
        ],
      },
    ],
  });
  const [{ data }] = decodedJson(text) as [ReturnType<typeof decodedJson>[number]];
  expect(data).toMatchObject({
    kind: 'explicit',
    temporality: 'cumulative',
    points: [
      {
        startNs: 5n,
        timeNs: 7n,
        count: 3,
        sum: Number.NaN,
        min: Number.NEGATIVE_INFINITY,
        max: 1500,
        counts: [1, 2],
        bounds: [Number.POSITIVE_INFINITY],
        isEmpty: true,
      },
    ],
  });
});

test.each([
  ['', 'the body is not JSON'],
  ['[]', 'the body must be an object'],
  ['null', 'the body must be an object'],
  ['{"resourceMetrics":{}}', 'resourceMetrics must be an array'],
  ['{"resourceMetrics":[1]}', 'resourceMetrics must be an object'],
  [inMetric('{"name":1}'), 'name must be a text'],
  [inPoint('{"count":-1}'), 'count must be an integer of at least 0, got -1'],
  [inPoint('{"count":"1.5"}'), 'count must be an integer of at least 0'],
  [inPoint('{"count":1.5}'), 'count must be an integer of at least 0'],
  [inPoint('{"sum":"many"}'), 'sum must be a number'],
  [inPoint('{"exemplars":[{"asInt":"1.5"}]}'), 'asInt must be an integer'],
  [inPoint('{"exemplars":[{"asInt":2.5}]}'), 'asInt must be an integer'],
  [inPoint('{"exemplars":[{"asDouble":"much"}]}'), 'asDouble must be a number'],
  [inPoint('{"bucketCounts":[null]}'), 'bucketCounts must be an integer of at least 0'],
  [inPoint('{"attributes":[{"key":"k","value":{"intValue":"x"}}]}'), 'intValue must be an integer'],
])('JSON that is not a request is refused: %s', (text, message) => {
  expect(() => decodedJson(text)).toThrow(
    expect.objectContaining({ code: 'ERR_DECODE', message: expect.stringContaining(message) }),
  );
});

function inMetric(metric: string): string {
  return `{"resourceMetrics":[{"scopeMetrics":[{"metrics":[${metric}]}]}]}`;
}

function inPoint(point: string): string {
  return inMetric(`{"histogram":{"dataPoints":[${point}]}}`);
}

test('a protobuf that ends early is refused, wherever it ends', () => {
  const bytes = requestBytes(REQUEST);
  const lengths = Array.from({ length: bytes.length - 1 }, (_, i) => i + 1);
  for (const length of lengths) {
    expect(() => decodedProtobuf(bytes.subarray(0, length))).toThrow(
      expect.objectContaining({ code: 'ERR_DECODE' }),
    );
  }
});

test('protobuf can hold repeated numbers one by one, and unknown fields', () => {
  const point = new BinaryWriter();
  point
    .uint32((6 << 3) | 1)
    .fixed64(2)
    .uint32((6 << 3) | 1)
    .fixed64(3);
  point.uint32((7 << 3) | 1).double(1.5);
  point
    .uint32((99 << 3) | 2)
    .string('unknown')
    .uint32((98 << 3) | 5)
    .fixed32(1);
  const buckets = new BinaryWriter()
    .uint32(2 << 3)
    .uint64(2n ** 40n)
    .uint32(2 << 3)
    .uint32(7);
  const exponential = new BinaryWriter().uint32((8 << 3) | 2).bytes(buckets.finish());
  const nested = (field: number, bytes: Uint8Array): Uint8Array =>
    new BinaryWriter()
      .uint32((field << 3) | 2)
      .bytes(bytes)
      .finish();
  const inRequest = (bytes: Uint8Array): Uint8Array => nested(1, nested(2, nested(2, bytes)));
  const [explicit] = decodedProtobuf(inRequest(nested(9, nested(1, point.finish()))));
  expect(explicit!.data).toMatchObject({ points: [{ counts: [2, 3], bounds: [1.5] }] });
  const [other] = decodedProtobuf(inRequest(nested(10, nested(1, exponential.finish()))));
  expect(other!.data).toMatchObject({ points: [{ positive: { offset: 0, counts: [2 ** 40, 7] } }] });
});

/** Wraps bytes as the field of a message, this one as the field of another, and so on. */
function nested(bytes: Uint8Array, ...fields: number[]): Uint8Array {
  let message = bytes;
  for (const field of fields)
    message = new BinaryWriter()
      .uint32((field << 3) | 2)
      .bytes(message)
      .finish();
  return message;
}

const IN_POSITIVE = [8, 1, 10, 2, 2, 1];

test.each([
  ['a varint without end', [...new Array(10).fill(0xff), 0x01], 'a varint is longer than 10 bytes'],
  ['a varint that breaks off', [0x80], 'a message ends within one of its fields'],
])('protobuf with %s among its counts is refused', (_, counts, message) => {
  const body = nested(Uint8Array.from(counts), 2, ...IN_POSITIVE);
  expect(() => decodedProtobuf(body)).toThrow(message);
});

test('packed counts can come in pieces', () => {
  const pieces = [nested(Uint8Array.of(1, 2), 2), nested(Uint8Array.of(0x80, 0x01), 2)];
  const body = nested(Buffer.concat(pieces), ...IN_POSITIVE);
  expect(decodedProtobuf(body)[0]!.data).toMatchObject({ points: [{ positive: { counts: [1, 2, 128] } }] });
});

test('a resource and a scope that follow their metrics belong to them', () => {
  const bytes = (write: (writer: BinaryWriter) => void): Uint8Array => {
    const writer = new BinaryWriter();
    write(writer);
    return writer.finish();
  };
  const metric = bytes((writer) => writer.uint32((1 << 3) | 2).string('m'));
  const scope = bytes((writer) => writer.uint32((1 << 3) | 2).string('s'));
  const scopeMetrics = bytes((writer) => {
    writer.uint32((2 << 3) | 2).bytes(metric);
    writer.uint32((1 << 3) | 2).bytes(scope);
  });
  const request = bytes((writer) =>
    writer.uint32((1 << 3) | 2).bytes(bytes((inner) => inner.uint32((2 << 3) | 2).bytes(scopeMetrics))),
  );
  expect(decodedProtobuf(request)).toMatchObject([{ name: 'm', scope: { name: 's' } }]);
});

describe('the elements of a body in protobuf are counted before it is read', () => {
  /** The smallest `maxElements` that takes a request with these points. */
  function elementsOf(...dataPoints: ExponentialJson[]): number {
    const bytes = requestBytes(
      requestJson([{ exponentialHistogram: { aggregationTemporality: 1, dataPoints } }]),
    );
    let [low, high] = [0, 100_000];
    while (low + 1 < high) {
      const middle = Math.floor((low + high) / 2);
      try {
        decodedProtobuf(bytes, middle);
        high = middle;
      } catch (error) {
        expect(error).toMatchObject({ code: 'ERR_TOO_LARGE' });
        low = middle;
      }
    }
    return high;
  }

  const attributes = (count: number): AttributeJson[] =>
    Array.from({ length: count }, (_, i) => ({ key: `k${i}`, value: { stringValue: 'v' } }));
  const list = (count: number): AttributeJson[] => [
    { key: 'list', value: { arrayValue: { values: new Array(count).fill({ intValue: 1 }) } } },
  ];
  const map = (count: number): AttributeJson[] => [
    { key: 'map', value: { kvlistValue: { values: attributes(count) } } },
  ];
  const run = (count: number): ExponentialJson => ({
    positive: { offset: 0, bucketCounts: new Array(count).fill(1000) },
  });

  // An eighth for each field, besides.
  test.each<[what: string, few: ExponentialJson[], many: ExponentialJson[], elements: number]>([
    ['a point is two', [], new Array(800).fill({}), 800 * 2 + 100],
    ['a point with buckets is four', [], new Array(800).fill({ positive: {} }), 800 * 4 + 400],
    [
      'an attribute is two, and its value one',
      [{ attributes: attributes(1) }],
      [{ attributes: attributes(801) }],
      800 * 3 + 400,
    ],
    ['an item of an attribute is one', [{ attributes: list(1) }], [{ attributes: list(801) }], 800 + 200],
    [
      'a pair within an attribute is an attribute',
      [{ attributes: map(1) }],
      [{ attributes: map(801) }],
      800 * 3 + 400,
    ],
    ['16 numbers of a list are one', [run(16)], [run(1616)], 100],
  ])('%s', (_what, few, many, elements) => {
    expect(elementsOf(...many) - elementsOf(...few)).toBe(elements);
  });
});

test('fields after a group that is skipped are read', () => {
  const request = requestBytes(requestJson([{ name: 'm' }]));
  // Field 15: a group with a varint, a group and 4 bytes in it.
  const group = Buffer.from('7b0801' + '1314' + '2d00000000' + '7c', 'hex');
  expect(decodedProtobuf(Buffer.concat([group, request]))).toEqual(decodedProtobuf(request));
});

test.each([
  ['a group that ends as another one', '7b7b847c'],
  ['the end of a group that did not begin', '7c'],
  ['a group that does not end', '7b'],
  ['a field of a type that does not exist', '7e'],
])('%s is refused', (_what, hex) => {
  expectRefused(() => decodedProtobuf(Buffer.from(hex, 'hex')), 'ERR_DECODE');
});
