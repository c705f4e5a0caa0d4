import { namesIn } from '../src/environment.ts';
import { wantedExporters } from '../src/metric-readers.ts';

test.each([
  ['a', ['a']],
  [' a , b,', ['a', 'b']],
  [',,a,,', ['a']],
  [' , ', []],
])('the names in %j are %j', (text, names) => {
  expect(namesIn(text)).toEqual(names);
});

test('OTEL_METRICS_EXPORTER that names nothing counts as unset', () => {
  for (const environment of [{}, { OTEL_METRICS_EXPORTER: ' , ' }]) {
    expect([...wantedExporters(environment)]).toEqual(['otlp']);
  }
});

test('a comma at the end of OTEL_METRICS_EXPORTER names no further exporter', () => {
  expect([...wantedExporters({ OTEL_METRICS_EXPORTER: 'otlp, prometheus,' })]).toEqual([
    'otlp',
    'prometheus',
  ]);
});
