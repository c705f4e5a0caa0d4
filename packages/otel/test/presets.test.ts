import { drawNamed } from '@hdrscope/testing/distributions';
import type { Attributes } from '@opentelemetry/api';
import * as metrics from '@opentelemetry/sdk-metrics';
import type { ExponentialHistogram } from 'sdk-metrics-2';
import { createHdr, GEN_AI_VIEWS, type HdrView, MESSAGING_VIEWS } from '../src/index.ts';
import { collect, metricNamed, points, testReader } from './support/sdk.ts';

function pipeline(views: readonly HdrView[], aggregation?: metrics.AggregationOption) {
  const hdr = createHdr({ views });
  const reader = testReader({ metrics } as never, aggregation && { aggregation });
  const provider = hdr.wrapProvider(new metrics.MeterProvider({ readers: [hdr.wrapReader(reader)] }));
  return { reader, meter: provider.getMeter('ai') };
}

/** The middle of the bucket with the quantile. */
function quantileOf({ scale, count, positive }: ExponentialHistogram, quantile: number): number {
  const rank = Math.max(1, Math.ceil(quantile * count));
  let seen = 0;
  const at = positive.bucketCounts.findIndex((one) => {
    seen += one;
    return seen >= rank;
  });
  const base = 2 ** (2 ** -scale);
  return (base ** (positive.offset + at) + base ** (positive.offset + at + 1)) / 2;
}

/** The largest relative error of quantiles, of all models. */
async function largestError(views: readonly HdrView[], name: string): Promise<number> {
  const { reader, meter } = pipeline(views);
  const histogram = meter.createHistogram(name, { unit: 's' });
  const models = { small: 'lognormal', large: 'bimodal', mixed: 'wide, over 6 decades' } as const;
  const sorted: Record<string, Float64Array> = {};
  for (const [i, [model, distribution]] of Object.entries(models).entries()) {
    const values = drawNamed(distribution, 20_000, 7 + i);
    const attributes = { 'gen_ai.request.model': model, 'gen_ai.operation.name': 'chat' };
    for (const [n, value] of values.entries()) {
      histogram.record(value, { ...attributes, 'server.address': `10.0.0.${n % 9}` });
    }
    sorted[model] = values.sort();
  }
  const shown = points(metricNamed(await collect(reader), name));
  expect(shown.map(({ attributes }) => Object.keys(attributes).length)).toEqual([2, 2, 2]);
  const errors = shown.flatMap(({ attributes, value }) => {
    const values = sorted[attributes['gen_ai.request.model'] as string]!;
    return [0.01, 0.5, 0.9, 0.99, 0.999].map((quantile) => {
      const truth = values[Math.ceil(quantile * values.length) - 1]!;
      return Math.abs(quantileOf(value as ExponentialHistogram, quantile) / truth - 1);
    });
  });
  return Math.max(...errors);
}

test.each(['gen_ai.server.time_to_first_token', 'gen_ai.client.operation.time_to_first_chunk'])(
  'exponential points of %s have percentiles by model within 1 %%, which a view without the preset has not',
  async (name) => {
    expect(await largestError(GEN_AI_VIEWS, name)).toBeLessThan(0.0094);
    const plain = { instrumentName: 'gen_ai.*', denyAttributes: ['server.address'] };
    expect(await largestError([plain], name)).toBeGreaterThan(0.02);
  },
);

test.each<
  [
    name: string,
    unit: string,
    views: readonly HdrView[],
    kept: Attributes,
    dropped: Attributes,
    first: number,
  ]
>([
  [
    'gen_ai.client.token.usage',
    '{token}',
    GEN_AI_VIEWS,
    { 'gen_ai.token.type': 'input', 'gen_ai.response.model': 'm' },
    { 'server.address': 'a', 'server.port': 443 },
    1,
  ],
  [
    'messaging.process.duration',
    's',
    MESSAGING_VIEWS,
    {
      'messaging.system': 'kafka',
      'messaging.destination.name': 'orders',
      'messaging.consumer.group.name': 'shop',
    },
    { 'messaging.destination.partition.id': '7', 'messaging.client.id': 'x', 'server.address': 'b' },
    0.005,
  ],
])('%s has the boundaries of the conventions, and no attribute of one server', async (...row) => {
  const [name, unit, views, kept, dropped, first] = row;
  const { reader, meter } = pipeline(views, {
    type: metrics.AggregationType.EXPLICIT_BUCKET_HISTOGRAM,
    options: { boundaries: [1e6] },
  });
  meter.createHistogram(name, { unit }).record(1, { ...kept, ...dropped });
  const [point] = points(metricNamed(await collect(reader), name));
  expect(point!.attributes).toEqual(kept);
  expect(point!.value).toMatchObject({ buckets: { boundaries: expect.arrayContaining([first]) } });
});
