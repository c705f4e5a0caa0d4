import { noteClientRequest } from '@hdrscope/kit';
import { listExporters } from '../src/exporters.ts';
import { isOwnSeries } from '../src/own-metrics.ts';

test('the environment states where telemetry goes; what it does not state is not guessed', () => {
  expect(listExporters({})).toEqual([]);
  expect(
    listExporters({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://Collector:4318',
      OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'https://telemetry.example/v1/metrics',
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://[::1]:4318/v1/traces',
      OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: 'not an address',
    }),
  ).toEqual(['collector:4318', 'telemetry.example:443', '::1:4318']);
});

test('requests that an SDK made to export say where telemetry goes, unless others go there, too', () => {
  noteClientRequest('in-code:4318', true);
  noteClientRequest('gateway:443', true);
  expect(listExporters({})).toEqual(['in-code:4318', 'gateway:443']);
  noteClientRequest('gateway:443', false);
  noteClientRequest('shop:80', false);
  expect(listExporters({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://stated:4318' })).toEqual([
    'in-code:4318',
    'stated:4318',
  ]);
});

const TO_COLLECTOR = ['http.request.method=POST', 'server.address=collector', 'server.port=4318'];

test.each<[string, string[], boolean]>([
  ['http.client.request.duration', TO_COLLECTOR, true],
  ['rpc.client.call.duration', TO_COLLECTOR, true],
  ['hdrscope.agent.gather.duration', [], true],
  // A service may be a server at the same address, and a client of the same host at another port.
  ['http.server.request.duration', TO_COLLECTOR, false],
  ['http.client.request.duration', ['server.address=collector', 'server.port=8080'], false],
  ['http.client.request.duration', ['server.address=collector'], false],
  ['http.server.request.duration', ['http.route=/metrics'], false],
])('%s with %j is of the exporter: %p', (name, attributes, expected) => {
  expect(isOwnSeries(name, attributes, ['collector:4318'])).toBe(expected);
  expect(isOwnSeries(name, attributes, [])).toBe(expected && name.startsWith('hdrscope'));
});
