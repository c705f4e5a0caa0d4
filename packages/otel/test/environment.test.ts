import { namesIn } from '../src/environment.ts';
import { makeReaders, wantedExporters } from '../src/metric-readers.ts';

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

test('an interval that no timer can wait is the longest that one can', () => {
  const given: object[] = [];
  const load = () => ({
    ConsoleMetricExporter: class {},
    PeriodicExportingMetricReader: class {
      constructor(options: object) {
        given.push(options);
      }
    },
  });
  makeReaders({ OTEL_METRICS_EXPORTER: 'console', OTEL_METRIC_EXPORT_INTERVAL: '1e12' }, load);
  expect(given).toMatchObject([{ exportIntervalMillis: 2 ** 31 - 1, exportTimeoutMillis: 30_000 }]);
});

test('a comma at the end of OTEL_METRICS_EXPORTER names no further exporter', () => {
  expect([...wantedExporters({ OTEL_METRICS_EXPORTER: 'otlp, prometheus,' })]).toEqual([
    'otlp',
    'prometheus',
  ]);
});
