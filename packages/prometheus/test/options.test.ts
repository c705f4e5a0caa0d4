import { createRegistry, EMPTY_SNAPSHOT } from '@hdrscope/registry';
import { expectMisspelt } from '@hdrscope/testing/refusals';
import {
  collectDefaultMetrics,
  type FamilySource,
  familiesOfResourceMetrics,
  familiesOfSnapshot,
  HdrPrometheusExporter,
  prometheusHandler,
  servePrometheus,
} from '../src/index.ts';

/** Options of any kind, as a program without types passes them. */
const wrong = (options: object): never => options as never;

test.each<[call: string, meant: string, action: () => unknown]>([
  [
    'collectDefaultMetrics',
    'eventLoopIntervalMs',
    () => collectDefaultMetrics(undefined, wrong({ eventLoopInterval: 7 })),
  ],
  [
    'HdrPrometheusExporter',
    'preventServerStart',
    () => new HdrPrometheusExporter(wrong({ preventServerStrat: true })),
  ],
  [
    'HdrPrometheusExporter',
    'withoutScopeInfo',
    () => new HdrPrometheusExporter(wrong({ withoutScopesInfo: true })),
  ],
  [
    'familiesOfResourceMetrics',
    'withUnitSuffix',
    () => familiesOfResourceMetrics(wrong({}), wrong({ withUnitsSuffix: true })),
  ],
  ['familiesOfSnapshot', 'maxBuckets', () => familiesOfSnapshot(EMPTY_SNAPSHOT, wrong({ maxBucket: 7 }))],
  ['prometheusHandler', 'sources', () => prometheusHandler(createRegistry(), wrong({ source: [] }))],
  ['servePrometheus', 'endpoint', () => servePrometheus(createRegistry(), wrong({ endpiont: '/' }))],
])('%s refuses an option that does not exist, and names %s', async (_call, meant, action) => {
  await expectMisspelt(action, meant);
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
  const source: FamilySource = (options) => familiesOfSnapshot(EMPTY_SNAPSHOT, options);
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
