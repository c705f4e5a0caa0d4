import { compareRuns, formatPercentiles, Histogram } from '@hdrscope/core';
import type { Run } from '@hdrscope/core/internal';
import { parsePercentileText } from '../../src/index.ts';
import { recogniseText } from '../../src/parser.ts';

/** Nanoseconds from 50 µs to about a minute, most of them short. */
function recorded(significantDigits: number, count = 10_000): Histogram {
  const histogram = new Histogram({ highestTrackableValue: 3_600_000_000_000, significantDigits });
  for (let at = 1; at <= count; at++) histogram.record(Math.round(5e4 / (1 - (at - 0.5) / count) ** 1.3));
  return histogram;
}

const rowsOf = (text: string): string[] => text.split('\n').filter((line) => !line.startsWith('#'));

test.each([
  [1, 1e3],
  [2, 1e6],
  [3, 1e6],
  [4, 1e6],
  [3, 1],
  [3, 1e3],
])(
  'a histogram of %i digits prints again as it was printed, divided by %d',
  (significantDigits, valueScale) => {
    const text = formatPercentiles(recorded(significantDigits), { valueScale });
    const { histogram } = parsePercentileText(text, { valueScale });
    expect(histogram.layout.significantDigits).toBe(significantDigits);
    expect(rowsOf(formatPercentiles(histogram, { valueScale }))).toEqual(rowsOf(text));
  },
);

test('a histogram of five digits has the printed values within five digits', () => {
  const [original, valueScale] = [recorded(5), 1e6];
  const { histogram } = parsePercentileText(formatPercentiles(original, { valueScale }));
  for (const percentile of [0, 50, 75, 100]) {
    const value = original.valueAtPercentile(percentile);
    expect(Math.abs(histogram.valueAtPercentile(percentile) - value)).toBeLessThanOrEqual(5 + value / 5e4);
  }
});

test('printed values are kept if the printer had another layout', () => {
  // wrk2 counts microseconds, so these values do not end a slot of nanoseconds.
  const text = `
       Value   Percentile   TotalCount 1/(1-Percentile)
      12.351     0.000000           10         1.00
     123.519     1.000000           20          inf
`;
  const { histogram } = parsePercentileText(text);
  expect([histogram.min, histogram.max].map((value) => (value / 1e6).toFixed(3))).toEqual([
    '12.351',
    '123.519',
  ]);
});

test('every percentile lies between those of lowest and highest', () => {
  const original = recorded(3);
  const { lowest, highest, loss } = parsePercentileText(formatPercentiles(original, { valueScale: 1e6 }));
  expect([lowest.totalCount, highest.totalCount, loss.totalCount]).toEqual([10_000, 10_000, 10_000]);
  expect(loss.valueResolution).toBe(500);
  expect(loss.mean.printed).toBeCloseTo(original.mean, -3);
  for (let percentile = 0; percentile <= 100; percentile += 0.37) {
    const value = original.valueAtPercentile(percentile);
    expect(lowest.valueAtPercentile(percentile)).toBeLessThanOrEqual(value);
    expect(highest.valueAtPercentile(percentile)).toBeGreaterThanOrEqual(value);
  }
});

test('a comparison with printed percentiles shows a difference only if it exceeds the loss', () => {
  const original = recorded(3);
  const text = parsePercentileText(formatPercentiles(original, { valueScale: 1e6 }));
  const percentiles = [50, 75, 90, 97, 99, 99.8];
  const same = compareRuns([{ values: original }], [{ values: text }], { percentiles });
  expect(same.percentiles.map(({ change }) => change)).toEqual(
    percentiles.map(() => 'no significant difference'),
  );
  expect(Math.abs(same.percentiles[0]?.difference ?? 1e9)).toBeLessThanOrEqual(text.loss.valueResolution);

  const slower = new Histogram({ highestTrackableValue: 3_600_000_000_000 });
  for (const { valueIteratedTo, countAddedInThisIterationStep } of original.recordedValues()) {
    slower.record(valueIteratedTo * 2, countAddedInThisIterationStep);
  }
  const changeOf = (before: Run['values'], after: Run['values']) =>
    compareRuns([{ values: before }], [{ values: after }], { percentiles: [50] }).percentiles[0]!.change;
  expect([changeOf(text, slower), changeOf(slower, text)]).toEqual(['worse', 'better']);
});

test.each([
  ['a log', '#[StartTime: 1 (seconds since epoch)]\nTag=a,0.1,1.0,2.0,HISTFAAAACJ4', 'log'],
  ['percentile text', formatPercentiles(new Histogram()), 'percentiles'],
  ['CSV', `#[a note]\n${formatPercentiles(new Histogram(), { format: 'csv' })}`, 'percentiles'],
  [
    'the report of wrk2',
    '  Latency Distribution (HdrHistogram - Recorded Latency)\n 50.000%    6.67ms\n\n  Detailed Percentile spectrum:\n       Value   Percentile   TotalCount 1/(1-Percentile)\n',
    'percentiles',
  ],
  [
    'the report of wrk',
    '  Latency Distribution\n     50%  250.00us\n     99%    5.80ms\n',
    'percentiles without counts',
  ],
  ['a table without counts', 'Value,Percentile\n1,0.5\n', 'percentiles without counts'],
  [
    'a table of intervals',
    'Time: IntervalPercentiles:count ( 50% 90% Max ) TotalPercentiles:count',
    'percentiles per interval',
  ],
  ['no kind in a header alone', '#[StartTime: 1 (seconds since epoch)]\n"StartTimestamp",', undefined],
])('recognises %s', (_, text, kind) => {
  expect(recogniseText(text)).toBe(kind);
});
