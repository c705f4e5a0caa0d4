import { readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { Histogram } from '@hdrscope/core';
import { jmeterTable, k6Points } from '@hdrscope/testing/load-samples';
import { hdrscope } from '../support/fake-io.ts';
import { useFolder } from '../support/logs.ts';

const folder = useFolder();
const golden = (name: string): string =>
  readFileSync(new URL(`../../../inputs/test/load/goldens/${name}`, import.meta.url), 'utf8');

const APACHE = '%h %l %u %t \\"%r\\" %>s %O \\"%{Referer}i\\" \\"%{User-Agent}i\\" %D %T %{ms}T';

const line = (path: string, ms: number, status = 200): string =>
  `10.0.0.1 - - [28/Nov/2026:21:00:00 +0000] "GET ${path} HTTP/1.1" ${status} 5 "-" "x" ${(ms / 1000).toFixed(3)}\n`;

test('shows the routes of an access log, with the bounds that a clock of milliseconds leaves', async () => {
  const log = [3, 4, 5].map((ms) => line(`/cart/${ms}`, ms)).join('') + line('/health', 1, 503);
  const path = folder.write('access.log', log);
  const { exitCode, stdout, stderr } = await hdrscope([
    'record',
    path,
    '--by',
    'route',
    '--percentiles',
    '50,99',
  ]);
  expect([exitCode, stderr]).toEqual([
    0,
    'hdrscope: durations of nginx may be 1 ms off, so their percentiles have bounds\n',
  ]);
  expect(stdout).toBe(`4 requests of ${path} by route, in ms

route      failed  count            mean             p50             p99             max
/cart/:id       0      3  3.000 to 5.000  3.000 to 5.000  4.000 to 6.000  4.000 to 6.000
/health         1      1  0.000 to 2.000  0.000 to 2.000  0.000 to 2.000  0.000 to 2.000
`);
});

test('counts files of one form together, plain and gzipped', async () => {
  const [a, b] = [folder.write('a.log', line('/a', 3)), folder.pathOf('b.log.gz')];
  writeFileSync(b, gzipSync(line('/a', 5) + line('/b', 7)));
  const { stdout } = await hdrscope(['record', a, b, '--by', 'path', '--json']);
  const { groups } = JSON.parse(stdout);
  expect(groups.map(({ labels, count }: { labels: object; count: number }) => [labels, count])).toEqual([
    [{ path: '/a' }, 2],
    [{ path: '/b' }, 1],
  ]);
});

test('takes the format of a server, and chooses requests by a label', async () => {
  const path = folder.write('apache.log', golden('apache-2.4.71.log'));
  const { exitCode, stdout } = await hdrscope([
    ...['record', path, '--log-format', APACHE, '--by', 'method', '--where', 'route=/health', '--json'],
  ]);
  const counts = JSON.parse(stdout).groups.map((one: { labels: object; count: number }) => [
    one.labels,
    one.count,
  ]);
  expect([exitCode, counts]).toEqual([
    0,
    [
      [{ method: 'GET' }, 7],
      [{ method: 'POST' }, 1],
    ],
  ]);
});

test('counts the requests of a load test as one distribution, in all formats', async () => {
  const path = folder.write('k6.json', k6Points([{ ms: 1.5 }, { ms: 20.25 }]));
  const { stdout, stderr } = await hdrscope(['record', path, '--format', 'base64']);
  const expected = new Histogram();
  expected.recordValues([1_500_000, 20_250_000]);
  expect([Histogram.decode(stdout.trim()).equals(expected), stderr]).toEqual([true, '']);
});

test('groups a table of requests by a column', async () => {
  const path = folder.write('jmeter.jtl', jmeterTable([{ ms: 3 }, { ms: 4, status: 500 }]));
  const { groups } = JSON.parse((await hdrscope(['record', path, '--by', 'responseCode', '--json'])).stdout);
  expect(groups.map(({ labels, failed }: { labels: object; failed: number }) => [labels, failed])).toEqual([
    [{ responseCode: '200' }, 0],
    [{ responseCode: '500' }, 1],
  ]);
});

test('shows what fio has counted by job, operation and latency, and adds up no two latencies', async () => {
  const path = folder.write('fio.json', golden('fio-3.33.json'));
  const { stdout, stderr, exitCode } = await hdrscope(['record', path]);
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^\S+fio\.json by job, op, latency, in ms\n\njob +op +latency +count +mean +p50 /);
  expect(stdout).toMatch(/^mixed +read +clat +[\d,]+ /m);
  const { groups } = JSON.parse((await hdrscope(['record', path, '--by', 'op', '--json'])).stdout);
  expect(groups.map(({ name }: { name: string }) => name)).toEqual([
    'read clat',
    'read lat',
    'write clat',
    'write lat',
    'sync lat',
  ]);
});

test('check judges each kind of operation of fio, and an access log whose format is stated', async () => {
  const fio = folder.write('fio.json', golden('fio-3.33.json'));
  const { stdout, exitCode } = await hdrscope(['check', fio, '--slo', 'p50=1s']);
  expect([exitCode, stdout.match(/^\S+fio\.json \w+ \w+ c?lat \(/gm)?.length]).toEqual([0, 7]);
  const apache = folder.write('apache.log', golden('apache-2.4.71.log'));
  const judged = await hdrscope([
    'check',
    apache,
    '--log-format',
    APACHE,
    '--slo',
    'p50=1s',
    '--max-errors',
    '10%',
  ]);
  expect([judged.exitCode, judged.stdout]).toEqual([1, expect.stringContaining('8 of 40 requests failed')]);
});

test.each([
  [['--by', 'rout'], 2, /the requests have no label rout: there are method, route, path, status, /],
  [['--by', 'route', '--format', 'hgrm'], 2, /--format hgrm is of all requests of one file/],
  [['--unit', 'ms'], 2, /--unit is for numbers, and \S+ has its own unit: leave it out/],
  [['--log-format', '$status'], 2, /the format of an access log must be one with the duration of a request/],
  [['--where', 'status=418'], 1, /has no values to count/],
])('%j is refused in one sentence', async (args, code, message) => {
  const path = folder.write('refused.log', line('/a', 3));
  const { exitCode, stdout, stderr } = await hdrscope(['record', path, ...args]);
  expect([exitCode, stdout]).toEqual([code, '']);
  expect(stderr).toMatch(message);
  expect(
    stderr
      .trim()
      .split('\n')
      .filter((text) => !text.startsWith('hdrscope: durations')).length,
  ).toBe(1);
});

test.each([
  ['numbers beside requests', '1\n2\n', /has numbers, and others have requests: record them separately/],
  [
    'requests of another form',
    jmeterTable([{ ms: 3 }]),
    /is nginx log and \S+ is jmeter table: record them separately/,
  ],
])('%s are refused', async (_, text, message) => {
  const paths = [folder.write('one.log', line('/a', 3)), folder.write('other', text)];
  const { exitCode, stderr } = await hdrscope(['record', ...paths]);
  expect([exitCode, stderr]).toEqual([1, expect.stringMatching(message)]);
});

test('numbers have no labels', async () => {
  const { exitCode, stderr } = await hdrscope(['record', '--by', 'route'], { stdin: '1\n2\n' });
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('--by is for access logs and load tests')]);
});

test('a damaged line is named, left out, and makes the exit code 1; the others are shown', async () => {
  const path = folder.write('bad.log', `${line('/a', 3)}<html>\n${line('/a', 4)}`);
  const { exitCode, stdout, stderr } = await hdrscope(['record', path, '--by', 'route', '--json']);
  expect([exitCode, JSON.parse(stdout).groups[0].count]).toEqual([1, 2]);
  expect(stderr).toContain('bad.log: line 2 must be a request in the format of the log\n');
});

test('hdrscope FILE shows the routes of an access log, and what fio has counted', async () => {
  const log = await hdrscope([folder.write('shown.log', line('/cart/7', 3))]);
  expect(log.stdout).toMatch(
    / by route, in ms\n[\s\S]*\/cart\/:id[\s\S]*next:\n {2}hdrscope record \S+ --by status\n/,
  );
  const fio = await hdrscope([folder.write('shown.json', golden('fio-3.33.json'))]);
  expect(fio.stdout).toMatch(/ by job, op, latency, in ms\n[\s\S]*next:\n {2}hdrscope check /);
});

test('diff and plot take the format of a server', async () => {
  const path = folder.write('apache.log', golden('apache-2.4.71.log'));
  const compared = await hdrscope([
    'diff',
    path,
    path,
    '--log-format',
    APACHE,
    '--percentiles',
    '50',
    '--no-plot',
  ]);
  expect([compared.exitCode, compared.stdout]).toEqual([0, expect.stringContaining('(40 values')]);
  const drawn = await hdrscope(['plot', path, '--log-format', APACHE, '--json']);
  expect([drawn.exitCode, JSON.parse(drawn.stdout).curves?.length]).toEqual([0, 1]);
  const wrong = await hdrscope(['plot', path, '--log-format', '$status', '--json']);
  expect([wrong.exitCode, wrong.stderr]).toEqual([
    2,
    expect.stringContaining('with the duration of a request'),
  ]);
});
