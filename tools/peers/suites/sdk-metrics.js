/**
 * The tests of the SDK, with a provider that is wrapped and has an HDR view `*`, and wrapped readers.
 *
 * @type {import('./run-suite.js').Suite}
 */
export const sdkMetrics = {
  name: 'sdk-metrics',
  folder: 'packages/sdk-metrics',
  shims: { 'src/MeterProvider': 'sdk-metrics-shim.js' },
  expected: {},
};
