import { parseRange } from '../../src/moment.ts';
import { hdrscope, type World } from '../support/fake-io.ts';
import { writeHistory } from '../support/history-rows.ts';
import { useFolder } from '../support/logs.ts';

const folder = useFolder();
let history: string;
beforeAll(async () => {
  history = folder.pathOf('history');
  const quiet = { 10: 90_000, 100: 9_950, 200: 50 };
  await writeHistory(history, [
    ['2026-03-10T14:00', { route: '/pay', host: 'a' }, quiet],
    ['2026-03-10T14:00', { route: '/cart', host: 'a' }, quiet],
    ['2026-03-10T14:00', { route: '/list', host: 'b' }, quiet],
    ['2026-03-10T14:30', { route: '/list', host: 'b' }, quiet],
    ['2026-03-10T15:10', { route: '/pay', host: 'a' }, { 10: 9_000, 1000: 1_000 }],
    ['2026-03-10T15:10', { route: '/cart', host: 'a' }, quiet],
    ['2026-03-10T15:10', { route: '/list', host: 'b' }, quiet],
  ]);
});

const RANGES = ['--before', '2026-03-10T14:00/15:10', '--after', '2026-03-10T15:10/8m'];
const explain = (args: readonly string[], world: World = {}) =>
  hdrscope(['explain', history, '--metric', 'rpc', ...args], world);

test('the percentile before and after, a table and a sentence', async () => {
  const { exitCode, stdout, stderr } = await explain(RANGES);
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(stdout).toContain('rpc, values in ms\n');
  expect(stdout).toMatch(/^before +2026-03-10 14:00 +2026-03-10 15:10 +400,000 +100\.\d+ /m);
  expect(stdout).toMatch(/^after +2026-03-10 15:10 +2026-03-10 15:18 +210,000 +1,00\d\.\d+ /m);
  expect(stdout).toMatch(
    /^route=\/pay +100\.\d+ +1,00\d\.\d+ +100,000 +10,000 +100 % +values +explains it$/m,
  );
  expect(stdout).toMatch(
    /p99\.9 moved from 100\.\d+ ms to 1,00\d\.\d+ ms, and route=\/pay explains 100 % of it: their values changed\.\n$/,
  );
});

test('a route that is slow on one host, and another one, are causes side by side', async () => {
  const both = folder.pathOf('both');
  const quiet = { 10: 9_980, 100: 15, 200: 5 };
  const slow = { 10: 9_800, 1000: 200 };
  await writeHistory(
    both,
    ['/pay', '/cart', '/list', '/item'].flatMap((route) =>
      ['a', 'b', 'c'].flatMap((host) => {
        const isSlow = route === '/cart' || (route === '/pay' && host === 'b');
        return [
          ['2026-03-10T14:00', { route, host }, quiet] as const,
          ['2026-03-10T15:10', { route, host }, isSlow ? slow : quiet] as const,
        ];
      }),
    ),
  );
  const { stdout } = await hdrscope(['explain', both, '--metric', 'rpc', ...RANGES]);
  expect(stdout).toMatch(/^route=\/cart .* 50 % +values +explains it$/m);
  expect(stdout).toMatch(/^route=\/pay & host=b .* 50 % +values +explains it as well$/m);
  expect(stdout).toMatch(
    /route=\/cart explains 50 % of it: their values changed\. So does route=\/pay & host=b, with 50 % of it: their values changed\.\n$/,
  );
});

test('ranges without a difference get no verdict', async () => {
  const { exitCode, stdout } = await explain([
    '--before',
    '2026-03-10T14:00/10m',
    '--after',
    '2026-03-10T14:30/10m',
  ]);
  expect(exitCode).toBe(0);
  expect(stdout).toContain('No difference of p99.9 is shown, so there is nothing to explain.\n');
  expect(stdout).not.toContain('attribute');
});

test('a difference that all series share has no cause', async () => {
  const alike = folder.pathOf('alike');
  await writeHistory(
    alike,
    ['/pay', '/cart', '/list'].flatMap((route) => [
      ['2026-03-10T14:00', { route }, { 10: 9_950, 100: 50 }] as const,
      ['2026-03-10T15:10', { route }, { 10: 9_950, 400: 50 }] as const,
    ]),
  );
  const { stdout } = await hdrscope(['explain', alike, '--metric', 'rpc', ...RANGES]);
  expect(stdout).toMatch(
    /p99\.9 moved from 100\.\d+ ms to 400\.\d+ ms, but no attribute value explains it: either all series moved alike, or the series that moved share no attribute value that the others lack\.\n$/,
  );
});

test('too few values, and none, are said', async () => {
  const { stdout } = await explain([...RANGES, '--where', 'route=/none']);
  expect(stdout).toContain(
    'Too few values for p99.9 with 99.9 % confidence: 0 values before, 0 values after.',
  );
});

test('JSON has all figures, in the unit that it names', async () => {
  const json = JSON.parse((await explain([...RANGES, '--json', '--percentile', 'p99.9'])).stdout);
  expect(json).toMatchObject({
    metric: 'rpc',
    unit: 'ms',
    percentile: 99.9,
    verdict: 'explained',
    before: { startSec: Date.parse('2026-03-10T14:00Z') / 1000, count: 400_000 },
    after: { count: 210_000 },
    causes: [
      {
        attributes: [[{ key: 'route', value: '/pay' }]],
        parts: { values: 1, share: 0 },
        kind: 'values',
        explains: 1,
        verdict: 'explains it',
        before: { count: 100_000 },
      },
      {},
      {},
      {},
    ],
  });
  expect(json.difference.interval.lower).toBeGreaterThan(0);
});

test('--top cuts the table', async () => {
  const { stdout } = await explain([...RANGES, '--top', '1']);
  expect(stdout.match(/^(route|host)=/gm)).toHaveLength(1);
});

test.each([
  ['2026-03-10T14:00/15:10', '2026-03-10T14:00Z', '2026-03-10T15:10Z'],
  ['2026-03-10T14:00/2026-03-11', '2026-03-10T14:00Z', '2026-03-11T00:00Z'],
  ['2026-03-10 14:00/70m', '2026-03-10T14:00Z', '2026-03-10T15:10Z'],
  ['1d/2026-03-10', '2026-03-09T00:00Z', '2026-03-10T00:00Z'],
  ['2026-03-10T14:00+02:00/15:10', '2026-03-10T12:00Z', '2026-03-10T13:10Z'],
  ['2026-03-10T14:00:00+02:00/15:10:30Z', '2026-03-10T12:00Z', '2026-03-10T15:10:30Z'],
  ['1772366400/1772370000', '2026-03-01T12:00Z', '2026-03-01T13:00Z'],
])('%s is from %s to %s', (text, since, until) => {
  expect(parseRange(text, '--before')).toEqual({ sinceMs: Date.parse(since), untilMs: Date.parse(until) });
});

test.each(['', '2026-03-10', '2026-03-10/', '2026-03-10/x', '1h/2h', '2026-03-10/1/2', '14:00/15:10'])(
  '%j is no range',
  (text) => {
    expect(() => parseRange(text, '--before')).toThrow(
      '--before must be a start and an end, or a duration, as in 2026-03-10T14:00/15:10 or 2026-03-10T14:00/70m',
    );
  },
);

test.each([
  [
    ['--before', '2026-03-10T14:00/13:00'],
    "--before must be a range whose end is after its start, got '2026-03-10T14:00/13:00'",
  ],
  [
    ['--before', '2026-03-10T14:00/15:10', '--after', '2026-03-10T15:00/16:00'],
    '--before and --after must not overlap',
  ],
  [['--before', '2026-03-10T14:00/15:10'], '--after is required: a range, as in 2026-03-10T15:10/15:18'],
  [
    [...RANGES, '--percentile', '100'],
    "--percentile must be a number above 0 and below 100, as in 99.9, got '100'",
  ],
])('%j is a wrong command line', async (args, message) => {
  const { exitCode, stderr } = await explain(args);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
});
