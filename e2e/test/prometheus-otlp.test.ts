import { createHdr } from '@hdrscope/otel';
import { sendOtlp } from '@hdrscope/otel/sender';
import { describeWithPeers } from '@hdrscope/testing';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import {
  AggregationTemporality,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { stopPeers, waitFor } from './support/peer-process.ts';
import { type Prometheus, startPrometheus } from './support/prometheus.ts';
import { bucketQuantile, quantileBound, relativeError, scaleOf, trueQuantile } from './support/quantiles.ts';
import { durations } from './support/sampling.ts';

const METRIC = 'rpc_server_duration_seconds';
const DIGITS = 5;
/** The finest scale of Prometheus. */
const FINEST_SCALE = 8;

/** Values so narrow that the exponential histogram has a scale above the finest one of Prometheus. */
const NARROW = durations(2000, 21, { spread: 0.01 });
const WIDE = durations(2000, 22, { spread: 1.5 });

describeWithPeers(['prometheus-3'])('Prometheus as the receiver of OTLP', () => {
  let server: Prometheus;
  const exporters: MeterProvider[] = [];

  beforeAll(async () => {
    server = await startPrometheus('prometheus-3', [], { isOtlpReceiver: true });
  });

  afterAll(async () => {
    await Promise.all(exporters.map((provider) => provider.shutdown()));
    await stopPeers();
  });

  test('counts all values within the stated bound, at its finest scale or at ours', async () => {
    const exporter = new OTLPMetricExporter({
      url: `${server.url}/api/v1/otlp/v1/metrics`,
      temporalityPreference: AggregationTemporality.CUMULATIVE,
    });
    const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
    const hdr = createHdr({ views: [{ instrumentName: 'rpc.*', significantDigits: DIGITS }] });
    const provider = hdr.wrapProvider(new MeterProvider({ readers: [hdr.wrapReader(reader)] }));
    exporters.push(provider);
    const instrument = provider.getMeter('shop').createHistogram('rpc.server.duration', { unit: 's' });

    const values: number[] = [];
    const scales: number[] = [];
    for (const batch of [NARROW, WIDE]) {
      for (const value of batch) instrument.record(value);
      values.push(...batch);
      values.sort((a, b) => a - b);
      await reader.forceFlush();
      const shown = await waitFor(
        async () => {
          const [sample] = await server.queryNow(METRIC);
          return sample?.histogram?.count === values.length ? sample.histogram : undefined;
        },
        { what: `${values.length} values in Prometheus` },
      );
      scales.push(scaleOf(shown));
      for (const q of [0.01, 0.5, 0.99]) {
        const bound = quantileBound(DIGITS, scaleOf(shown));
        expect(relativeError(bucketQuantile(shown, q), trueQuantile(values, q))).toBeLessThanOrEqual(bound);
        const interpolated = await server.queryNumber(`histogram_quantile(${q}, ${METRIC})`);
        expect(relativeError(interpolated, trueQuantile(values, q))).toBeLessThanOrEqual(bound);
      }
    }

    expect(scales[0]).toBe(FINEST_SCALE);
    expect(scales[1]).toBeLessThan(FINEST_SCALE);
    expect(await server.queryNumber(`resets(${METRIC}[1m])`)).toBe(0);
  });

  test('refuses a scale that is too coarse for it, and the sender says what to do', async () => {
    const hdr = createHdr({ views: [{ instrumentName: '*', maxSize: 2 }] });
    const provider = hdr.wrapProvider(new MeterProvider());
    const instrument = provider.getMeter('shop').createHistogram('coarse', { unit: 's' });
    for (const value of [1e-6, 1, 1e6]) instrument.record(value);
    const errors: string[] = [];
    const sender = sendOtlp(hdr.registry, {
      url: `${server.url}/api/v1/otlp/v1/metrics`,
      observer: { failed: ({ message }) => errors.push(message), warned: (message) => errors.push(message) },
    });
    await sender.flush().catch(() => {});
    expect(errors).toEqual([
      expect.stringMatching(
        /Scale must be >= -4.*: send explicit histograms \(histograms: explicit\), or raise maxSize/,
      ),
    ]);
    await sender.close().catch(() => {});
  });
});
