import { advise, Histogram } from '@hdrscope/core';
import { hdrscope } from '../support/fake-io.ts';

test('prints the cost of a histogram, its precision, and the code that creates it', async () => {
  const { exitCode, stdout, stderr } = await hdrscope(['advise', '--max', '1h', '--unit', 'ns']);
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(stdout).toBe(`Values up to 1 h, to 3 significant digits

     slots  33,792
     dense  135,168 bytes
    sparse  at most 154,368 bytes
    shared  270,400 bytes
    values  0 to 1 h 13 min
resolution  1 ns below 2.05 µs, 0.098 % above

digits  worst error      slots  dense bytes  sparse at most      shared
     0        100 %         43          256             512         576
     1        6.2 %        624        2,560           2,816       5,184
     2       0.78 %      4,608       18,432          19,968      36,928
   > 3      0.098 %     33,792      135,168         154,368     270,400
     4     0.0061 %    475,136    1,900,544       2,169,600   3,801,152
     5    0.00076 %  3,407,872   13,631,488      15,561,728  27,263,040

import { Histogram } from '@hdrscope/core';

const histogram = new Histogram({
  highestTrackableValue: 3_600_000_000_000,
  significantDigits: 3,
});
`);
});

test.each([
  [['--max', '1h', '--unit', 'us'], 3_600_000_000],
  [['--max', '1h30m', '--unit', 's'], 5400],
  [['--max', '60000', '--unit', 'ms'], 60_000],
  [['--max', '1.5GiB', '--unit', 'bytes'], 1.5 * 2 ** 30],
  [['--max', '1.5GiB', '--unit', 'KiB'], 1.5 * 2 ** 20],
  [['--max', '9007199254740993', '--unit', 'none'], '9007199254740993'],
])('takes %j', async (args, highestTrackableValue) => {
  const { stdout } = await hdrscope(['advise', '--json', ...args]);
  expect(JSON.parse(stdout).options.highestTrackableValue).toBe(highestTrackableValue);
});

test('prints code that creates the histogram of the advice', async () => {
  const args = ['advise', '--json', '--max', '9007199254740993', '--min', '1000', '--unit', 'none'];
  const { code, denseBytes, slotCount } = JSON.parse((await hdrscope(args)).stdout);
  const made = new Function('Histogram', `${code} return histogram;`)(Histogram) as Histogram;
  expect([made.byteLength, made.layout.slotCount]).toEqual([denseBytes, slotCount]);
  expect(made.layout.lowestDiscernibleValue).toBe(1000);
});

test('chooses the digits that stay within an error or a number of bytes', async () => {
  const digitsOf = async (...args: string[]): Promise<number> =>
    JSON.parse((await hdrscope(['advise', '--json', '--max', '1h', ...args])).stdout).options
      .significantDigits;
  expect(await digitsOf('--max-relative-error', '1%')).toBe(2);
  expect(await digitsOf('--max-bytes', '200KiB')).toBe(3);
  const both = advise({ highestTrackableValue: 3.6e12, maxRelativeError: 0.01, maxBytes: 20_000 });
  expect(await digitsOf('--max-relative-error', '1%', '--max-bytes', '20000')).toBe(
    both.options.significantDigits,
  );
});

test.each([
  [[], '--max is required: the largest value that must fit, as in 1h'],
  [['--max', '1'], '--max must be an integer from 2 to 9223372036854775807, got 1'],
  [
    ['--max', '1x'],
    "--max must be a whole number of the unit, as in 60000, or a time, as in 500ms or 1h30m, got '1x'",
  ],
  [['--max', '1h', '--unit', 'bytes'], '--max must be a whole number of the unit, as in 4096, or a size'],
  [['--max', '1h', '--unit', 'none'], '--max must be a whole number'],
  [['--max', '1h', '--digits', '6'], '--digits must be an integer from 0 to 5'],
  [
    ['--max', '1h', '--digits', '3', '--max-relative-error', '1%'],
    '--digits must be absent when --max-relative-error or --max-bytes decides',
  ],
  [['--max', '1h', '--max-relative-error', '1'], '--max-relative-error must be a percentage above 0'],
  [['--max', '1h', '--max-bytes', '10'], 'no --digits from 0 to 5 keep to 10 bytes'],
  [['--max', '1h', 'more'], 'too many arguments'],
])('refuses %j', async (args, message) => {
  const { exitCode, stdout, stderr } = await hdrscope(['advise', ...args]);
  expect([exitCode, stdout]).toEqual([2, '']);
  expect(stderr).toContain(message);
});
