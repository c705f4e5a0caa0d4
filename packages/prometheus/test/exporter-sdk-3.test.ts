import { fileURLToPath } from 'node:url';
import { describeWithPeers, importOpenTelemetry3, typeErrorsWithOpenTelemetry3 } from '@hdrscope/testing';
import { type Sdk, testExporter } from './support/exporter-suite.ts';

const metrics = await importOpenTelemetry3<Sdk['metrics']>('sdk-metrics-3');
const prometheus =
  await importOpenTelemetry3<typeof import('exporter-prometheus-2')>('exporter-prometheus-3');

describeWithPeers(['opentelemetry-3'])('OpenTelemetry 3', () => {
  testExporter({ metrics, PrometheusExporter: prometheus.PrometheusExporter });

  test('the types of this version accept the exporter', async () => {
    const file = fileURLToPath(new URL('./open-telemetry-3/types.ts', import.meta.url));
    expect(typeErrorsWithOpenTelemetry3(file)).toBe('');
    const { useExporter } = await import(file);
    await useExporter();
  });
});
