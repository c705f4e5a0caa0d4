/** @typedef {import('./run-suite.js').Suite} Suite */

const ofSdk = {
  folder: 'packages/sdk-metrics',
  shims: { 'src/MeterProvider': 'sdk-metrics-shim.js' },
};

const EXPONENTIAL =
  'readers that select no aggregation get exponential histograms, and the test expects explicit ones';

/**
 * The tests of the SDK, with a provider that is wrapped and has an HDR view `*`, and wrapped readers.
 *
 * @type {Suite}
 */
export const sdkMetrics = {
  ...ofSdk,
  name: 'sdk-metrics',
  expected: {
    'Instruments Histogram should record INT values': EXPONENTIAL,
    'Instruments Histogram should recognize metric advice': EXPONENTIAL,
    'Instruments Histogram should collect min and max': EXPONENTIAL,
    'Instruments Histogram should record DOUBLE values': EXPONENTIAL,
    'MeterProvider addView with different instrument types does not throw': EXPONENTIAL,
  },
};

/**
 * The same with explicit histograms, which the SDK's tests expect: buckets, sums and extremes are equal.
 *
 * @type {Suite}
 */
export const sdkMetricsExplicit = {
  ...ofSdk,
  name: 'sdk-metrics-explicit',
  options: { format: 'explicit' },
  expected: {},
};
