import { describeWithPeers, importOpenTelemetry3 } from '@hdrscope/testing';
import type { MeterProvider } from '@opentelemetry/api';
import * as sdk2 from 'sdk-metrics-2';
import * as sdk20 from 'sdk-metrics-2.0';
import { createHdr } from '../../src/index.ts';
import { attachToReaders, histogramsOf } from '../../src/register/attach.ts';
import { collect, countsOf, type Sdk, testReader } from '../support/sdk.ts';

const suite = (metrics: object): void => {
  const sdk = { metrics } as Sdk;

  test('readers of a provider that exists collect the HDR histograms too, each in its temporality', async () => {
    const readers = [testReader(sdk), testReader(sdk, { temporality: 'delta' })];
    const [cumulative, delta] = readers;
    const provider = new sdk.metrics.MeterProvider({ readers });
    const hdr = createHdr({ views: [{ instrumentName: 'hdr.*' }] });
    expect(attachToReaders(provider, hdr)).toBe(true);
    const meter = hdr.wrapProvider(provider).getMeter('m');
    const histogram = meter.createHistogram('hdr.x');
    const counter = meter.createCounter('counter');
    for (const total of [1, 2]) {
      histogram.record(7);
      counter.add(1);
      for (const [reader, count] of [
        [cumulative!, total],
        [delta!, 1],
      ] as const) {
        const metrics = await collect(reader);
        expect(countsOf(metrics, 'hdr.x')).toEqual([[{}, count]]);
        expect(metrics.find(({ descriptor }) => descriptor.name === 'counter')?.dataPoints[0]?.value).toBe(
          count,
        );
      }
    }
    await provider.forceFlush();
    await provider.shutdown();
    for (const { calls } of readers) expect(calls).toEqual(['forceFlush', 'shutdown']);
  });

  test('histograms that exist already are found by name', () => {
    const provider = new sdk.metrics.MeterProvider({ readers: [testReader(sdk)] });
    const meter = provider.getMeter('m');
    meter.createHistogram('earlier');
    meter.createCounter('counter');
    expect(histogramsOf(provider)).toEqual(['earlier']);
  });
};

describe('SDK 2.0', () => suite(sdk20));
describe('SDK 2', () => suite(sdk2));
const sdk3 = await importOpenTelemetry3<object>('sdk-metrics-3');
describeWithPeers(['opentelemetry-3'])('SDK 3', () => suite(sdk3));

test.each<[title: string, provider: object]>([
  ['is not the SDK', { getMeter: () => ({}) }],
  ['has no readers', new sdk2.MeterProvider()],
  ['has other members', { getMeter: () => ({}), _sharedState: { metricCollectors: [{ collect() {} }] } }],
])('a provider that %s stays as it is', (_, provider) => {
  const before = JSON.stringify(provider);
  expect(attachToReaders(provider as MeterProvider, createHdr({ views: [] }))).toBe(false);
  expect(JSON.stringify(provider)).toBe(before);
});
