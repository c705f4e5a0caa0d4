import fc from 'fast-check';
import { formatPercentiles, type PercentileTextOptions } from '../../src/text/percentile-text.ts';
import { recorded, recordedOnce } from '../support/recorded.ts';
import { expectRefused, refusalOf } from '../support/refused.ts';
import { recordings } from '../support/values.ts';

// Java HdrHistogram.
const QUARTERS = `\
       Value     Percentile TotalCount 1/(1-Percentile)

      25.000 0.000000000000          1           1.00
      25.000 0.100000000000          1           1.11
      25.000 0.200000000000          1           1.25
      25.000 0.300000000000          1           1.43
      50.000 0.400000000000          2           1.67
      50.000 0.500000000000          2           2.00
      50.000 0.550000000000          2           2.22
      50.000 0.600000000000          2           2.50
      50.000 0.650000000000          2           2.86
      75.000 0.700000000000          3           3.33
      75.000 1.000000000000          3
#[Mean    =       50.000, StdDeviation   =       20.412]
#[Max     =       75.000, Total count    =            3]
#[Buckets =            1, SubBuckets     =         2048]
`;

const QUARTERS_CSV = `\
"Value","Percentile","TotalCount","1/(1-Percentile)"
25.000,0.000000000000,1,1.00
25.000,0.100000000000,1,1.11
25.000,0.200000000000,1,1.25
25.000,0.300000000000,1,1.43
50.000,0.400000000000,2,1.67
50.000,0.500000000000,2,2.00
50.000,0.550000000000,2,2.22
50.000,0.600000000000,2,2.50
50.000,0.650000000000,2,2.86
75.000,0.700000000000,3,3.33
75.000,1.000000000000,3,Infinity
`;

const EMPTY = `\
       Value     Percentile TotalCount 1/(1-Percentile)

#[Mean    =        0.000, StdDeviation   =        0.000]
#[Max     =        0.000, Total count    =            0]
#[Buckets =            1, SubBuckets     =         2048]
`;

test('prints the text that Java prints', () => {
  expect(formatPercentiles(recordedOnce([25, 50, 75]))).toBe(QUARTERS);
});

test('prints the CSV that Java prints', () => {
  expect(formatPercentiles(recordedOnce([25, 50, 75]), { format: 'csv' })).toBe(QUARTERS_CSV);
});

test('prints of an empty histogram the header and the footer, as CSV the header', () => {
  expect(formatPercentiles(recordedOnce([]))).toBe(EMPTY);
  expect(formatPercentiles(recordedOnce([]), { format: 'csv' })).toBe(
    '"Value","Percentile","TotalCount","1/(1-Percentile)"\n',
  );
});

test('prints values, mean and maximum divided by the scale, with as many decimals as digits', () => {
  const histogram = recordedOnce([1500, 2500], { significantDigits: 2, highestTrackableValue: 10_000 });
  const text = formatPercentiles(histogram, { valueScale: 1000, ticksPerHalfDistance: 1 });
  expect(text.split('\n').slice(2)).toEqual([
    '        1.50 0.000000000000          1           1.00',
    '        1.50 0.500000000000          1           2.00',
    '        2.51 0.750000000000          2           4.00',
    '        2.51 1.000000000000          2',
    '#[Mean    =         2.00, StdDeviation   =         0.50]',
    '#[Max     =         2.51, Total count    =            2]',
    '#[Buckets =            7, SubBuckets     =          256]',
    '',
  ]);
});

test('has one row for each step of the iteration, the same in both formats', () => {
  fc.assert(
    fc.property(recordings(1e12, 20), fc.integer({ min: 1, max: 10 }), (recording, ticksPerHalfDistance) => {
      const histogram = recorded(recording);
      const steps = [...histogram.percentiles(ticksPerHalfDistance)].length;
      const text = formatPercentiles(histogram, { ticksPerHalfDistance }).split('\n').slice(2, -4);
      const csv = formatPercentiles(histogram, { ticksPerHalfDistance, format: 'csv' })
        .split('\n')
        .slice(1, -1);
      expect([text.length, csv.length]).toEqual([steps, steps]);
      expect(csv.map((row) => row.split(',').slice(0, 3))).toEqual(
        text.map((row) => row.trim().split(/ +/).slice(0, 3)),
      );
    }),
  );
});

test.each<[string, object]>([
  ['a scale of 0', { valueScale: 0 }],
  ['a negative scale', { valueScale: -1 }],
  ['NaN as scale', { valueScale: Number.NaN }],
  ['Infinity as scale', { valueScale: Number.POSITIVE_INFINITY }],
  ['no steps', { ticksPerHalfDistance: 0 }],
  ['half a step', { ticksPerHalfDistance: 0.5 }],
  ['an unknown format', { format: 'html' }],
])('refuses %s, of an empty histogram too', (_what, options) => {
  for (const histogram of [recordedOnce([1, 2]), recordedOnce([])]) {
    expectRefused(() => formatPercentiles(histogram, options as PercentileTextOptions), 'ERR_INVALID_OPTION');
  }
});

test('has a message with the range of scales', () => {
  expect(refusalOf(() => formatPercentiles(recordedOnce([]), { valueScale: 0 })).message).toBe(
    'valueScale must be a finite number above 0, got 0',
  );
});
