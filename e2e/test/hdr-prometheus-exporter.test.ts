import { createHdr } from '@hdrscope/otel';
import { HdrPrometheusExporter, type HdrPrometheusExporterOptions } from '@hdrscope/prometheus';
import { describeWithPeers, importOpenTelemetry3 } from '@hdrscope/testing';
import * as metrics2 from '@opentelemetry/sdk-metrics';

const metrics3 = await importOpenTelemetry3<typeof metrics2>('sdk-metrics-3');

const PROTOBUF = 'application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited';

interface Scraped {
  readonly text: string;
  readonly protobufBytes: number;
  readonly openMetrics: string;
}

/** Serves 100 values of an HDR histogram and one of the SDK's, and scrapes them in each format. */
async function scrapeWrapped(
  { MeterProvider }: typeof metrics2,
  options: HdrPrometheusExporterOptions,
): Promise<Scraped> {
  const exporter = new HdrPrometheusExporter({ port: 0, withoutScopeInfo: true, ...options });
  const hdr = createHdr({ views: [{ instrumentName: 'hdr.*', boundaries: [50.4] }] });
  const provider = hdr.wrapProvider(new MeterProvider({ readers: [hdr.wrapReader(exporter)] }));
  const meter = provider.getMeter('m');
  const ours = meter.createHistogram('hdr.duration');
  for (let i = 1; i <= 100; i++) ours.record(i);
  meter.createHistogram('sdk.duration', { advice: { explicitBucketBoundaries: [7] } }).record(3);

  await exporter.startServer();
  const scrape = (accept: string): Promise<Response> =>
    fetch(`http://localhost:${exporter.port}/metrics`, { headers: { accept } });
  try {
    return {
      text: await (await scrape('text/plain')).text(),
      openMetrics: await (await scrape('application/openmetrics-text;version=1.0.0')).text(),
      protobufBytes: (await (await scrape(PROTOBUF)).arrayBuffer()).byteLength,
    };
  } finally {
    await provider.shutdown();
  }
}

describe('HdrPrometheusExporter wrapped by hdr.wrapReader, SDK 2.x', () => testWrapped(metrics2));

describeWithPeers(['opentelemetry-3'])('HdrPrometheusExporter wrapped by hdr.wrapReader, SDK 3.x', () =>
  testWrapped(metrics3),
);

function testWrapped(sdk: typeof metrics2): void {
  test('shows HDR histograms beside those of the SDK', async () => {
    const { text, openMetrics } = await scrapeWrapped(sdk, {});
    for (const page of [text, openMetrics]) {
      expect(page).toContain('hdr_duration_count 100\n');
      expect(page).toContain('hdr_duration_sum 5050\n');
      expect(page).toContain('sdk_duration_count 1\n');
    }
  });

  test('gets exponential histograms, although it has the request handler of the stock exporter', async () => {
    // It can apply the boundaries of the option only to buckets that are not explicit.
    const { text } = await scrapeWrapped(sdk, { classicBoundaries: [25, 75] });
    const boundaries = [...text.matchAll(/hdr_duration_bucket\{le="(.*)"\}/g)].map(([, le]) => le);
    expect(boundaries).toEqual(['25', '75', '+Inf']);
  });

  test('gets explicit buckets of the view and of the instrument when it wants classic ones', async () => {
    const { text } = await scrapeWrapped(sdk, { buckets: 'classic' });
    expect(text).toContain('hdr_duration_bucket{le="50.4"} 50\n');
    expect(text).toContain('sdk_duration_bucket{le="7"} 1\n');
  });

  test('counts values at a boundary as the SDK does', async () => {
    const exporter = new HdrPrometheusExporter({ port: 0, withoutScopeInfo: true, buckets: 'classic' });
    const hdr = createHdr({ views: [{ instrumentName: 'hdr.*' }] });
    const provider = hdr.wrapProvider(new sdk.MeterProvider({ readers: [hdr.wrapReader(exporter)] }));
    const options = { advice: { explicitBucketBoundaries: [0.1, 0.3, 1] } };
    for (const name of ['hdr', 'sdk']) {
      const histogram = provider.getMeter('m').createHistogram(`${name}.duration`, options);
      for (const value of [0.1, 0.3, 0.3000001, 1, 1.0001]) histogram.record(value);
    }
    await exporter.startServer();
    const text = await (await fetch(`http://localhost:${exporter.port}/metrics`)).text();
    await provider.shutdown();
    const counts = (name: string): string[] =>
      [...text.matchAll(new RegExp(`${name}_duration_bucket\\{le="(.*)"\\} (.*)`, 'g'))].map(
        ([, le, count]) => `${le}: ${count}`,
      );
    expect(counts('hdr')).toEqual(['0.1: 1', '0.3: 2', '1: 4', '+Inf: 5']);
    expect(counts('sdk')).toEqual(counts('hdr'));
  });

  test('writes native buckets, with classic buckets in addition', async () => {
    const [native, both] = [await scrapeWrapped(sdk, {}), await scrapeWrapped(sdk, { buckets: 'both' })];
    const classic = await scrapeWrapped(sdk, { buckets: 'classic' });
    expect(both.protobufBytes).toBeGreaterThan(native.protobufBytes);
    expect(both.protobufBytes).toBeGreaterThan(classic.protobufBytes);
  });
}
