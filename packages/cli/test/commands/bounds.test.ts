import { hdrscope } from '../support/fake-io.ts';

const boundsOf = async (...args: string[]): Promise<readonly number[]> =>
  JSON.parse((await hdrscope(['bounds', '--json', ...args])).stdout).bounds;

test('prints round boundaries, and how much they leave open', async () => {
  const { exitCode, stdout, stderr } = await hdrscope(['bounds', '--from', '5ms', '--to', '10s']);
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(stdout).toBe(`0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10

11 boundaries in s. A percentile between two of them may be wrong by a factor of 2.5. Native and exponential histograms need no boundaries.
`);
});

test.each([
  [
    ['--from', '1ms', '--to', '10ms', '--unit', 'ms'],
    [1, 2, 5, 10],
  ],
  // The ends lie within.
  [
    ['--from', '3', '--to', '30', '--unit', 'none'],
    [2, 5, 10, 20, 50],
  ],
  [
    ['--from', '0.09', '--to', '0.2', '--per-decade', '9'],
    [0.09, 0.1, 0.2],
  ],
  [
    ['--from', '7', '--to', '700', '--per-decade', '1', '--unit', 'none'],
    [1, 10, 100, 1000],
  ],
  [
    ['--from', '1KiB', '--to', '4KiB', '--unit', 'bytes'],
    [1000, 2000, 5000],
  ],
])('%j are %j', async (args, bounds) => {
  expect(await boundsOf(...args)).toEqual(bounds);
});

test('a threshold is a boundary, once', async () => {
  const args = ['--from', '100ms', '--to', '1s', '--threshold', '250ms', '--threshold', '500ms'];
  expect(await boundsOf(...args)).toEqual([0.1, 0.2, 0.25, 0.5, 1]);
});

test.each([
  [[], '--from is required'],
  [['--from', '1s', '--to', '1ms'], "--from must be below --to, got '1s' and '1ms'"],
  [
    ['--from', '0', '--to', '1'],
    "--from must be a number of the unit above 0, or as in 5ms or 4KiB, got '0'",
  ],
  [['--from', '1KiB', '--to', '1'], "got '1KiB'"],
])('refuses %j', async (args, message) => {
  const { exitCode, stderr } = await hdrscope(['bounds', ...args]);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(message);
});
