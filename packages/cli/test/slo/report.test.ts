import { hdrscope, type World } from '../support/fake-io.ts';
import { writeHistory } from '../support/history-rows.ts';
import { useFolder } from '../support/logs.ts';

const folder = useFolder();
let history: string;
beforeAll(async () => {
  history = folder.pathOf('history');
  await writeHistory(history, [
    ['2026-03-01T10:00', { route: '/pay' }, { 10: 9_999, 1000: 1 }],
    ['2026-03-01T11:00', { route: '/cart' }, { 10: 10_000 }],
    ['2026-03-02T10:00', { route: '/pay' }, { 10: 9_950, 1000: 50 }],
    ['2026-03-04T10:00', { route: '/cart' }, { 10: 9_980, 250: 20 }],
  ]);
});

const USUAL = ['--metric', 'rpc', '--objective', '99.9%', '--since', '4d', '--until', '2026-03-05'];
const report = (args: readonly string[], world: World = {}) =>
  hdrscope(['slo', 'report', history, ...USUAL, ...args], world);

test('a table by day, the total and a sentence', async () => {
  expect(await report(['--threshold', '500ms'])).toEqual({
    exitCode: 0,
    stderr: '',
    stdout: expect.stringContaining(`\
rpc

day         values  bad    within  burn rate  budget used  verdict
2026-03-01  20,000    1  99.995 %       0.05        2.5 %  kept
2026-03-02  10,000   50    99.5 %       5.00        125 %  missed
2026-03-03       0    0         -          -          0 %  without values
2026-03-04  10,000    0     100 %       0.00          0 %  kept
total       40,000   51  99.873 %       1.28        128 %  missed

Had the objective been 99.9 % within 500 ms, it would have been kept on 2 of 4 days (without values on 1); the budget of 4 days would have been used by 128 %.
`),
  });
});

test('a threshold inside a slot leaves a day undecided, and the next exact one is named', async () => {
  const { stdout } = await report(['--threshold', '250ms', '--where', 'route=/cart']);
  expect(stdout).toMatch(/2026-03-04 {2}10,000 +0 to 20 +99.8 to 100 % +0.00 to 2.00 +0 to 100 % +undecided/);
  expect(stdout).toContain('it would have been kept on 1 of 4 days (undecided on 1, without values on 2)');
  const [, exact] = /--threshold (\S+) has exact shares/.exec(stdout)!;
  const again = await report(['--threshold', exact!, '--where', 'route=/cart']);
  expect(again.stdout).toMatch(/2026-03-04 .* 100 % +0.00 +0 % +kept/);
  expect(again.stdout).not.toContain('has exact shares');
});

test('the sentence has the threshold as it was asked for', async () => {
  const { stdout } = await report(['--threshold', '1234.5678ms']);
  expect(stdout).toContain('99.9 % within 1234.5678 ms,');
});

test('each group has a report of its own, and other periods have their names', async () => {
  const { stdout } = await report(['--threshold', '0.5', '--by', 'route', '--every', '12h']);
  expect(stdout.match(/^rpc, route=.*$/gm)).toEqual(['rpc, route=/cart', 'rpc, route=/pay']);
  expect(stdout).toContain('2026-03-01 12:00');
  expect(stdout).toContain('of 8 periods of 12h');
});

test('JSON and CSV have both bounds of each figure', async () => {
  const json = JSON.parse((await report(['--threshold', '500ms', '--json'])).stdout);
  expect(json).toMatchObject({
    metric: 'rpc',
    unit: 'ms',
    threshold: 500,
    objective: 0.999,
    everySec: 86_400,
    groups: [
      {
        attributes: {},
        verdicts: { kept: 2, missed: 1, undecided: 0, 'without values': 1 },
        total: { count: 40_000, within: { lower: 39_949, upper: 39_949 }, verdict: 'missed' },
        periods: [{ startSec: Date.parse('2026-03-01') / 1000 }, {}, { share: null, burnRate: null }, {}],
      },
    ],
  });
  const csv = (await report(['--threshold', '500ms', '--format', 'csv', '--by', 'route'])).stdout.split('\n');
  expect(csv[0]).toBe(
    'route,start,end,values,within_lower,within_upper,share_lower,share_upper,burn_rate_lower,burn_rate_upper,budget_used_lower,budget_used_upper,verdict',
  );
  expect(csv[1]).toBe(
    '/cart,2026-03-01T00:00:00.000Z,2026-03-02T00:00:00.000Z,10000,10000,10000,1,1,0,0,0,0,kept',
  );
  expect(csv).toHaveLength(1 + 2 * 4 + 1);
});

test.each([
  [
    ['--threshold', '500ms', '--objective', '99.9'],
    "--objective must be a percentage above 0 and below 100, as in 99.9%, got '99.9'",
  ],
  [
    ['--threshold', '64KiB'],
    "--threshold must be a value of at least 0, as in 250ms: the metric has the unit 's', got '64KiB'",
  ],
  [[], '--threshold is required: a value, as in 250ms'],
  [
    ['--threshold', '1s', '--since', '2026-03-06'],
    '--since must be before the end, which is 2026-03-05T00:00:00.000Z',
  ],
  [
    ['--threshold', '1s', '--every', '1us'],
    '--every must be a duration of at least 1ms, as in 1h or 1d, weeks (1w), or 1mo',
  ],
])('%j is a wrong command line', async (args, message) => {
  const { exitCode, stderr } = await report(args);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
});

test('a metric without values is refused with what to do', async () => {
  const { exitCode, stderr } = await report(['--threshold', '1s', '--metric', 'other']);
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('other has no values in this time')]);
});
