import { fileURLToPath } from 'node:url';
import { describeWithPeers, importOpenTelemetry3, typeErrorsWithOpenTelemetry3 } from '@hdrscope/testing';
import { collectDiagnostics } from '@hdrscope/testing/diagnostics';
import { testDropIn } from './support/drop-in-suite.ts';
import { testPipeline } from './support/pipeline-suite.ts';
import type { Sdk } from './support/sdk.ts';
import { testSdkViews } from './support/sdk-views-suite.ts';

const metrics = await importOpenTelemetry3<Sdk['metrics']>('sdk-metrics-3');
const prometheus =
  await importOpenTelemetry3<typeof import('exporter-prometheus-2')>('exporter-prometheus-3');

describeWithPeers(['opentelemetry-3'])('OpenTelemetry 3', () => {
  const sdk = { metrics, PrometheusExporter: prometheus.PrometheusExporter };
  const log = collectDiagnostics();
  testPipeline(sdk, log);
  testDropIn(sdk, log);
  testSdkViews(sdk, log);

  test('wrappers accept and return the types of this version', async () => {
    const file = fileURLToPath(new URL('./open-telemetry-3/types.ts', import.meta.url));
    expect(typeErrorsWithOpenTelemetry3(file)).toBe('');
    const { recordOnce } = await import(file);
    expect(await recordOnce()).toMatchObject([{ attributes: { method: 'GET' }, value: { count: 1 } }]);
  });
});
