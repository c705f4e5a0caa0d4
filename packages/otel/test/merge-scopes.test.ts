import { mergeScopes } from '../src/metrics.ts';
import type { ScopeMetrics } from '../src/sdk.ts';

const scope = { name: 'shop', version: '1' };

function named(...metrics: [name: string, type: string][]): ScopeMetrics {
  return { scope, metrics: metrics.map(([name, type]) => ({ descriptor: { name, type } })) };
}

function namesOf(scopes: readonly ScopeMetrics[]): string[] {
  return scopes.flatMap(({ metrics }) =>
    metrics.map(({ descriptor: { name, type } }) => `${type?.toLowerCase()} ${name}`),
  );
}

test('metrics of the SDK come first, as their instruments are usually made first', () => {
  const sdk = named(['orders', 'COUNTER'], ['latency', 'COUNTER']);
  expect(namesOf(mergeScopes([sdk], [named(['latency', 'HISTOGRAM'])]))).toEqual([
    'counter orders',
    'counter latency',
    'histogram latency',
  ]);
});

test('an HDR histogram precedes a histogram of its name that the registry refused, so that an exporter that keeps one keeps it', () => {
  const [sdk, added] = [
    named(['Latency', 'HISTOGRAM'], ['orders', 'COUNTER']),
    named(['latency', 'HISTOGRAM']),
  ];
  expect(namesOf(mergeScopes([sdk], [added]))).toEqual([
    'counter orders',
    'histogram latency',
    'histogram Latency',
  ]);
});

test('scopes that only one of both has stay apart', () => {
  const other = { ...named(['x', 'HISTOGRAM']), scope: { name: 'shop', version: '2' } };
  expect(mergeScopes([named(['y', 'COUNTER'])], [other]).map((one) => one.scope.version)).toEqual(['1', '2']);
});
