import { OSD_DUMP } from '@hdrscope/testing/osd';
import { shareDuckDb } from '@hdrscope/testing/shared-duckdb';
import { command as ebpfWatch } from '../src/commands/ebpf/watch.ts';
import { dumpOf, serveDumps } from './support/ceph-daemon.ts';
import { hdrscope } from './support/fake-io.ts';
import { fakeKernel, frameOf, runWith } from './support/fake-kernel.ts';
import { evenly, logText, useFolder } from './support/logs.ts';

shareDuckDb();

const folder = useFolder();

const LOG = logText([
  { tag: 'get', at: 0, ms: evenly(100) },
  { tag: 'idle', at: 1, ms: [] },
]);

const print = (...args: string[]) => hdrscope(args, { stdin: LOG });

let history: string;
beforeAll(async () => {
  history = folder.pathOf('history');
  await hdrscope(['history', 'import', folder.write('a.hlog', LOG), '-o', history, '--metric', 'rpc']);
});

const query = (...args: string[]) => print('query', history, '--metric', 'rpc', '--by', 'tag', ...args);

test('log summary prints the columns that --columns names, in their order', async () => {
  expect(await print('log', 'summary', '-', '--columns', 'max,count, p99,rate,p50')).toEqual({
    exitCode: 0,
    stdout: `\
start 2017-07-14 02:40:00.000 UTC, values in ms

tag       max  count     p99  rate/s     p50
get   100.008    100  99.025   100.0  50.004
idle        -      0       -     0.0       -
`,
    stderr: '',
  });
  const { stdout } = await print(
    'log',
    'summary',
    '-',
    '--markdown',
    '--tag',
    'get',
    '--columns',
    'mean,p90',
  );
  expect(stdout.split('\n').slice(2)).toEqual([
    '| tag | mean | p90 |',
    '|---|--:|--:|',
    '| get | 50.499 | 90.046 |',
    '',
  ]);
});

test('log convert writes the columns that --columns names', async () => {
  const { stdout } = await print('log', 'convert', '-', '--format', 'csv', '--columns', 'rate,p99,count');
  expect(stdout.split('\n').map((line) => line.split(',').slice(0, 6).join())).toEqual([
    'start_s,end_s,tag,rate_per_s,p99_ms,count',
    '1500000000,1500000001,get,100,99.024895,100',
    '1500000001,1500000002,idle,0,,0',
    '',
  ]);
});

test('query prints the columns that --columns names', async () => {
  expect((await query('--columns', 'p99,mean')).stdout).toBe(`\
rpc, values in ms

tag     p99    mean
get  99.025  50.499
`);
  expect((await query('--format', 'csv', '--columns', 'p0,count')).stdout).toMatch(
    /^tag,p0_ms,count\nget,0\.9\d+,100\n$/,
  );
});

test.each([
  ['p99,maen', "--columns has no column 'maen': did you mean mean?"],
  [
    'sum',
    "--columns has no column 'sum': the columns are count, rate, min, mean, max, stdev and percentiles, as in count,mean,p99",
  ],
  [
    'p101',
    "--columns has no column 'p101': the columns are count, rate, min, mean, max, stdev and percentiles, as in count,mean,p99",
  ],
  [
    '',
    "--columns has no column '': the columns are count, rate, min, mean, max, stdev and percentiles, as in count,mean,p99",
  ],
])('--columns %p is refused', async (columns, message) => {
  const ran = await print('log', 'summary', '-', '--columns', columns);
  expect(ran).toEqual({ exitCode: 2, stdout: '', stderr: expect.stringContaining(`hdrscope: ${message}\n`) });
});

test('prints the standard deviation', async () => {
  const { stdout } = await print('log', 'summary', '-', '--columns', 'count,mean,stdev,p99');
  expect(stdout.split('\n').slice(2)).toEqual([
    'tag   count    mean   stdev     p99',
    // That of the integers from 1 to 100 is the root of (100² - 1) / 12: 28.866.
    'get     100  50.499  28.866  99.025',
    'idle      0       -       -       -',
    '',
  ]);
});

const cellsOf = (text: string): string[][] => text.split('\n').map((line) => line.trim().split(/ {2,}/));

test('log tail prints the columns that --columns names', async () => {
  const { stdout } = await print('log', 'tail', '-', '--columns', 'stdev,rate,p50,count');
  expect(cellsOf(stdout).map((cells) => cells.slice(-4))).toEqual([
    ['stdev', 'rate/s', 'p50 ms', 'count'],
    ['28.866', '100.0', '50.004', '100'],
    ['-', '0.0', '-', '0'],
    [''],
  ]);
});

test('ceph dump and ceph watch print bounds in the columns that --columns names', async () => {
  const dump = await hdrscope(['ceph', 'dump', '-', '--columns', 'count,max,p0'], { stdin: OSD_DUMP });
  expect(cellsOf(dump.stdout).slice(1)).toEqual([
    ['axis', 'count', 'max', 'p0'],
    ['Latency (usec)', '62,049', '6.4 to 12.8 ms', '0 to 100 µs'],
    ['Request size (bytes)', '62,049', '4 to 8 KiB', '0 to 512 B'],
    [''],
  ]);
  const { path } = await serveDumps(folder.pathOf('osd.asok'), [dumpOf([0, 1, 0]), dumpOf([0, 3, 9])]);
  const args = ['ceph', 'watch', path, '-n', '1', '--interval', '10ms', '--columns', 'min,count'];
  expect(cellsOf((await hdrscope(args)).stdout)).toEqual([
    ['min', 'count', 'histogram and axis'],
    ['0 to 8', '11', 'osd.op: Depth'],
    [''],
  ]);
});

test('ebpf watch prints the sum of the program as a mean', async () => {
  const frames = [
    frameOf([1, 0, 0, 0, 0, 0, 0, 0], { sums: [0] }),
    frameOf([3, 1, 1, 0, 0, 0, 0, 0], { sums: [5] }),
  ];
  const args = [
    '/p',
    '--layout',
    'queue-depth',
    '-n',
    '1',
    '--interval',
    '1ms',
    '--columns',
    'count,mean,max',
  ];
  const { stdout } = await runWith(ebpfWatch, args, fakeKernel({ frames }));
  expect(cellsOf(stdout)).toEqual([
    ['count', 'mean', 'max', 'histogram'],
    ['4', '1.25', '2 to 4', 'queue_hist'],
    [''],
  ]);
});

test.each(['rate', 'stdev'])('a history has no %s', async (name) => {
  const { exitCode, stderr } = await query('--columns', name);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(
    `--columns has no column '${name}': the columns are count, min, mean, max and percentiles`,
  );
});

test('--columns is refused where it has no effect', async () => {
  const table = '--columns goes with a table: other formats have all figures';
  const columns = ['--columns', 'mean'];
  for (const run of [
    print('log', 'summary', '-', '--json', ...columns),
    print('log', 'convert', '-', '--format', 'ndjson', ...columns),
    print('log', 'tail', '-', '--json', ...columns),
    print('ceph', 'dump', '-', '--json', ...columns),
    query('--json', ...columns),
    query('--plot', ...columns),
    query('--print-sql', ...columns),
    query('--kind', 'comparison', ...columns),
  ]) {
    expect(await run).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining(table) });
  }
  const both = await print('log', 'summary', '-', '--percentiles', '50', ...columns);
  expect(both.stderr).toContain('--columns names the percentiles, as in count,p99: leave --percentiles out');
});
