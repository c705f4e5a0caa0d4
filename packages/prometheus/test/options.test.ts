import { createRegistry, EMPTY_SNAPSHOT } from '@hdrscope/registry';
import { expectOptionsChecked } from '@hdrscope/testing/refusals';
import {
  collectDefaultMetrics,
  collectPromClient,
  convertResourceMetrics,
  convertSnapshot,
  type FamilySource,
  HdrPrometheusExporter,
  prometheusHandler,
  servePrometheus,
} from '../src/index.ts';
import { sendRemoteWrite } from '../src/remote-write/index.ts';

const registry = createRegistry();
const METRICS = { resource: { attributes: {} }, scopeMetrics: [] };
const LOCAL = { host: '127.0.0.1', port: 0 };

test.each<[call: string, call: (options: never) => unknown, required?: object]>([
  ['collectDefaultMetrics', (options) => collectDefaultMetrics(undefined, options)],
  ['collectPromClient', (options) => collectPromClient(options)],
  ['HdrPrometheusExporter', (options) => new HdrPrometheusExporter(options).shutdown(), LOCAL],
  ['convertResourceMetrics', (options) => convertResourceMetrics(METRICS, options)],
  ['convertSnapshot', (options) => convertSnapshot(EMPTY_SNAPSHOT, options)],
  ['prometheusHandler', (options) => prometheusHandler(registry, options)],
  ['servePrometheus', (options) => servePrometheus(registry, options), LOCAL],
  [
    'sendRemoteWrite',
    (options) =>
      sendRemoteWrite(registry, options)
        .close({ timeoutMs: 1 })
        .catch(() => {}),
    { url: 'http://127.0.0.1:1/', timeoutMs: 1 },
  ],
])('%s refuses options of wrong kinds', async (_name, ...checked) => {
  await expectOptionsChecked(...checked);
});

test('the exporter takes each option of the stock exporter', async () => {
  const options = {
    prefix: 'shop',
    appendTimestamp: true,
    endpoint: '/metrics',
    host: 'localhost',
    port: 9464,
    preventServerStart: true,
    metricProducers: [],
    withResourceConstantLabels: /service/,
    withoutScopeInfo: true,
    withoutTargetInfo: true,
  };
  await new HdrPrometheusExporter(options).shutdown();
});

test('a source of families gets only options that families of a snapshot have', async () => {
  const source: FamilySource = (options) => convertSnapshot(EMPTY_SNAPSHOT, options);
  const asked: unknown[] = [];
  const noted: FamilySource = (options) => {
    asked.push(source(options));
    return [];
  };
  const server = await servePrometheus(createRegistry(), { port: 0, timeoutMs: 5000, sources: [noted] });
  await fetch(`http://localhost:${server.port}/metrics`);
  await server.close();
  expect(asked).toEqual([[]]);
});
