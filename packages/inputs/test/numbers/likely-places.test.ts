import { listNumberPlaces, type NumberPlaces } from '../../src/index.ts';

/** The likely columns of a table with rows of random-looking numbers. */
function likelyOf(titles: string): NumberPlaces['likely'] | undefined {
  const rows = Array.from({ length: 20 }, (_, row) =>
    titles.split(',').map((_title, at) => ((row + 1) * 7919 * (at + 3)) % 1009),
  );
  return listNumberPlaces(`${titles}\n${rows.map((row) => `${row.join()}\n`).join('')}`)?.likely;
}

test.each([
  ['id,elapsed,bytes', [{ name: 'elapsed' }]],
  ['value,other', [{ name: 'value' }]],
  ['wait,other', [{ name: 'wait' }]],
  ['dns_ms,total_time_ms', [{ name: 'total_time_ms', unit: 'ms' }]],
  [
    'dns_ms,connect_ms',
    [
      { name: 'dns_ms', unit: 'ms' },
      { name: 'connect_ms', unit: 'ms' },
    ],
  ],
  ['latencyMicros,bytes', [{ name: 'latencyMicros', unit: 'us' }]],
  ['elapsed [s],n', [{ name: 'elapsed [s]', unit: 's' }]],
  ['Time in ms,n', [{ name: 'Time in ms', unit: 'ms' }]],
  ['worker_duration_ms,bytes', [{ name: 'worker_duration_ms', unit: 'ms' }]],
  ['end_to_end_latency,bytes', [{ name: 'end_to_end_latency' }]],
  // A rate, although it ends with a second.
  ['requests_sec,x', [{ name: 'requests_sec' }, { name: 'x' }]],
  ['req/s,x', [{ name: 'x' }]],
  ['latency_percentile,x', [{ name: 'x' }]],
  ['start_time,status', []],
  ['mean_ms,max_ms,latency', []],
  ['foo,bar', [{ name: 'foo' }, { name: 'bar' }]],
])('of the columns %s, %j are likely', (titles, likely) => {
  expect(likelyOf(titles)).toEqual(likely);
});

/** The likely places of a text with a line for each of 20 random-looking numbers. */
function likelyIn(titles: string, lineOf: (value: number, row: number) => string): string[] | undefined {
  const rows = Array.from({ length: 20 }, (_, row) => `${lineOf(((row + 1) * 7919) % 97, row)}\n`);
  return listNumberPlaces(`${titles}${rows.join('')}`)?.likely.map(({ name }) => name);
}

test.each<[string, string, (value: number, row: number) => string]>([
  ['with decimal commas', 'path,latency,bytes\n', (value) => `/a,"${value},5",${value * 3}`],
  ['that lack in some rows', 'latency,bytes\n', (value, row) => `${row === 3 ? 'n/a' : value},${value * 3}`],
  ['below 0', 'change,bytes\n', (value, row) => `${row === 3 ? -value : value},${value * 3}`],
  ['in several parts', '', (value) => `a 0/0/${value} ${value * 3}`],
  ['with more text', '', (value) => `BenchmarkX-8\t${value * 1000}\t${value}.5 ns/op`],
  ['in strings', '', (value) => JSON.stringify({ latency: `${value},5`, bytes: value })],
])('durations %s are not counted, and nothing beside them is likely', (_, titles, lineOf) => {
  expect(likelyIn(titles, lineOf)).toEqual([]);
});

test.each<[string, string, (value: number, row: number) => string]>([
  ['counts of slots', 'latency_ms,count\n', (value, row) => `${row * 10},${value}`],
  ['figures of several requests', 'path,latency,requests\n', (value) => `/a,${value},${value * 3}`],
  ['several metrics', 'metric,value\n', (value, row) => `${row % 2 ? 'wait' : 'size'},${value}`],
  ['several units', 'latency,latency_unit\n', (value, row) => `${value},${row % 2 ? 'ms' : 'us'}`],
  ['totals of statements', 'calls,total_time,x\n', (value) => `${value % 7},${value},${value % 5}`],
])('no column is likely in a table of %s', (_, titles, lineOf) => {
  expect(likelyIn(titles, lineOf)).toEqual([]);
});

test.each<[string, string, (value: number, row: number) => string, string[]]>([
  ['a moment', 'request_time,bytes\n', (value) => `${1_795_380_746_000 - value},${value * 3}`, ['bytes']],
  ['a clock', 'run_time,wait\n', (value, row) => `${row * 100},${value}`, ['wait']],
  ['a share of vmstat', 'us,sy\n', (value) => `${value % 50},${value % 7}`, ['us', 'sy']],
  ['a setting', 'duration,actual_ms\n', (value) => `500,${value}`, ['actual_ms']],
  ['a limit', 'target_latency,actual_ms\n', (value) => `${value * 3},${value}`, ['actual_ms']],
  ['a duration of 200 to 206 ms', '', (value) => `a ${200 + (value % 7)} ${value}`, ['2', '3']],
  ['a status of nginx', '', (value, row) => `a ${row % 2 ? 499 : 200} ${value}`, ['3']],
])('%s is what it is, whatever its name', (_, titles, lineOf, likely) => {
  expect(likelyIn(titles, lineOf)).toEqual(likely);
});

test('a value with its unit needs none', () => {
  expect(listNumberPlaces('path,latency_ms\n/a,1.5s\n/b,20ms\n')?.likely).toEqual([{ name: 'latency_ms' }]);
});

test('the fields of a document of several lines cannot be counted', () => {
  expect(listNumberPlaces('{\n  "latency": 5\n}\n')).toEqual({
    kind: 'field',
    names: ['latency'],
    likely: [],
  });
});
