import fc from 'fast-check';
import { Histogram } from '../../src/histogram/histogram.ts';
import { parsePercentiles } from '../../src/text/parse-percentiles.ts';
import { readPercentileTable } from '../../src/text/percentile-table.ts';
import { formatPercentiles } from '../../src/text/percentile-text.ts';
import { recorded, recordedOnce, slotsOf } from '../support/recorded.ts';
import { refusalOf } from '../support/refused.ts';
import { recordings } from '../support/values.ts';

// The output of wrk2 with --latency. Values are milliseconds.
const WRK2 = `\
Running 30s test @ http://127.0.0.1:80/index.html
  2 threads and 100 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     6.18ms    1.90ms  12.54ms   66.63%
  Latency Distribution (HdrHistogram - Recorded Latency)
 50.000%    6.67ms
100.000%   12.55ms

  Detailed Percentile spectrum:
       Value   Percentile   TotalCount 1/(1-Percentile)

       0.921     0.000000            1         1.00
       4.053     0.100000         3951         1.11
       6.671     0.500000        19751         2.00
      12.551     1.000000        39500          inf
#[Mean    =        6.182, StdDeviation   =        1.899]
#[Max     =       12.544, Total count    =        39500]
#[Buckets =           27, SubBuckets     =         2048]
----------------------------------------------------------
  60018 requests in 30.00s, 19.81MB read
Requests/sec:   2000.28
`;

const HEAD = 'Value Percentile TotalCount 1/(1-Percentile)\n';

// C's CSV.
const C_CSV = `Value,Percentile,TotalCount,1/(1-Percentile)
1.000,0.000000,1,1.00
10.000,0.500000,5,2.00
20.000,1.000000,10,inf
`;

test('reads the output of wrk2, in the midst of its report', () => {
  const { histogram, loss } = parsePercentiles(WRK2, { valueScale: 1000 });
  expect(histogram.totalCount).toBe(39_500);
  expect([histogram.min, histogram.valueAtPercentile(50), histogram.max]).toEqual([921, 6671, 12_551]);
  expect(loss).toMatchObject({
    totalCount: 39_500,
    interpolated: 39_500 - 4,
    beyondLastRow: 0,
    valueResolution: 0.5,
    mean: { printed: 6182 },
    standardDeviation: { printed: 1899 },
    repeatedRows: 0,
  });
  expect(loss.maxRelativeError).toBeCloseTo((4.053 - 0.921) / 0.921);
});

// The output of vegeta report -type=hdrplot.
const VEGETA = `Value(ms)  Percentile  TotalCount  1/(1-Percentile)
1.370000   0.000000    0           1.000000
34.250000  0.500000    25          2.000000
66.465000  0.990000    49          100.000000
67.130000  1.000000    49          10000000.000000
`;

test('reads the output of vegeta, whose last row has the maximum although earlier rows have all counts', () => {
  const { histogram, unit } = parsePercentiles(VEGETA, { valueScale: 1000 });
  expect(unit).toBe('ms');
  expect([histogram.totalCount, histogram.valueAtPercentile(50), histogram.max]).toEqual([
    49, 34_250, 67_130,
  ]);
  expect(histogram.valueAtPercentile(95)).toBe(66_465);
});

test.each([
  ['Value(us)', 'us'],
  ['Value(µs)', 'us'],
  ['"Value (ns)"', 'ns'],
  ['Value', undefined],
])('%s states the unit %p', (title, unit) => {
  expect(parsePercentiles(`${HEAD.replace('Value', title)}1 1 1 inf\n`).unit).toBe(unit);
});

test('refuses a title whose unit is no unit of time', () => {
  expect(() => parsePercentiles(`${HEAD.replace('Value', 'Value(KiB)')}1 1 1 inf\n`)).toThrow(
    'there is no such line',
  );
});

test('reads the CSV of C, which prints no moments', () => {
  const { histogram, loss } = parsePercentiles(C_CSV);
  expect(slotsOf(histogram)).toEqual([
    [1, 1],
    [10, 4],
    [20, 5],
  ]);
  expect(loss).toMatchObject({ interpolated: 3 + 4, mean: { printed: undefined, rebuilt: 14.1 } });
});

test('reads the output of Go, between tabs', () => {
  const text = 'Value\tPercentile\tTotalCount\t1/(1-Percentile)\n\n1.000\t0.0\t1\t1.00\n2.000\t1.0\t2\tinf\n';
  expect(slotsOf(parsePercentiles(text).histogram)).toEqual([
    [1, 1],
    [2, 1],
  ]);
});

test('has exact values where each row has one value', () => {
  const original = recordedOnce([25, 50, 75]);
  const { histogram, loss } = parsePercentiles(formatPercentiles(original));
  expect(histogram.equals(original)).toBe(true);
  expect(loss).toEqual({
    totalCount: 3,
    interpolated: 0,
    beyondLastRow: 0,
    valueResolution: 0.0005,
    maxRelativeError: 0,
    mean: { printed: 50, rebuilt: 50 },
    standardDeviation: { printed: 20.412, rebuilt: original.standardDeviation },
    repeatedRows: 8,
  });
});

test('takes as many digits as values have decimals, or those asked for', () => {
  const text = formatPercentiles(recordedOnce([1000], { significantDigits: 2, highestTrackableValue: 2000 }));
  expect(parsePercentiles(text).histogram.layout.significantDigits).toBe(2);
  expect(parsePercentiles(text, { significantDigits: 4 }).histogram.layout.significantDigits).toBe(4);
});

test('reports that fractions are rounded', () => {
  const text = C_CSV.replace('10.000', '9.700');
  const { histogram, loss } = parsePercentiles(text);
  expect(histogram.countAt(10)).toBe(4);
  expect(loss.valueResolution).toBeCloseTo(0.3005);
});

test('counts values above the last row at the maximum', () => {
  const text = formatPercentiles(recordedOnce([25, 50, 75])).split('\n');
  const cut = text.filter((line) => !/^ +75/.test(line)).join('\n');
  const { histogram, loss } = parsePercentiles(cut);
  expect([histogram.totalCount, histogram.max, loss.beyondLastRow]).toEqual([3, 75, 1]);
});

test('counts no value above the last row below it, whatever the printed maximum is', () => {
  const text = `${HEAD}5.0 0 1 1\n7.0 0.5 3 2\n#[Mean = 6.0, StdDeviation = 1.0]\n#[Max = 6.9, Total count = 9]\n`;
  const { histogram, loss } = parsePercentiles(text);
  expect(slotsOf(histogram)).toEqual([
    [5, 1],
    [7, 8],
  ]);
  expect(loss).toMatchObject({ beyondLastRow: 6, interpolated: 1 });
});

test('knows that values up to 0 are 0, where the row of percentile 0 is missing', () => {
  const { histogram, loss } = parsePercentiles(`${HEAD}0.0 0.5 5 2\n3.0 1 6 inf\n`);
  expect(slotsOf(histogram)).toEqual([
    [0, 5],
    [3, 1],
  ]);
  expect(loss).toMatchObject({ interpolated: 0, maxRelativeError: 0 });
});

test('reads an empty histogram', () => {
  for (const format of ['text', 'csv'] as const) {
    const { histogram, loss } = parsePercentiles(formatPercentiles(recordedOnce([]), { format }));
    expect([histogram.totalCount, loss.interpolated, loss.beyondLastRow]).toEqual([0, 0, 0]);
  }
});

test('keeps the total count, the maximum and every printed percentile', () => {
  fc.assert(
    fc.property(
      recordings(2 ** 32),
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 10 }),
      fc.constantFrom(1, 10, 1000),
      fc.constantFrom('text' as const, 'csv' as const),
      (recording, significantDigits, ticksPerHalfDistance, valueScale, format) => {
        const original = recorded(recording, { autoResize: true, significantDigits });
        const text = formatPercentiles(original, { ticksPerHalfDistance, valueScale, format });
        const { histogram, loss } = parsePercentiles(text, { valueScale });
        expect(histogram.totalCount).toBe(original.totalCount);
        expect(loss.totalCount).toBe(original.totalCount);
        const within = (value: number, printed: number): void => {
          const allowed = loss.valueResolution + printed * (10 ** -significantDigits + 1e-12);
          expect(Math.abs(value - printed)).toBeLessThanOrEqual(allowed);
        };
        within(histogram.max, original.max);
        // The number of values up to the value of a row is that of the row, so its percentile is right.
        const counts = new Map<number, number>();
        for (const { value, totalCount } of readPercentileTable(text).rows) {
          counts.set(
            histogram.layout.upper(histogram.layout.slotOf(Math.round(value * valueScale))),
            totalCount,
          );
        }
        for (const [value, count] of counts) expect(histogram.countBetween(0, value)).toBe(count);
      },
    ),
    { numRuns: 60 },
  );
});

test.each([
  [
    '',
    'percentile text must have a line with Value, Percentile, TotalCount and 1/(1-Percentile): there is no such line',
  ],
  [
    `${HEAD}1 0.5`,
    'line 2: a row must be a value, a percentile, a total count and 1/(1-percentile), got "1 0.5"',
  ],
  [
    `${HEAD}1 0 1 1 1`,
    'line 2: a row must be a value, a percentile, a total count and 1/(1-percentile), got "1 0 1 1 1"',
  ],
  [`${HEAD}\nx 0 1 1`, 'line 3: the value must be a finite number of at least 0, got "x"'],
  [`${HEAD}-1 0 1 1`, 'line 2: the value must be a finite number of at least 0, got "-1"'],
  [`${HEAD}1e999 0 1 1`, 'line 2: the value must be a finite number of at least 0, got "1e999"'],
  [`${HEAD}1 50 1 1`, 'line 2: the percentile must be a number from 0 to 1, got "50"'],
  [`${HEAD}1 0 1.5 1`, 'line 2: the total count must be an integer from 0 to 2^53 - 1, got "1.5"'],
  [
    `${HEAD}1 0 9007199254740992 1`,
    'line 2: the total count must be an integer from 0 to 2^53 - 1, got "9007199254740992"',
  ],
  [`${HEAD}2 0 1 1\n1 0.5 2 2`, 'line 3: the value must be at least 2, as above, got "1"'],
  [`${HEAD}1 0.5 1 1\n2 0.4 2 2`, 'line 3: the percentile must be at least 0.5, as above, got "0.4"'],
  [`${HEAD}1 0 2 1\n2 0.5 1 2`, 'line 3: the total count must be at least 2, as above, got "1"'],
  [
    `${HEAD}1 0 2 1\n#[Max = 5, Total count = 1]`,
    'line 3: the total count below the rows must be at least 2, as in the last row, got "1"',
  ],
  [
    `${HEAD}1 0 2 1\n#[Max = 5, Total count = many]`,
    'line 3: the total count must be an integer from 0 to 2^53 - 1, got "many"',
  ],
])('refuses %j by its line', (text, message) => {
  expect(refusalOf(() => parsePercentiles(text))).toMatchObject({ code: 'ERR_DECODE', message });
});

test('refuses values beyond 2^53 - 1, and a scale outside its range', () => {
  expect(refusalOf(() => parsePercentiles(C_CSV, { valueScale: 1e15 }))).toMatchObject({
    code: 'ERR_VALUE_OUT_OF_RANGE',
    message: 'line 3: value times valueScale must be at most 2^53 - 1, got 10 times 1000000000000000',
  });
  for (const valueScale of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(refusalOf(() => parsePercentiles(C_CSV, { valueScale })).code).toBe('ERR_INVALID_OPTION');
  }
});

test('reads a footer line that is nearly one in linear time', () => {
  const nearly = `#[A=a,${' '.repeat(40_000)}!]`;
  const start = performance.now();
  parsePercentiles(`Value Percentile TotalCount 1/(1-Percentile)\n1 1 1\n${nearly}\n`);
  expect(performance.now() - start).toBeLessThan(1000);
});

test('the rows state the percentile that each aims at, also where several have one value', () => {
  const histogram = new Histogram({ highestTrackableValue: 100_000 });
  histogram.record(10, 100);
  histogram.record(42, 800);
  histogram.record(5000, 100);
  const { rows } = parsePercentiles(formatPercentiles(histogram, { valueScale: 10 }), { valueScale: 10 });
  const plateau = rows.filter(({ value }) => Math.round(value) === 42);
  expect(plateau.length).toBeGreaterThan(5);
  expect(plateau[0]!.percentile).toBeGreaterThan(10);
  expect(plateau[0]!.percentile).toBeLessThanOrEqual(20);
  for (const { totalCount } of plateau) expect(totalCount).toBe(900);
  expect(rows.at(-1)).toMatchObject({ percentile: 100, totalCount: 1000 });
});
