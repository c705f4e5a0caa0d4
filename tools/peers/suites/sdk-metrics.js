/** @typedef {import('./run-suite.js').Suite} Suite */

const EXPONENTIAL =
  'readers that select no aggregation get exponential histograms, and the test expects explicit ones';

/**
 * The tests of the SDK, with a provider and readers that are wrapped.
 *
 * @param {Omit<Suite, 'name' | 'options' | 'expected'>} sdk
 * @param {string} name
 * @returns {readonly Suite[]}
 */
const suitesOf = (sdk, name) => [
  { ...sdk, name: `${name}-without-views`, options: { views: [] }, expected: { ...sdk.expectedOfStock } },
  // With an HDR view `*`.
  {
    ...sdk,
    name,
    expected: {
      ...sdk.expectedOfStock,
      'Instruments Histogram should record INT values': EXPONENTIAL,
      'Instruments Histogram should recognize metric advice': EXPONENTIAL,
      'Instruments Histogram should collect min and max': EXPONENTIAL,
      'Instruments Histogram should record DOUBLE values': EXPONENTIAL,
      'MeterProvider addView with different instrument types does not throw': EXPONENTIAL,
    },
  },
  // With explicit histograms, which the SDK's tests expect: buckets, sums and extremes are equal.
  {
    ...sdk,
    name: `${name}-explicit`,
    options: { reader: { format: 'explicit' } },
    expected: { ...sdk.expectedOfStock },
  },
];

const sdk2 = {
  folder: 'packages/sdk-metrics',
  shims: { 'src/MeterProvider': 'sdk-metrics-shim.js' },
};

const sdk3 = {
  ...sdk2,
  published: 'sdk-metrics-3',
  expectedOfStock: {
    'ieee754 helpers getSignificand returns expected values': 'SDK 3 has no getSignificand.',
  },
  without: {
    'ExemplarFilter.test.js': 'The published SDK has no exemplars.',
    'ExemplarReservoir.test.js': 'The published SDK has no exemplars.',
  },
};

/** @type {readonly Suite[]} */
export const SDK_METRICS = [...suitesOf(sdk2, 'sdk-metrics'), ...suitesOf(sdk3, 'sdk-metrics-3')];
