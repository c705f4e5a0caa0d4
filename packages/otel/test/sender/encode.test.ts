import { countedIn, explicitLayout } from '@hdrscope/core';
import { createHdr } from '@hdrscope/otel';
import { ProtobufMetricsSerializer } from '@opentelemetry/otlp-transformer';
import { AggregationTemporality, type ResourceMetrics } from '@opentelemetry/sdk-metrics';
import type { ScopeMetrics } from '../../src/sdk.ts';
import { encodeRequest } from '../../src/sender/encode.ts';
import { numberMetrics } from '../../src/sender/numbers.ts';
import { decodedProtobuf } from '../receiver/support/receiving.ts';

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

async function scopesOf(
  format: 'exponential' | 'explicit',
  temporality: 'delta' | 'cumulative',
): Promise<ScopeMetrics[]> {
  const hdr = createHdr({ views: [] });
  const rpc = hdr.registry.histogram({
    name: 'rpc.duration',
    unit: 's',
    description: 'How long.',
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

function stock(scopeMetrics: readonly ScopeMetrics[]): Uint8Array {
  const metrics = { resource: { attributes: RESOURCE }, scopeMetrics } as unknown as ResourceMetrics;
  return ProtobufMetricsSerializer.serializeRequest(metrics)!;
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
  expect(decodedProtobuf(bytes)).toHaveLength(3);
});

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
    const { scope, points } = numberMetrics({ scope: 'agent', read }, temporality, 1_800_000_000_001, before);
    expect(points).toBe(2);
    const bytes = await encodeRequest({}, [scope]);
    const metrics = { resource: { attributes: {} }, scopeMetrics: [scope] } as unknown as ResourceMetrics;
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
    const [metric] = scope.metrics as [{ dataPoints: [{ value: number }] }];
    return { value: metric.dataPoints[0].value, now };
  };
  const first = valueAfter({ timeMs: 1000, counts: new Map() });
  value = 12;
  const second = valueAfter(first.now);
  value = 3;
  expect([first.value, second.value, valueAfter(second.now).value]).toEqual([5, 7, 3]);
});
