import {
  askAnswer,
  askComparison,
  askExplanation,
  askGroups,
  askHistoryPlots,
  type HistoryMetricJson,
  isParquet,
  placeFiles,
} from '../browser/history.ts';

const metric = (more: Partial<HistoryMetricJson>): HistoryMetricJson => ({
  ...{ metric: 'rpc', attributes: ['route'], series: 2, rows: 120, startSec: 0, endSec: 3600 },
  ...more,
});

test('a Parquet file is known by its first bytes, whatever its name is', async () => {
  expect(await isParquet(new Blob(['PAR1...']))).toBe(true);
  expect(await isParquet(new Blob(['PAR']))).toBe(false);
});

test('files of two days with one name are two files of the history', () => {
  const blob = new Blob([]);
  const files = placeFiles([
    { name: 'a.parquet', blob },
    { name: 'a.parquet', blob },
  ]);
  expect([...files.keys()]).toEqual(['history/a.parquet', 'history/2-a.parquet']);
});

test('asks for the groups of an attribute', () => {
  expect(askGroups({ metric: 'rpc', by: 'route' }).words).toEqual([
    ...['history', '--metric', 'rpc', '--by', 'route', '--json'],
  ]);
});

test.each([
  // 60 intervals of a minute.
  [metric({}), '1m'],
  // A year of minutes: 240 stretches have 36 hours each.
  [metric({ rows: 2 * 525_600, endSec: 525_600 * 60 }), '7d'],
  // Intervals of an hour, however short the time is.
  [metric({ rows: 4, endSec: 7200 }), '1h'],
])('draws over time in stretches that have whole intervals', (asked, every) => {
  const plots = askHistoryPlots({ metric: 'rpc', by: undefined }, [asked]);
  const words = plots.map((plot) => plot.words.join(' '));
  expect(words).toEqual([
    'history --metric rpc --kind percentiles --json',
    `history --metric rpc --kind over-time --percentiles 50,99 --every ${every} --json`,
    'history --metric rpc --kind heat-map --json',
  ]);
});

test('compares and explains the same length of time before and after a moment', () => {
  const division = { changedSec: 1_773_151_200.5, lengthSec: 600, percentile: '99' };
  const ranges =
    '--before 2026-03-10T13:50:00.500/2026-03-10T14:00:00.500 --after 2026-03-10T14:00:00.500/2026-03-10T14:10:00.500';
  const choices = { metric: 'rpc', by: 'route' };
  expect(askExplanation(choices, division).words.join(' ')).toBe(
    `history --metric rpc --percentile 99 ${ranges}`,
  );
  expect(askComparison(choices, division)).toEqual({
    command: 'query',
    words: `history --metric rpc ${ranges}`.split(' '),
  });
});

test('writes the groups of an attribute to a file, of all the time or of each stretch of it', () => {
  const choices = { metric: 'rpc', by: 'route' };
  const words = ['history', '--metric', 'rpc', '--by', 'route'];
  expect(askAnswer(choices, [metric({})], { form: 'csv', isOverTime: false })).toEqual({
    ...{ command: 'query', words, output: 'rpc.csv' },
  });
  expect(askAnswer(choices, [metric({})], { form: 'json', isOverTime: true })).toEqual({
    ...{ command: 'query', words: [...words, '--every', '1m'], output: 'rpc.json' },
  });
});
