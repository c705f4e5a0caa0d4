const NO_COMMENT =
  'The comment "# no registered metrics" has no line feed after it, which the text format requires of the last line.';

const NO_METHOD = 'The serializer of exporter-prometheus 0.301 has no method _serializeScopeMetrics.';
const SERIALIZER = 'PrometheusSerializer serialize an instrumentation metrics';

/**
 * The tests of the stock exporter, with `HdrPrometheusExporter` in its place, and with `render` in place of its serializer.
 *
 * @type {import('./run-suite.js').Suite}
 */
const exporter2 = {
  name: 'exporter-prometheus',
  folder: 'experimental/packages/opentelemetry-exporter-prometheus',
  shims: { 'src/index': 'exporter-prometheus-shim.js' },
  expected: {
    'PrometheusExporter constructor should not start the server if preventServerStart is passed as an option':
      'It reads the private field _server.',
    'PrometheusExporter server should listen on environmentally set host and port':
      'It reads the private fields _host and _port.',
    'PrometheusExporter server should able to call getMetricsRequestHandler function to generate response with metrics':
      'It allows one header. An answer has three: Content-Length and Vary beside Content-Type.',
    'PrometheusExporter export should export resource even if no metrics are registered': NO_COMMENT,
    'PrometheusSerializer validate against metric conventions metric names of only special characters are not serialized when escaping is enabled':
      NO_COMMENT,
    'PrometheusSerializer validate against metric conventions metrics with empty names are not serialized':
      NO_COMMENT,
  },
};

/** @type {import('./run-suite.js').Suite} */
const exporter3 = {
  ...exporter2,
  name: 'exporter-prometheus-3',
  published: 'exporter-prometheus-3',
  expectedOfStock: {
    'PrometheusExporter server should listen on environmentally set host and port':
      'exporter-prometheus 0.301 does not read OTEL_EXPORTER_PROMETHEUS_HOST.',
    [`${SERIALIZER} monotonic Sum should serialize metric record`]: NO_METHOD,
    [`${SERIALIZER} monotonic Sum should serialize metric record with timestamp`]: NO_METHOD,
    [`${SERIALIZER} monotonic Sum should serialize metric record with timestamp and all resource attributes`]:
      NO_METHOD,
    [`${SERIALIZER} non-monotonic Sum should serialize metric record`]: NO_METHOD,
    [`${SERIALIZER} non-monotonic Sum serialize metric record with timestamp`]: NO_METHOD,
    [`${SERIALIZER} non-monotonic Sum serialize metric record with timestamp and all resource attributes`]:
      NO_METHOD,
    [`${SERIALIZER} Gauge should serialize metric record`]: NO_METHOD,
    [`${SERIALIZER} Gauge serialize metric record with timestamp`]: NO_METHOD,
    [`${SERIALIZER} Gauge serialize metric record with timestamp and all resource attributes`]: NO_METHOD,
    [`${SERIALIZER} with ExplicitBucketHistogramAggregation serialize cumulative metric record`]: NO_METHOD,
    [`${SERIALIZER} with ExplicitBucketHistogramAggregation serialize cumulative metric record with all resource attributes`]:
      NO_METHOD,
    [`${SERIALIZER} with ExplicitBucketHistogramAggregation serialize cumulative metric record on instrument that allows negative values`]:
      NO_METHOD,
  },
};

export const EXPORTER_PROMETHEUS = [exporter2, exporter3];
