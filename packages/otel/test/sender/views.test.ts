import { createHdr } from '@hdrscope/otel';
import { type OtlpSenderOptions, sendOtlp } from '@hdrscope/otel/sender';
import { createRegistry } from '@hdrscope/registry';
import { AggregationType, MeterProvider } from '@opentelemetry/sdk-metrics';
import { decodedProtobuf } from '../receiver/support/receiving.ts';
import { startEndpoint } from './support.ts';

/** What a sender sends of a service that wraps its provider: each metric by its name. */
async function sent(options: Partial<OtlpSenderOptions>) {
  const endpoint = await startEndpoint(() => undefined);
  const hdr = createHdr({ views: [{ instrumentName: '*' }], registry: createRegistry() });
  const explicit = AggregationType.EXPLICIT_BUCKET_HISTOGRAM as const;
  const provider = hdr.wrapProvider(
    new MeterProvider({
      views: [
        {
          instrumentName: 'explicit',
          aggregation: { type: explicit, options: { boundaries: [1, 2], recordMinMax: false } },
        },
        {
          instrumentName: 'small',
          aggregation: { type: AggregationType.EXPONENTIAL_HISTOGRAM, options: { maxSize: 8 } },
        },
      ],
    }),
  );
  const meter = provider.getMeter('shop');
  for (const name of ['explicit', 'small', 'other']) {
    const histogram = meter.createHistogram(name);
    for (let value = 1; value <= 1000; value++) histogram.record(value);
  }
  await sendOtlp(hdr.registry, { url: endpoint.url, compression: 'none', ...options }).close();
  const metrics = endpoint.bodies.flatMap((body) => decodedProtobuf(body));
  return Object.fromEntries(metrics.map(({ name, data }) => [name, data]));
}

const bucketsOf = (data: unknown): number =>
  (data as { points: [{ positive: { counts: number[] } }] }).points[0].positive.counts.length;

test.each(['cumulative', 'delta'] as const)(
  'histograms have the aggregation, maxSize and recordMinMax of views: %s',
  async (temporality) => {
    const { explicit, small, other } = await sent({ temporality });
    const points = [{ bounds: [1, 2], counts: [1, 1, 998], min: undefined, max: undefined }];
    expect(explicit).toMatchObject({ kind: 'explicit', temporality, points });
    expect(small).toMatchObject({ kind: 'exponential', temporality, points: [{ min: 1, max: 1000 }] });
    expect(other).toMatchObject({ kind: 'exponential', temporality, points: [{ count: 1000 }] });
    expect(bucketsOf(small)).toBeLessThanOrEqual(8);
    expect(bucketsOf(other)).toBeGreaterThan(8);
  },
);

test('the option histograms takes precedence over the aggregation of views', async () => {
  const { explicit, small } = await sent({ histograms: 'exponential' });
  expect([explicit!.kind, small!.kind]).toEqual(['exponential', 'exponential']);
  const both = await sent({ histograms: 'explicit' });
  expect(both.explicit).toMatchObject({ kind: 'explicit', points: [{ bounds: [1, 2] }] });
  expect(both.small!.kind).toBe('explicit');
});
