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
