import { readFileSync } from 'node:fs';
import { historySql } from '@hdrscope/history';
import { shareDuckDb } from '@hdrscope/testing/shared-duckdb';
import { hdrscope, type World } from '../support/fake-io.ts';
import { writeHistory } from '../support/history-rows.ts';
import { faultsIn, readSchema } from '../support/json-schema.ts';
import { useFolder } from '../support/logs.ts';

shareDuckDb();

const folder = useFolder();
let history: string;
beforeAll(async () => {
  history = folder.pathOf('history');
  // Times of UTC: in Berlin, it is an hour later before 29 March, and two hours later after it.
  await writeHistory(history, [
    ['2026-02-28T22:59', { route: '/pay' }, { 10: 1 }],
    ['2026-02-28T23:00', { route: '/pay' }, { 10: 2 }],
    ['2026-03-28T22:30', { route: '/pay' }, { 10: 4 }],
    ['2026-03-28T23:30', { route: '/pay' }, { 10: 8 }],
    ['2026-03-29T21:30', { route: '/pay' }, { 10: 16 }],
    ['2026-03-29T22:30', { route: '/pay' }, { 10: 32 }],
  ]);
});

const query = (args: readonly string[], world: World = {}) =>
  hdrscope(['query', history, '--metric', 'rpc', '--percentiles', '50', ...args], world);
const BERLIN = ['--time-zone', 'Europe/Berlin'];

test('days, weeks and months of a zone, with the offset of their first moment', async () => {
  const tableOf = async (every: string): Promise<string[]> => {
    const { stdout, stderr } = await query(['--every', every, ...BERLIN]);
    expect(stderr).toBe('');
    return stdout.split('\n').map((line) => line.split(/ {2,}/).slice(0, 2).join('  '));
  };
  expect(await tableOf('1d')).toEqual([
    'rpc, values in ms, times of Europe/Berlin',
    '',
    'start  count',
    '2026-02-28 00:00 +01:00  1',
    '2026-03-01 00:00 +01:00  2',
    '2026-03-28 00:00 +01:00  4',
    '2026-03-29 00:00 +01:00  24',
    '2026-03-30 00:00 +02:00  32',
    '',
  ]);
  expect((await tableOf('1w')).slice(3, -1)).toEqual([
    '2026-02-23 00:00 +01:00  3',
    '2026-03-23 00:00 +01:00  28',
    '2026-03-30 00:00 +02:00  32',
  ]);
  expect((await tableOf('1mo')).slice(3, -1)).toEqual([
    '2026-02-01 00:00 +01:00  1',
    '2026-03-01 00:00 +01:00  62',
  ]);
  expect((await tableOf('12h')).slice(-4, -1)).toEqual([
    '2026-03-29 00:00 +01:00  8',
    '2026-03-29 13:00 +02:00  16',
    '2026-03-30 00:00 +02:00  32',
  ]);
});

test('without a zone, weeks of UTC begin on Monday, and 7d and 1w are one length', async () => {
  const answers = await Promise.all(['1w', '7d', '168h'].map((every) => query(['--every', every])));
  for (const { stdout } of answers) expect(stdout).toBe(answers[0]!.stdout);
  expect(answers[0]!.stdout.match(/^\d{4}-\d{2}-\d{2}/gm)).toEqual(['2026-02-23', '2026-03-23']);
});

test('dates without a zone are those of --time-zone, and others are not', async () => {
  const countOf = async (...args: string[]): Promise<number> =>
    JSON.parse((await query([...args, '--json'])).stdout).groups[0].count;
  expect(await countOf('--since', '2026-03-01', '--until', '2026-03-29', ...BERLIN)).toBe(6);
  expect(await countOf('--since', '2026-03-29', ...BERLIN)).toBe(56);
  expect(await countOf('--since', '2026-03-29T00:30', ...BERLIN)).toBe(56);
  expect(await countOf('--since', '2026-03-29T00:00:00Z', ...BERLIN)).toBe(48);
  expect(await countOf('--since', '2026-03-29')).toBe(48);
});

test('JSON and CSV have times with their offset, and milliseconds since 1970 as before', async () => {
  const { stdout } = await query(['--every', '1mo', ...BERLIN, '--json']);
  const json = JSON.parse(stdout);
  expect(faultsIn(json, readSchema('query.schema.json'))).toEqual([]);
  expect(json).toMatchObject({
    everySec: null,
    every: '1mo',
    timeZone: 'Europe/Berlin',
    groups: [
      { startSec: Date.parse('2026-01-31T23:00Z') / 1000, start: '2026-02-01T00:00:00.000+01:00', count: 1 },
      {
        startSec: Date.parse('2026-02-28T23:00Z') / 1000,
        endSec: Date.parse('2026-03-31T22:00Z') / 1000,
        start: '2026-03-01T00:00:00.000+01:00',
        count: 62,
        crossingCount: 0,
      },
    ],
  });
  const csv = (await query(['--every', '1w', ...BERLIN, '--format', 'csv'])).stdout.split('\n');
  expect(csv[3]).toMatch(/^2026-03-30T00:00:00\.000\+02:00,32,/);
});

test('plots over time name the zone, and end lines at gaps', async () => {
  const plot = JSON.parse((await query(['--every', '1d', ...BERLIN, '--plot', '--json'])).stdout);
  expect(plot).toMatchObject({
    kind: 'over-time',
    timeZone: 'Europe/Berlin',
    endMs: Date.parse('2026-03-30T22:00Z'),
  });
  const iso = plot.timesMs.map((ms: number) => new Date(ms).toISOString().slice(0, 13));
  expect(iso).toEqual([
    ...['2026-02-27T23', '2026-02-28T23', '2026-03-01T23'],
    ...['2026-03-27T23', '2026-03-28T23', '2026-03-29T22'],
  ]);
  const path = folder.pathOf('days.svg');
  await query(['--every', '1d', ...BERLIN, '-o', path]);
  expect(readFileSync(path, 'utf8')).toContain('time (Europe/Berlin, +01:00 to +02:00)');
  const text = (await query(['--kind', 'heat-map', '--every', '1w', ...BERLIN])).stdout;
  expect(text).toContain('time (Europe/Berlin, +01:00 to +02:00), 2026-02-23 to 2026-04-05');
});

test('a printed statement has the borders of a bounded time', async () => {
  const { stdout } = await query([
    '--print-sql',
    '--every',
    '1d',
    ...BERLIN,
    '--since',
    '2026-03-01',
    '--until',
    '2026-04-01',
  ]);
  const question = {
    ...{ metric: 'rpc', percentiles: [50], every: { days: 1 }, timeZone: 'Europe/Berlin' },
    sinceMs: Date.parse('2026-02-28T23:00Z'),
    untilMs: Date.parse('2026-03-31T22:00Z'),
  };
  expect(stdout).toBe(`${historySql(question, 'duckdb', { folder: history })}\n`);
});

test('values of intervals that reach over a border are noted, and refused where no stretch has intervals of its own', async () => {
  const daily = folder.pathOf('daily');
  await hdrscope(['history', 'rollup', history, daily, '--every', '1d']);
  const ask = (...args: string[]) =>
    hdrscope(['query', daily, '--metric', 'rpc', '--percentiles', '50', ...args]);
  expect(await ask('--every', '1d')).toMatchObject({ exitCode: 0, stderr: '' });
  const days = await ask('--every', '1d', ...BERLIN);
  expect(days).toMatchObject({ exitCode: 1, stdout: '' });
  expect(days.stderr).toContain(
    '100 % of the values are of intervals that begin in one stretch of time and end in a later one, because the history has intervals of 1d, which --every 1d cuts: ask for longer stretches, or with --time-zone UTC, or ask a history of shorter intervals',
  );
  expect((await ask('--every', '1h')).stderr).toContain(
    'which --every 1h cuts: ask for longer stretches, or ask a history',
  );
  const months = await ask('--every', '1mo', ...BERLIN);
  expect(months).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining(
      'of the values are of intervals that begin in one stretch of time and end in a later one: each counts where it begins',
    ),
  });
  expect((await ask('--kind', 'heat-map', '--every', '1d', ...BERLIN)).exitCode).toBe(1);
});

test('an objective is judged by days, weeks and months of a zone', async () => {
  const report = (...args: string[]) =>
    hdrscope([
      'slo',
      'report',
      history,
      '--metric',
      'rpc',
      '--threshold',
      '1s',
      '--objective',
      '99%',
      ...args,
    ]);
  const span = ['--since', '2026-03-28', '--until', '2026-03-31', ...BERLIN];
  const { stdout, exitCode } = await report(...span);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(
    /^rpc, times of Europe\/Berlin\n\nday .*\n2026-03-28 00:00 \+01:00 +4 .*\n2026-03-29 00:00 \+01:00 +24 .*\n2026-03-30 00:00 \+02:00 +32 /,
  );
  expect(stdout).toContain('kept on 3 of 3 days');
  const back = await report('--since', '3d', '--until', '2026-03-31', ...BERLIN);
  expect(back.stdout).toBe(stdout);
  const json = JSON.parse(
    (await report('--since', '2026-02-01', '--until', '2026-04-01', '--every', '1mo', ...BERLIN, '--json'))
      .stdout,
  );
  expect(faultsIn(json, readSchema('slo-report.schema.json'))).toEqual([]);
  expect(json).toMatchObject({ everySec: null, every: '1mo', timeZone: 'Europe/Berlin' });
  expect(
    json.groups[0].periods.map((one: { start: string; count: number }) => [one.start, one.count]),
  ).toEqual([
    ['2026-02-01T00:00:00.000+01:00', 1],
    ['2026-03-01T00:00:00.000+01:00', 62],
  ]);
  const weeks = await report('--since', '2026-03-23', '--until', '2026-04-06', '--every', '1w', ...BERLIN);
  expect(weeks.stdout).toContain('kept on 2 of 2 weeks');
});

test.each([
  [
    ['--time-zone', 'Berlin'],
    "--time-zone must be the name of a time zone, as in Europe/Berlin or UTC, got 'Berlin'",
  ],
  [['--time-zone', '+01:00'], '--time-zone must be the name of a time zone'],
  [
    ['--every', '5mo'],
    '--every must be a duration of at least 1ms, as in 1h or 1d, weeks (1w), or 1mo, 2mo, 3mo, 4mo, 6mo or 12mo',
  ],
  [['--every', '0w'], '--every must be'],
  [['--every', '7h', ...BERLIN], '--every must be a duration that divides a day, with --time-zone'],
  [
    ['--print-sql', '--every', '1mo', '--since', '7d'],
    '--print-sql with months or --time-zone needs --since and --until',
  ],
  [
    ['--before', '2026-03-01/1d', '--after', '2026-03-02/1d', ...BERLIN],
    '--time-zone does not go with --before and --after',
  ],
])('%j is a wrong command line', async (args, message) => {
  const { exitCode, stderr } = await query(args);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
});
