import { k6Points } from '@hdrscope/testing/load-samples';
import { hdrscope } from '../support/fake-io.ts';
import { useFolder } from '../support/logs.ts';

// Commands that take the requests of a file as one distribution.

const folder = useFolder();

const line = '10.0.0.1 - - [28/Nov/2026:21:00:00 +0000] "GET /search HTTP/1.1" 200 5 "-" "x" 0.030\n';

const log = (): string => folder.write('a.log', line.repeat(50));

test.each([
  ['check', '--where', () => [log(), '--slo', 'p99=1s', '--where', 'route=/search']],
  ['diff', '--where', () => [log(), log(), '--where', 'route=/search']],
  ['plot', '--where', () => [log(), '--where', 'route=/search']],
  ['check', '--metric', () => [log(), '--slo', 'p99=1s', '--metric', 'x']],
  ['plot', '--max', () => [log(), '--max', '7']],
] as const)('%s refuses %s, and says how to select a part', async (command, option, args) => {
  const { exitCode, stdout, stderr } = await hdrscope([command, ...args()]);
  expect([exitCode, stdout]).toEqual([2, '']);
  expect(stderr).toContain(`${option} is for distributions that other programs have counted`);
  expect(stderr).toContain('--every 1m -o FILE.hlog');
});

test.each([
  ['check', () => [log(), '--slo', 'p99=1s', '--since', '1m']],
  ['diff', () => [log(), log(), '--since', '1m']],
  ['plot', () => [log(), '--kind', 'over-time']],
] as const)('%s says how to make a log of requests, whose times it knows', async (command, args) => {
  const { exitCode, stderr } = await hdrscope([command, ...args()]);
  expect(exitCode).toBe(1);
  expect(stderr).toContain('--every 1m -o FILE.hlog');
});

test('diff and plot read the metric of k6 that --metric names', async () => {
  const requests = [1, 2, 3].map((ms) => ({ ms }));
  const path = folder.write('k6.json', k6Points(requests, 'own_duration'));
  const { exitCode, stderr } = await hdrscope(['plot', path, '--metric', 'own_duration']);
  expect([exitCode, stderr]).toEqual([0, '']);
});
