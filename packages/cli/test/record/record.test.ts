import { readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { formatPercentiles, Histogram } from '@hdrscope/core';
import { createRegistry } from '@hdrscope/registry';
import { hdrscope } from '../support/fake-io.ts';
import { evenly, useFolder } from '../support/logs.ts';

const folder = useFolder();

const NUMBERS = evenly(1000, 0.5);
const TEXT = `${NUMBERS.join('\n')}\n`;

/** The histogram of a program that counts milliseconds as nanoseconds. */
function nanoseconds(values: readonly number[], significantDigits = 3): Histogram {
  const histogram = new Histogram({ significantDigits });
  for (const ms of values) histogram.record(Math.round(ms * 1e6));
  return histogram;
}

test('prints the distribution of standard input', async () => {
  const { exitCode, stdout, stderr } = await hdrscope(['record', '--unit', 'ms', '--no-plot'], {
    stdin: TEXT,
  });
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(stdout).toBe(`1,000 values of standard input, in ms, to 3 significant digits

          min  0.5
         mean  250
std deviation  144
          p50  250
          p75  375
          p90  450
          p99  495
        p99.9  500
       p99.99  500
          max  500
`);
});

test('counts files together', async () => {
  const [a, b] = [folder.write('a.txt', '1\n2'), folder.write('b.txt', '3\n')];
  const { stdout } = await hdrscope(['record', a, b, '--output', 'json']);
  expect(JSON.parse(stdout).count).toBe(3);
});

test('counts numbers as a series of a registry does', async () => {
  const ms = [0.000_000_4, 0.000_000_6, 1.234_567_89, 17.3, 99_999.999];
  const registry = createRegistry();
  const series = registry.histogram({ name: 'latency', unit: 'ms', significantDigits: 3 }).with({});
  for (const value of ms) series.record(value);
  const snapshot = await registry.gather();
  const { stdout } = await hdrscope(['record', '--unit', 'ms', '--output', 'base64'], {
    stdin: ms.join('\n'),
  });
  expect(Histogram.decode(stdout.trim()).equals(snapshot.families[0]!.series[0]!.histogram)).toBe(true);
});

test.each([0, 1, 2, 3, 4, 5])('keeps %d digits', async (digits) => {
  const { stdout } = await hdrscope(
    ['record', '--unit', 'ms', '--digits', `${digits}`, '--output', 'base64'],
    {
      stdin: TEXT,
    },
  );
  expect(Histogram.decode(stdout.trim()).equals(nanoseconds(NUMBERS, digits))).toBe(true);
});

test('prints percentile text', async () => {
  const hgrm = await hdrscope(['record', '--unit', 'ms', '--output', 'hgrm'], { stdin: TEXT });
  expect(hgrm.stdout).toBe(formatPercentiles(nanoseconds(NUMBERS), { valueScale: 1e6 }));
  const csv = await hdrscope(['record', '--unit', 'ms', '--output', 'csv'], { stdin: TEXT });
  expect(csv.stdout).toBe(formatPercentiles(nanoseconds(NUMBERS), { valueScale: 1e6, format: 'csv' }));
});

test.each([
  ['ns', 1e6],
  ['us', 1e3],
  ['ms', 1],
  ['s', 1e-3],
])('writes a log of numbers in %s that log summary reads in the right unit', async (unit, perMs) => {
  const path = folder.pathOf(`${unit}.hlog`);
  const stdin = [1, 2, 4].map((ms) => ms * perMs).join('\n');
  const recorded = await hdrscope(['record', '--unit', unit, '--output', 'hlog', '-o', path], { stdin });
  expect(recorded).toEqual({ exitCode: 0, stdout: '', stderr: '' });
  expect(readFileSync(path, 'utf8')).toMatch(/^0\.000,0\.000,4\.00[0-2],HISTF/m);
  const { stdout } = await hdrscope(['log', 'summary', '--json', path]);
  const [{ count, max }] = JSON.parse(stdout).tags;
  expect([count, Math.round(max)]).toEqual([3, 4]);
});

test('prints JSON in the unit', async () => {
  const args = ['record', '--unit', 's', '--percentiles', '50,100', '--output', 'json'];
  const { stdout } = await hdrscope(args, { stdin: '0.001\n0.002\n0.003\n' });
  expect(JSON.parse(stdout)).toMatchObject({
    unit: 's',
    resolution: 1e-9,
    significantDigits: 3,
    count: 3,
    percentiles: { 50: expect.closeTo(0.002, 5), 100: expect.closeTo(0.003, 5) },
  });
});

test('corrects coordinated omission', async () => {
  const args = ['record', '--unit', 'ms', '--expected-interval', '10', '--output', 'base64'];
  const { stdout } = await hdrscope(args, { stdin: '5\n100\n' });
  const corrected = new Histogram();
  corrected.record(5e6);
  corrected.recordCorrected(100e6, 10e6);
  expect(Histogram.decode(stdout.trim()).equals(corrected)).toBe(true);
});

test('one number is one value, and is every percentile of its JSON', async () => {
  const { stdout: text } = await hdrscope(['record', '--no-plot', '-'], { stdin: '42\n' });
  expect(text).toMatch(/^1 value of standard input/);
  const { stdout } = await hdrscope(['record', '--unit', 'ms', '--output', 'json'], { stdin: '42\n' });
  expect(JSON.parse(stdout)).toMatchObject({ min: 42, mean: 42, max: 42, percentiles: { 50: 42, 100: 42 } });
});

test('reads a column of a table', async () => {
  const csv = 'path,ms\n/a,1.5\n/b,2.5\n';
  const args = ['record', '--column', '2', '--separator', ',', '--skip', '1', '--output', 'json'];
  const { exitCode, stdout, stderr } = await hdrscope(args, { stdin: csv });
  expect([exitCode, stderr, JSON.parse(stdout).count]).toEqual([0, '', 2]);
});

test('leaves out lines without a number, reports their places, and prints the rest', async () => {
  const path = folder.write('bad.txt', `1\n-1\nNaN\nsoon\n2\n\n# no number\n${'x\n'.repeat(20)}`);
  const { exitCode, stdout, stderr } = await hdrscope(['record', '--no-plot', path]);
  expect([exitCode, stdout.split('\n')[0]]).toEqual([1, `2 values of ${path}, to 3 significant digits`]);
  expect(stderr.replaceAll(path, 'bad.txt')).toBe(
    `hdrscope: bad.txt: line 2 has no number of at least 0 that can be counted: "-1"
hdrscope: bad.txt: line 3 has no number of at least 0 that can be counted: "NaN"
hdrscope: bad.txt: line 4 has no number of at least 0 that can be counted: "soon"
hdrscope: left out 23 malformed lines: lines 2, 3, 4, 8, 9, 10, 11, 12, 13, 14 and 13 more
`,
  );
});

test('leaves out numbers that are larger than a histogram can count', async () => {
  const { exitCode, stdout, stderr } = await hdrscope(['record', '--unit', 's', '--output', 'json'], {
    stdin: '9.2e9\n9.3e9\n1e300\n',
  });
  expect([exitCode, JSON.parse(stdout).count]).toEqual([1, 1]);
  expect(stderr).toContain('line 2 has no number');
});

test('reports numbers that are too small for the resolution', async () => {
  const stdin = '0\n0.0001\n0.0004\n1\n';
  const { exitCode, stderr } = await hdrscope(['record', '--no-plot'], { stdin });
  expect([exitCode, stderr]).toEqual([
    0,
    'hdrscope: 2 numbers are nearer to 0 than to the resolution, 0.001, and counted as 0: --resolution keeps smaller ones apart\n',
  ]);
  const finer = await hdrscope(['record', '--resolution', '1e-4', '--output', 'json'], { stdin });
  expect([finer.stderr, JSON.parse(finer.stdout).min]).toEqual(['', 0]);
});

test.each([
  [['--digits', '6'], '--digits must be an integer from 0 to 5'],
  [['--unit', 'h'], "--unit must be ns, us, ms, s, bytes, KiB, none, got 'h'"],
  [['--resolution', '0'], '--resolution must be a number above 0'],
  [['--separator', ','], '--separator needs --column'],
  [['--column', '0'], '--column must be an integer of at least 1'],
  [['--column', '1', '--separator', '.'], '--separator must be one ASCII character'],
  [['--expected-interval', '0'], '--expected-interval must be a number above 0'],
  [['-', '-'], '- is standard input, which can be read only once'],
])('refuses %j', async (args, message) => {
  const { exitCode, stdout, stderr } = await hdrscope(['record', ...args], { stdin: '1\n' });
  expect([exitCode, stdout]).toEqual([2, '']);
  expect(stderr).toContain(message);
});

test('reads gzipped files and gzipped standard input', async () => {
  const path = folder.pathOf('numbers.txt.gz');
  writeFileSync(path, gzipSync(TEXT));
  const args = ['record', '--unit', 'ms', '--output', 'base64'];
  const { exitCode, stdout, stderr } = await hdrscope([...args, path, '-'], { stdin: gzipSync(TEXT) });
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(Histogram.decode(stdout.trim()).equals(nanoseconds([...NUMBERS, ...NUMBERS]))).toBe(true);
});

test('counts the whole lines of a gzip stream that is cut short, and reports the cut', async () => {
  // The stream is stored without compression, so the cut leaves 12345 of 123456789.
  const whole = gzipSync('1\n2\n123456789\n', { level: 0 });
  const stdin = whole.subarray(0, whole.indexOf('123456789') + 5);
  const { exitCode, stdout, stderr } = await hdrscope(['record', '--output', 'json'], { stdin });
  expect([exitCode, JSON.parse(stdout)]).toEqual([1, expect.objectContaining({ count: 2, max: 2 })]);
  expect(stderr).toMatch(/^hdrscope: standard input: line 3: the gzip stream is cut short or broken: /);
});

test('reads UTF-16, as PowerShell writes it', async () => {
  const stdin = Buffer.from(`\ufeff${TEXT}`, 'utf16le');
  const { exitCode, stdout } = await hdrscope(['record', '--output', 'json'], { stdin });
  expect([exitCode, JSON.parse(stdout).count]).toEqual([0, 1000]);
});

test('shows its progress on a terminal', async () => {
  let now = 0;
  const monotonicMs = (): number => (now += 1000);
  const { stderr } = await hdrscope(['record'], { stdin: TEXT, isTerminal: true, monotonicMs });
  expect(stderr).toBe('\r\u001b[K0.0 MB, 0.0 MB/s\r\u001b[K');
});

test('refuses an empty input and a missing file', async () => {
  expect(await hdrscope(['record'])).toEqual({
    exitCode: 1,
    stdout: '',
    stderr: 'hdrscope: standard input has no numbers to count\n',
  });
  expect((await hdrscope(['record', '/nowhere.txt'])).stderr).toBe(
    'hdrscope: cannot read /nowhere.txt: there is no such file\n',
  );
});
