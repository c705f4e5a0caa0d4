import { readFileSync } from 'node:fs';
import { openHistory } from '@hdrscope/history';
import { createRegistry } from '@hdrscope/registry';
import { lackOfBuild, testUnless } from '@hdrscope/testing';
import { shareDuckDb } from '@hdrscope/testing/shared-duckdb';
import { hdrscope, type World } from '../support/fake-io.ts';
import { faultsIn, type Schema } from '../support/json-schema.ts';
import { evenly, logText, useFolder } from '../support/logs.ts';

shareDuckDb();

const folder = useFolder();
const schema = JSON.parse(
  readFileSync(new URL('../../../../docs/formats/percentiles.schema.json', import.meta.url), 'utf8'),
) as Schema;

let history: string;
beforeAll(async () => {
  history = folder.pathOf('history');
  const text = logText([
    { tag: 'rpc?method="get"&status="200"', at: 0, ms: evenly(100) },
    { tag: 'rpc?method="get"&status="500"', at: 0, ms: [900] },
    { tag: 'rpc?method="put"&status="200"', at: 0, ms: evenly(10, 100) },
    { tag: 'rpc?method="get"&status="200"', at: 3600, ms: evenly(100, 2) },
  ]);
  await hdrscope(['history', 'import', folder.write('service.hlog', text), '-o', history]);
});

const query = (args: readonly string[], world: World = {}) => hdrscope(['query', history, ...args], world);

test('lists the metrics without --metric', async () => {
  expect(await query([])).toEqual({
    exitCode: 0,
    stdout: `\
metric  unit  series  rows  values  from                 to                   attributes
rpc     s          3     4     211  2017-07-14 02:40:00  2017-07-14 03:40:01  method, status
`,
    stderr: '',
  });
  expect(JSON.parse((await query(['--json'])).stdout)).toEqual({
    metrics: [
      {
        metric: 'rpc',
        unit: 's',
        resolution: 1e-9,
        attributes: ['method', 'status'],
        series: 3,
        rows: 4,
        count: 211,
        startSec: 1_500_000_000,
        endSec: 1_500_003_601,
      },
    ],
    missing: [],
  });
  expect((await query(['--format', 'csv'])).stdout).toBe(`\
metric,unit,series,rows,values,from,to,attributes
rpc,s,3,4,211,2017-07-14T02:40:00.000Z,2017-07-14T03:40:01.000Z,method status
`);
});

test('a row for each group', async () => {
  const { exitCode, stdout, stderr } = await query([
    ...['--metric', 'rpc', '--by', 'method', '--where', 'status=200', '--percentiles', '50,99,max'],
  ]);
  expect({ exitCode, stdout, stderr }).toEqual({
    exitCode: 0,
    stdout: `\
rpc, values in ms

method  count     min     mean      p50        p99        max
get       200   1.000   75.749   67.011    196.084    200.016
put        10  99.942  549.994  500.171  1,000.342  1,000.342
`,
    stderr: '',
  });
});

test('a row for each group and time', async () => {
  const { stdout } = await query([
    ...['--metric', 'rpc', '--every', '1h', '--percentiles', '50'],
    '--by',
    'method',
  ]);
  expect(stdout.split('\n').map((line) => line.replace(/ +/g, ' ').split(' ').slice(0, 4).join(' '))).toEqual(
    [
      'rpc, values in ms',
      '',
      'method start count min',
      'get 2017-07-14 02:00 101',
      'get 2017-07-14 03:00 100',
      'put 2017-07-14 02:00 10',
      '',
    ],
  );
  const days = await query(['--metric', 'rpc', '--every', '1d', '--percentiles', '50']);
  expect(days.stdout).toMatch(/\n2017-07-14 +211 /);
});

test('JSON has the bounds of slots, and distributions as all commands print them', async () => {
  const { stdout } = await query([
    '--metric',
    'rpc',
    '--by',
    'method',
    '--json',
    '--percentiles',
    '50,100,99',
  ]);
  const { groups, ...facts } = JSON.parse(stdout);
  expect(facts).toEqual({ metric: 'rpc', everySec: null, every: null, timeZone: 'UTC', missing: [] });
  for (const group of groups) expect(faultsIn(group, schema)).toEqual([]);
  expect(groups[1]).toMatchObject({
    name: 'method=put',
    unit: 'ms',
    count: 10,
    attributes: { method: 'put' },
    startSec: null,
    resolution: 1e-6,
  });
  const [p50, max, p99] = groups[1].percentiles;
  expect(p50.percentile).toBe(50);
  expect(p50.lower).toBeLessThanOrEqual(500);
  expect(p50.upper).toBeGreaterThanOrEqual(500);
  expect(p50.upper / p50.lower).toBeLessThan(1.001);
  expect([max.percentile, max.value, p99.percentile]).toEqual([100, groups[1].max.upper, 99]);
  const hours = JSON.parse((await query(['--metric', 'rpc', '--every', '1h', '--json'])).stdout);
  expect(hours.everySec).toBe(3600);
  expect(hours.groups.map(({ startSec }: { startSec: number }) => startSec)).toEqual([
    1499997600, 1500001200,
  ]);
});

test('CSV, and a file whose name says the form', async () => {
  const path = folder.pathOf('answer.csv');
  const args = ['--metric', 'rpc', '--by', 'status', '--every', '1h', '--percentiles', '50', '-o', path];
  expect(await query(args)).toEqual({ exitCode: 0, stdout: '', stderr: '' });
  const [header, first, ...others] = readFileSync(path, 'utf8').trim().split('\n');
  expect(header).toBe('status,start,count,min_ms,mean_ms,p50_ms,max_ms');
  expect(first).toMatch(/^200,2017-07-14T02:00:00\.000Z,110,0\.99\d*,[\d.]+,[\d.]+,[\d.]+$/);
  expect(others).toHaveLength(2);
});

test('a part of the time', async () => {
  const countOf = async (...args: string[]): Promise<number | undefined> => {
    const { stdout } = await query(['--metric', 'rpc', '--json', ...args]);
    return JSON.parse(stdout).groups[0]?.count;
  };
  expect(await countOf('--since', '2017-07-14T03:00:00Z')).toBe(100);
  expect(await countOf('--until', '2017-07-14 03:00:00')).toBe(111);
  expect(await countOf('--since', '1500003600', '--until', '1500003601')).toBe(100);
  expect(await countOf('--since', '36500d')).toBe(211);
  expect(await countOf('--since', '7d')).toBeUndefined();
  const { exitCode, stderr, stdout } = await query(['--metric', 'rpc', '--since', '7d']);
  expect([exitCode, stdout]).toEqual([0, '']);
  expect(stderr).toBe(
    'hdrscope: no values are selected: rpc has values from 2017-07-14 02:40:00.000 UTC to 2017-07-14 03:40:01.000 UTC\n',
  );
});

test('what the history does not have is named, with what it has', async () => {
  const errorOf = async (...args: string[]): Promise<string> => {
    const { exitCode, stdout, stderr } = await query(args);
    expect([exitCode, stdout]).toEqual([1, '']);
    return stderr;
  };
  expect(await errorOf('--metric', 'rcp')).toMatch(/has no metric 'rcp': did you mean rpc\?/);
  expect(await errorOf('--metric', 'other')).toMatch(/has no metric 'other': it has rpc\n/);
  expect(await errorOf('--metric', 'rpc', '--by', 'metod')).toMatch(
    /no series of rpc has an attribute 'metod': did you mean method\?/,
  );
  expect(await errorOf('--metric', 'rpc', '--where', 'host=a')).toMatch(
    /no series of rpc has an attribute 'host': it has method, status/,
  );
  const missing = await hdrscope(['query', folder.pathOf('missing')]);
  expect([missing.exitCode, missing.stderr]).toEqual([1, expect.stringContaining('missing')]);
  const empty = await hdrscope(['query', folder.pathOf('')]);
  expect(empty.stderr).toMatch(/has no rows of a history: hdrscope history import LOG -o /);
});

test.each([40, 80, 120])('fits on a terminal of %d columns', async (columns) => {
  for (const args of [[], ['--metric', 'rpc', '--by', 'method', '--by', 'status', '--every', '1h']]) {
    const { stdout } = await query(args, { isTerminal: true, columns, environment: { NO_COLOR: '1' } });
    expect(stdout.split('\n').filter((line) => line.length > columns)).toEqual([]);
  }
});

test('units and resolutions of one metric are never mixed', async () => {
  const path = folder.pathOf('units');
  for (const options of [{ unit: 's' }, { unit: 's', resolution: 1e-6 }, { unit: 'By' }, { unit: 'Cel' }]) {
    const registry = createRegistry();
    registry
      .histogram({ name: 'mixed', ...options })
      .with({})
      .record(2);
    await (await openHistory(registry, { folder: path })).close();
  }
  const { stdout } = await hdrscope(['query', path, '--metric', 'mixed', '--percentiles', '50']);
  expect(stdout).toContain('mixed, values in bytes');
  expect(stdout).toContain('mixed, values in Cel');
  expect(stdout).toMatch(/1e-9 s +1 +2,000\.000|1e-9 s +1 +[12],/);
  expect(stdout.match(/values in ms/g)).toHaveLength(1);
  const csv = await hdrscope(['query', path, '--metric', 'mixed', '--format', 'csv', '--percentiles', '50']);
  expect(csv.stdout.split('\n')[0]).toBe('step,unit,count,min,mean,p50,max');
  const json = JSON.parse((await hdrscope(['query', path, '--metric', 'mixed', '--json'])).stdout);
  for (const group of json.groups) expect(faultsIn(group, schema)).toEqual([]);
});

test('draws percentiles over time, and curves of groups', async () => {
  const overTime = [
    '--metric',
    'rpc',
    '--every',
    '1h',
    '--plot',
    '--format',
    'json',
    '--percentiles',
    '50,99',
  ];
  const time = JSON.parse((await query([...overTime, '--by', 'method'])).stdout);
  expect(time).toMatchObject({
    kind: 'over-time',
    title: 'rpc',
    unit: 'ms',
    timesMs: [1_499_997_600_000, 1_500_001_200_000],
    totalCount: 211,
  });
  expect(time.lines.map(({ name }: { name: string }) => name)).toEqual([
    'method=get p50',
    'method=get p99',
    'method=put p50',
    'method=put p99',
  ]);
  expect(time.lines[2].values[1]).toBeNull();
  const curves = JSON.parse((await query(['--metric', 'rpc', '--plot', '--json', '--by', 'method'])).stdout);
  expect(curves).toMatchObject({ kind: 'percentiles', unit: 'ms', title: 'rpc' });
  expect(curves.curves.map(({ name, totalCount }: never) => [name, totalCount])).toEqual([
    ['method=get', 201],
    ['method=put', 10],
  ]);
  const text = await query(['--metric', 'rpc', '--plot', '--height', '8']);
  expect([text.exitCode, text.stdout]).toEqual([0, expect.stringContaining('211 values')]);
  for (const ending of ['svg', 'png']) await drawTo(ending);
});

// A page of HTML has a script that is built.
testUnless(lackOfBuild('plot', 'dist/browser'))('draws percentiles over time as HTML', () => drawTo('html'));

async function drawTo(ending: string): Promise<void> {
  const path = folder.pathOf(`picture.${ending}`);
  expect(await query(['--metric', 'rpc', '--every', '1h', '-o', path])).toEqual({
    exitCode: 0,
    stdout: '',
    stderr: '',
  });
  expect(readFileSync(path).length).toBeGreaterThan(1000);
}

test('the curve that is drawn is read by hdrscope plot', async () => {
  const { stdout } = await query(['--metric', 'rpc', '--plot', '--json']);
  expect(await hdrscope(['plot', '-', '--height', '8'], { stdin: stdout })).toMatchObject({
    exitCode: 0,
    stderr: '',
  });
});

test('prints the statement, and asks nothing', async () => {
  const sql = async (...args: string[]): Promise<string> => {
    const { exitCode, stdout, stderr } = await hdrscope(['query', ...args, '--metric', 'rpc', '--print-sql']);
    expect([exitCode, stderr]).toEqual([0, '']);
    return stdout;
  };
  expect(await sql('nowhere', '--by', 'method')).toContain("read_parquet('nowhere/*/*.parquet'");
  expect(await sql('s3://logs', '--dialect', 'spark')).toContain('parquet.`s3://logs`');
  expect(await sql('--dialect', 'postgres')).toContain('FROM "history"');
  expect(await sql('--dialect', 'clickhouse', '--table', 'metrics.history')).toContain('`metrics`.`history`');
  expect(await sql('--table', "it's", '--where', "a'b=c'd")).toContain("c''d");
});

test.each([
  [['--print-sql'], '--print-sql goes with --metric'],
  [['--metric', 'rpc', '--dialect', 'spark'], '--dialect goes with --print-sql'],
  [['--metric', 'rpc', '--print-sql', '--json'], '--print-sql prints a statement'],
  [['--metric', 'rpc', '--print-sql', '--table', 'a'], 'the rows are in the folder or in --table'],
  [['--metric', 'rpc', '--plot', '--format', 'csv'], '--plot and --format csv exclude each other'],
  [['--metric', 'rpc', '--plot', '-o', 'x.csv'], '--plot and --output x.csv exclude each other'],
  [['--metric', 'rpc', '--since', '1d', '--until', '2d'], '--since must be before --until'],
  [['--metric', 'rpc', '--since', 'yesterday'], '--since must be a duration (90d, 12h), a date'],
  [['--metric', 'rpc', '--where', 'status'], '--where must be key=value'],
  [['--metric', 'rpc', '--where', 'a=1', '--where', 'a=2'], '--where a must have one value'],
  [['--metric', 'rpc', '--dialect', 'oracle', '--print-sql'], '--dialect must be duckdb, clickhouse'],
])('refuses %j', async (args, message) => {
  const { exitCode, stdout, stderr } = await query(args);
  expect([exitCode, stdout]).toEqual([2, '']);
  expect(stderr).toContain(message);
});

test('options that ask about a metric ask about the only one, and name several', async () => {
  const only = await query(['--by', 'method', '--percentiles', '99']);
  expect(only).toEqual(await query(['--metric', 'rpc', '--by', 'method', '--percentiles', '99']));
  expect((await query(['--percentiles', '99'])).stdout).toMatch(/ p99 +max\n/);
  expect((await query(['--format', 'svg'])).stdout).toMatch(/^<svg /);
  const two = folder.pathOf('two-metrics');
  const text = logText(['rpc?route="a"', 'job'].map((tag) => ({ tag, at: 0, ms: [10] })));
  await hdrscope(['history', 'import', folder.write('two.hlog', text), '-o', two]);
  const asked = [
    ['--by', '--by', 'route'],
    ['--percentiles', '--percentiles', '50'],
    ['--plot', '--plot'],
    ['--output x.png', '-o', 'x.png'],
    ['--format svg', '--format', 'svg'],
  ] as const;
  for (const [option, ...args] of asked) {
    const { exitCode, stderr } = await hdrscope(['query', two, ...args]);
    expect([exitCode, stderr]).toEqual([
      2,
      `hdrscope: ${option} goes with --metric: ${two} has rpc, values\n`,
    ]);
  }
});

test('a folder is needed', async () => {
  const { exitCode, stderr } = await hdrscope(['query', '--metric', 'rpc']);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('the folder of a history is missing')]);
});
