import { serveOtlp } from '@hdrscope/otel/receiver';
import { sendOtlp } from '@hdrscope/otel/sender';
import { createRegistry, type Exemplar, type Registry } from '@hdrscope/registry';
import { JsonMetricsSerializer, ProtobufMetricsSerializer } from '@opentelemetry/otlp-transformer';
import type { ResourceMetrics } from '@opentelemetry/sdk-metrics';
import { encodePart } from '../../src/sender/encode.ts';
import { JSON_ENCODING } from '../../src/sender/encode-json.ts';
import { PROTOBUF } from '../../src/sender/encode-protobuf.ts';
import type { Item } from '../../src/sender/encoding.ts';
import { decodedJson, decodedProtobuf, Receiving } from '../receiver/support/receiving.ts';
import { atEnd } from './support.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

async function exemplarsIn(registry: Registry): Promise<readonly Exemplar[]> {
  const { families } = await registry.gather();
  return families.flatMap(({ series }) => series).flatMap(({ exemplars }) => exemplars);
}

describe.each(['http/protobuf', 'http/json'] as const)('%s', (protocol) => {
  test.each([
    ['exponential', 'cumulative'],
    ['exponential', 'delta'],
    ['explicit', 'cumulative'],
    ['explicit', 'delta'],
  ] as const)(
    'exemplars of %s histograms, %s, are those of the series in our receiver',
    async (histograms, temporality) => {
      const central = createRegistry();
      const receiver = await serveOtlp(central, { host: '127.0.0.1', port: 0 });
      atEnd(() => receiver.close());
      const registry = createRegistry();
      const series = registry.histogram({ name: 'job.duration', unit: 's' }).with({ job: 'a' });
      const url = `http://127.0.0.1:${receiver.port}/v1/metrics`;
      const sender = sendOtlp(registry, { url, protocol, histograms, temporality });
      const timeMs = Date.now();
      const given = [
        {
          value: 0.25,
          timeMs,
          attributes: { trace_id: TRACE, span_id: SPAN, user: 'é', tries: 3, ok: true },
        },
        { value: 2, timeMs, attributes: {} },
        { value: 40.5, timeMs, attributes: { trace_id: 'not an id', span_id: SPAN } },
      ];
      for (const one of given) {
        series.record(one.value);
        series.offerExemplar(one);
      }
      await sender.flush();
      expect(await exemplarsIn(central)).toEqual(given);
      // A new one takes the place of that of its octave.
      const later = { value: 0.3, timeMs: Date.now() + 5, attributes: { trace_id: TRACE } };
      series.record(later.value);
      series.offerExemplar(later);
      await sender.close();
      const [first] = await exemplarsIn(central);
      expect(first).toMatchObject({ value: 0.3, attributes: { trace_id: TRACE } });
    },
  );
});

const POINT = {
  startTime: [1, 0],
  endTime: [2, 0],
  attributes: {},
  value: { buckets: { boundaries: [1], counts: [0, 1] }, count: 1, sum: 2, min: 2, max: 2 },
  exemplars: [
    { value: 2, timeMs: 1500.25, attributes: { a: 'b', trace_id: TRACE.toUpperCase(), span_id: SPAN } },
  ],
} as const;

const ITEM = {
  scope: { name: 's' },
  metric: {
    descriptor: { name: 'm', description: '', unit: '', type: 'HISTOGRAM', valueType: 1, advice: {} },
    aggregationTemporality: 0,
    dataPointType: 0,
  },
  point: POINT,
} as unknown as Item;

test('JSON has ids in hexadecimal digits, and times as text', async () => {
  const { bytes } = await encodePart(JSON_ENCODING, JSON_ENCODING.resource({}), [ITEM], 0, 1e6);
  const [{ scopeMetrics }] = JSON.parse(Buffer.from(bytes).toString()).resourceMetrics;
  expect(scopeMetrics[0].metrics[0].histogram.dataPoints[0].exemplars).toEqual([
    {
      timeUnixNano: '1500250000',
      asDouble: 2,
      filteredAttributes: [{ key: 'a', value: { stringValue: 'b' } }],
      spanId: SPAN,
      traceId: TRACE,
    },
  ]);
});

test('protobuf has the same exemplars', async () => {
  const { bytes } = await encodePart(PROTOBUF, PROTOBUF.resource({}), [ITEM], 0, 1e6);
  expect(Buffer.from(bytes).toString('hex')).toContain(`2208${SPAN}2a10${TRACE}`);
  const json = await encodePart(JSON_ENCODING, JSON_ENCODING.resource({}), [ITEM], 0, 1e6);
  expect(decodedProtobuf(bytes)).toEqual(decodedJson(Buffer.from(json.bytes).toString()));
});

test('the exporters of the SDK leave exemplars out', () => {
  const { exemplars: _, ...without } = POINT;
  const written = (
    serializer: typeof JsonMetricsSerializer | typeof ProtobufMetricsSerializer,
    point: object,
  ) => {
    const scopeMetrics = [{ scope: ITEM.scope, metrics: [{ ...ITEM.metric, dataPoints: [point] }] }];
    const metrics = { resource: { attributes: {} }, scopeMetrics } as unknown as ResourceMetrics;
    return Buffer.from(serializer.serializeRequest(metrics)!).toString('hex');
  };
  for (const serializer of [JsonMetricsSerializer, ProtobufMetricsSerializer]) {
    expect(written(serializer, POINT)).toBe(written(serializer, without));
  }
});

function requestWith(exemplars: readonly object[]): string {
  const point = {
    timeUnixNano: '2000000000',
    count: '1',
    sum: 2,
    bucketCounts: ['0', '1'],
    explicitBounds: [1],
  };
  const histogram = { aggregationTemporality: 1, dataPoints: [{ ...point, exemplars }] };
  return JSON.stringify({ resourceMetrics: [{ scopeMetrics: [{ metrics: [{ name: 'm', histogram }] }] }] });
}

test('the receiver takes exemplars of other senders, and leaves those that a series cannot have', async () => {
  const receiving = new Receiving();
  const attributes = [{ key: 'long', value: { stringValue: 'x'.repeat(20_000) } }];
  receiving.take(
    decodedJson(
      requestWith([
        { asInt: '3', timeUnixNano: '1000000000', traceId: TRACE.toUpperCase(), spanId: 'AAAA' },
        { asDouble: 9 },
        { asDouble: -1, timeUnixNano: '1000000000' },
        { asDouble: 'NaN', timeUnixNano: '1000000000' },
        { timeUnixNano: '1000000000' },
        { asDouble: 100, filteredAttributes: attributes },
        { asDouble: 70, timeUnixNano: '99999999999999999999', traceId: '0'.repeat(32) },
      ]),
    ),
  );
  const exemplars = await exemplarsIn(receiving.registry);
  expect(exemplars).toMatchObject([
    { value: 3, timeMs: 1000, attributes: { trace_id: TRACE } },
    { value: 9, timeMs: 2000, attributes: {} },
    { value: 70, attributes: {} },
  ]);
  // A clock that is ahead does not keep later exemplars away.
  expect(exemplars[2]!.timeMs).toBeLessThanOrEqual(Date.now());
});

test('a request of exemplars costs elements', () => {
  const many = Array.from({ length: 2000 }, () => ({ asDouble: 1 }));
  expect(() => decodedJson(requestWith(many), 1000)).toThrow(/the body/);
  const bytes = Buffer.concat(Array.from({ length: 2000 }, () => Buffer.from('4200', 'hex')));
  expect(() => decodedProtobuf(nested([0x0a, 0x12, 0x12, 0x4a, 0x0a], bytes), 1000)).toThrow(/the body/);
});

/** A message in messages, by their tags from the outermost one on. */
function nested(tags: readonly number[], bytes: Buffer): Buffer {
  return tags.reduceRight((inner, tag) => {
    const length = inner.length;
    const header = [tag, (length & 0x7f) | 0x80, ((length >> 7) & 0x7f) | 0x80, length >> 14];
    return Buffer.concat([Buffer.from(header), inner]);
  }, bytes);
}
