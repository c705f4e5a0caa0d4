import { countedIn, explicitLayout } from '@hdrscope/core';
import { createHdr } from '@hdrscope/otel';
import { ValueType } from '@opentelemetry/api';
import { JsonMetricsSerializer, ProtobufMetricsSerializer } from '@opentelemetry/otlp-transformer';
import { AggregationTemporality, type ResourceMetrics } from '@opentelemetry/sdk-metrics';
import type { ScopeMetrics } from '../../src/sdk.ts';
import { encodePart } from '../../src/sender/encode.ts';
import { JSON_ENCODING } from '../../src/sender/encode-json.ts';
import { PROTOBUF } from '../../src/sender/encode-protobuf.ts';
import { itemsOf } from '../../src/sender/encoding.ts';
import { numberMetrics } from '../../src/sender/numbers.ts';
import { decodedJson, decodedProtobuf } from '../receiver/support/receiving.ts';

const RESOURCE = {
  'service.name': 'shop',
  '': 'é',
  retries: 3,
  share: 0.5,
  large: 2 ** 60,
  negative: -7,
  is: true,
  list: ['a', 1],
};

/** A request with all points. */
async function encodeRequest(
  resource: Readonly<Record<string, unknown>>,
  scopes: readonly ScopeMetrics[],
  encoding = PROTOBUF,
): Promise<Uint8Array> {
  const items = itemsOf(scopes);
  const { bytes } = await encodePart(
    encoding,
    encoding.resource(resource),
    items,
    0,
    Number.POSITIVE_INFINITY,
  );
  return bytes;
}

async function scopesOf(
  format: 'exponential' | 'explicit',
  temporality: 'delta' | 'cumulative',
): Promise<ScopeMetrics[]> {
  const hdr = createHdr({ views: [] });
  const rpc = hdr.registry.histogram({
    name: 'rpc.duration',
    unit: 's',
    description: 'How long.',
    thresholds: [0.3, 1],
    scope: { name: 'shop', version: '1.2', schemaUrl: 'https://example.test/schema' },
  });
  for (let i = 0; i < 300; i++)
    rpc.with({ route: `/${i % 7}`, ok: i % 2 === 0, code: i }).record(i * i * 1e-4);
  hdr.registry.histogram({ name: 'none', unit: 'none' }).with({}).record(0);
  // More than a number of 32 bits.
  hdr.registry
    .histogram({ name: 'many', unit: 'ms' })
    .with({ a: 'b' })
    .add(countedIn(explicitLayout([8, 16]), [0, 2 ** 33 + 5, 1]));
  const producer = hdr.producer({ format, temporality });
  const { resourceMetrics } = await producer.collect();
  return [...resourceMetrics.scopeMetrics];
}

function stock(
  scopeMetrics: readonly ScopeMetrics[],
  serializer: typeof ProtobufMetricsSerializer | typeof JsonMetricsSerializer = ProtobufMetricsSerializer,
  attributes: object = RESOURCE,
): Uint8Array {
  const metrics = { resource: { attributes }, scopeMetrics } as unknown as ResourceMetrics;
  return serializer.serializeRequest(metrics)!;
}

/** Fields of 64 bits. OTLP's JSON allows numbers, which the stock exporter writes. */
const LONG = new Set([
  'count',
  'zeroCount',
  'bucketCounts',
  'startTimeUnixNano',
  'timeUnixNano',
  'intValue',
  'asInt',
]);

/** A request in JSON in one form: integers of 64 bits as text, and without fields that have the default of protobuf. */
function normalized(bytes: Uint8Array): unknown {
  return JSON.parse(Buffer.from(bytes).toString(), (key, value) => {
    if (value === '' || key === 'droppedAttributesCount') return key === 'stringValue' ? '' : undefined;
    if (key === 'bucketCounts') return value.map(String);
    // The stock exporter prints as many digits as a double needs.
    return LONG.has(key) && typeof value === 'number' ? String(BigInt(value)) : value;
  });
}

test.each([
  ['exponential', 'delta'],
  ['exponential', 'cumulative'],
  ['explicit', 'delta'],
  ['explicit', 'cumulative'],
] as const)('%s histograms, %s, have the bytes of the stock exporter', async (format, temporality) => {
  const scopes = await scopesOf(format, temporality);
  const bytes = await encodeRequest(RESOURCE, scopes);
  expect(decodedProtobuf(bytes)).toEqual(decodedProtobuf(stock(scopes)));
  expect(Buffer.from(bytes).equals(Buffer.from(stock(scopes)))).toBe(true);
  expect(decodedProtobuf(bytes)).toHaveLength(5);
});

test.each([
  ['exponential', 'delta'],
  ['exponential', 'cumulative'],
  ['explicit', 'delta'],
  ['explicit', 'cumulative'],
] as const)('%s histograms, %s, mean in JSON what the stock exporter writes', async (format, temporality) => {
  const scopes = await scopesOf(format, temporality);
  const bytes = await encodeRequest(RESOURCE, scopes, JSON_ENCODING);
  expect(normalized(bytes)).toEqual(normalized(stock(scopes, JsonMetricsSerializer)));
  const text = Buffer.from(bytes).toString();
  expect(text).toMatch(/"count":"\d+"/);
  expect(text).toMatch(/"bucketCounts":\["/);
  expect(text).toContain('"large","value":{"intValue":"1152921504606846976"}');
  expect(decodedJson(text)).toEqual(decodedProtobuf(await encodeRequest(RESOURCE, scopes)));
});

test('JSON has numbers that it lacks as text', async () => {
  const scopes = numberScopes([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0]);
  const text = Buffer.from(await encodeRequest({}, [scopes], JSON_ENCODING)).toString();
  expect(text.match(/"asDouble":[^}]+/g)).toEqual([
    '"asDouble":"NaN"',
    '"asDouble":"Infinity"',
    '"asDouble":"-Infinity"',
    '"asDouble":0',
  ]);
});

function numberScopes(values: readonly number[]): ScopeMetrics {
  const points = values.map((value, i) => ({ attributes: { i: `${i}` }, value }));
  const read = () => [{ name: 'up', kind: 'gauge' as const, unit: '', description: '', points }];
  return numberMetrics({ scope: 'agent', read }, 1, 1000, { timeMs: 0, counts: new Map() }).scope;
}

test.each([PROTOBUF, JSON_ENCODING])(
  'requests of a limited size have all points once: $contentType',
  async (encoding) => {
    const scopes = await scopesOf('exponential', 'delta');
    scopes.push(numberScopes([1, 2, 3]));
    const items = itemsOf(scopes);
    const resource = encoding.resource(RESOURCE);
    const whole =
      encoding === PROTOBUF
        ? decodedProtobuf
        : (bytes: Uint8Array) => decodedJson(Buffer.from(bytes).toString());
    const pointsIn = (bytes: Uint8Array) =>
      whole(bytes).flatMap(({ resource, scope, name, data }) =>
        data.kind === 'other'
          ? Array.from({ length: data.pointCount }, () => ({ resource, scope, name }))
          : data.points.map((point) => ({ resource, scope, name, point })),
      );
    const expected = pointsIn(await encodeRequest(RESOURCE, scopes, encoding));
    expect(expected).toHaveLength(items.length);
    for (const mostBytes of [1, 300, 1000, 5000, 20_000, 1e9]) {
      const points: unknown[] = [];
      for (let from = 0; from < items.length; ) {
        const part = await encodePart(encoding, resource, items, from, mostBytes);
        expect(part.points === 1 || part.bytes.length <= mostBytes).toBe(true);
        points.push(...pointsIn(part.bytes));
        expect(part.end).toBe(from + part.points);
        from = part.end;
      }
      expect(points).toEqual(expected);
    }
    const almost = await encodePart(encoding, resource, items, 0, 5000);
    // A limit is made use of: one more point would not fit.
    const more = await encodePart(encoding, resource, items.slice(0, almost.end + 1), 0, 1e9);
    expect(more.bytes.length).toBeGreaterThan(5000 - 100);
  },
);

test.each([AggregationTemporality.DELTA, AggregationTemporality.CUMULATIVE])(
  'counters and gauges have the bytes of the stock exporter, temporality %d',
  async (temporality) => {
    const read = () => [
      {
        name: 'errors',
        kind: 'counter' as const,
        unit: '',
        description: 'What went wrong',
        points: [{ attributes: { a: 'b' }, value: 7 }],
      },
      {
        name: 'up',
        kind: 'gauge' as const,
        unit: 's',
        description: '',
        points: [{ attributes: {}, value: -0.5 }],
      },
    ];
    const before = { timeMs: 1_700_000_000_123, counts: new Map() };
    const { scope } = numberMetrics({ scope: 'agent', read }, temporality, 1_800_000_000_001, before);
    const bytes = await encodeRequest({}, [scope]);
    // The stock exporter asks each descriptor for the type of its numbers.
    const typed = scope.metrics.map((metric) => ({
      ...metric,
      descriptor: { ...metric.descriptor, valueType: ValueType.DOUBLE },
    }));
    const scopeMetrics = [{ ...scope, metrics: typed }];
    const metrics = { resource: { attributes: {} }, scopeMetrics } as unknown as ResourceMetrics;
    expect(Buffer.from(bytes).equals(Buffer.from(ProtobufMetricsSerializer.serializeRequest(metrics)!))).toBe(
      true,
    );
  },
);

test('a counter in deltas is what was added, and all of it after it has fallen', () => {
  let value = 5;
  const read = () => [
    { name: 'n', kind: 'counter' as const, unit: '', description: '', points: [{ attributes: {}, value }] },
  ];
  const valueAfter = (before: Parameters<typeof numberMetrics>[3]) => {
    const { scope, now } = numberMetrics({ scope: '', read }, AggregationTemporality.DELTA, 2000, before);
    const [metric] = scope.metrics as unknown as [{ dataPoints: [{ value: number }] }];
    return { value: metric.dataPoints[0].value, now };
  };
  const first = valueAfter({ timeMs: 1000, counts: new Map() });
  value = 12;
  const second = valueAfter(first.now);
  value = 3;
  expect([first.value, second.value, valueAfter(second.now).value]).toEqual([5, 7, 3]);
});
