const NO_COMMENT =
  'The comment "# no registered metrics" has no line feed after it, which the text format requires of the last line.';

/**
 * The tests of the stock exporter, with `HdrPrometheusExporter` in its place, and with `render` in place of its serializer.
 *
 * @type {import('./run-suite.js').Suite}
 */
export const exporterPrometheus = {
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
