import { readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { formatPercentiles, Histogram } from '@hdrscope/core';
import { createRegistry } from '@hdrscope/registry';
import { hdrscope } from '../support/fake-io.ts';
import { parseValues } from '../support/figure-values.ts';
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

test.each(['\u00b5s', '\u03bcs'])('--unit %s is us', async (unit) => {
  const run = (unit: string) => hdrscope(['record', '--unit', unit], { stdin: '1\n2\n' });
  expect(await run(unit)).toEqual(await run('us'));
  expect((await run(unit)).exitCode).toBe(0);
});

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
          p90  450
          p99  495
        p99.9  500
          max  500
`);
});

test('counts files together', async () => {
  const [a, b] = [folder.write('a.txt', '1\n2'), folder.write('b.txt', '3\n')];
  const { stdout } = await hdrscope(['record', a, b, '--format', 'json']);
  expect(parseValues(stdout).count).toBe(3);
});

test('counts numbers as a series of a registry does', async () => {
  const ms = [0.000_000_4, 0.000_000_6, 1.234_567_89, 17.3, 99_999.999];
  const registry = createRegistry();
  const series = registry.histogram({ name: 'latency', unit: 'ms', significantDigits: 3 }).with({});
  for (const value of ms) series.record(value);
  const snapshot = await registry.gather();
  const { stdout } = await hdrscope(['record', '--unit', 'ms', '--format', 'base64'], {
    stdin: ms.join('\n'),
  });
  expect(Histogram.decode(stdout.trim()).equals(snapshot.families[0]!.series[0]!.histogram)).toBe(true);
});

test.each([0, 1, 2, 3, 4, 5])('keeps %d digits', async (digits) => {
  const { stdout } = await hdrscope(
    ['record', '--unit', 'ms', '--digits', `${digits}`, '--format', 'base64'],
    {
      stdin: TEXT,
    },
  );
  expect(Histogram.decode(stdout.trim()).equals(nanoseconds(NUMBERS, digits))).toBe(true);
});

test('prints percentile text', async () => {
  const hgrm = await hdrscope(['record', '--unit', 'ms', '--format', 'hgrm'], { stdin: TEXT });
  expect(hgrm.stdout).toBe(formatPercentiles(nanoseconds(NUMBERS), { valueScale: 1e6 }));
  const csv = await hdrscope(['record', '--unit', 'ms', '--format', 'csv'], { stdin: TEXT });
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
  const recorded = await hdrscope(['record', '--unit', unit, '--format', 'hlog', '-o', path], { stdin });
  expect(recorded).toEqual({ exitCode: 0, stdout: '', stderr: '' });
  expect(readFileSync(path, 'utf8')).toMatch(/^0\.000,0\.000,4\.00[0-2],HISTF/m);
  const { stdout } = await hdrscope(['log', 'summary', '--json', path]);
  const [{ count, max }] = parseValues(stdout).tags;
  expect([count, Math.round(max)]).toEqual([3, 4]);
});

test('prints JSON in the unit', async () => {
  const args = ['record', '--unit', 's', '--percentiles', '50,100', '--format', 'json'];
  const { stdout } = await hdrscope(args, { stdin: '0.001\n0.002\n0.003\n' });
  expect(parseValues(stdout)).toMatchObject({
    unit: 's',
    resolution: 1e-9,
    significantDigits: 3,
    count: 3,
    percentiles: [
      { percentile: 50, value: expect.closeTo(0.002, 5) },
      { percentile: 100, value: expect.closeTo(0.003, 5) },
    ],
  });
});

test('corrects coordinated omission', async () => {
  const args = ['record', '--unit', 'ms', '--expected-interval', '10', '--format', 'base64'];
  const { stdout } = await hdrscope(args, { stdin: '5\n100\n' });
  const corrected = new Histogram();
  corrected.record(5e6);
  corrected.recordCorrected(100e6, 10e6);
  expect(Histogram.decode(stdout.trim()).equals(corrected)).toBe(true);
});

test('one number is one value, and is every percentile of its JSON', async () => {
  const { stdout: text } = await hdrscope(['record', '--no-plot', '-'], { stdin: '42\n' });
  expect(text).toMatch(/^1 value of standard input/);
  const { stdout } = await hdrscope(['record', '--unit', 'ms', '--format', 'json'], { stdin: '42\n' });
  const { min, mean, max, percentiles } = parseValues(stdout);
  expect([min, mean, max, ...percentiles.map(({ value }: { value: number }) => value)]).toEqual(
    Array(7).fill(42),
  );
});

test('reads a column of a table', async () => {
  const csv = 'path,ms\n/a,1.5\n/b,2.5\n';
  const args = ['record', '--column', '2', '--separator', ',', '--skip', '1', '--format', 'json'];
  const { exitCode, stdout, stderr } = await hdrscope(args, { stdin: csv });
  expect([exitCode, stderr, parseValues(stdout).count]).toEqual([0, '', 2]);
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
  const { exitCode, stdout, stderr } = await hdrscope(['record', '--unit', 's', '--format', 'json'], {
    stdin: '9.2e9\n9.3e9\n1e300\n',
  });
  expect([exitCode, parseValues(stdout).count]).toEqual([1, 1]);
  expect(stderr).toContain('line 2 has no number');
});

test.each([
  ['0.0058421\n0.012\n', [], 0.005844, 1e-7],
  ['0.0058421\n0.012\n', ['--unit', 'none'], 0.005844, 1e-7],
  ['0.0058421\n0.012\n', ['--resolution', '0.001'], 0.006, 0.001],
  ['5.84e-3\n0.012\n', [], 0.00584, 1e-5],
  ['12\n13\n', [], 12, 0.001],
  ['12.50000\n13\n', [], 12.5, 0.001],
  // Nanoseconds of large numbers would be more than a histogram can count.
  ['1234567.123456789\n1300000\n', [], 1235000, 1e-8],
])('numbers without a unit keep their decimals: %j with %j', async (stdin, args, p50, resolution) => {
  const { stdout } = await hdrscope(['record', '--json', '--percentiles', '50', ...args], { stdin });
  const json = JSON.parse(stdout);
  expect(json.resolution).toBe(resolution);
  expect(Math.abs(json.percentiles[0].value / p50 - 1)).toBeLessThan(0.001);
});

test('reports numbers that are too small for the resolution', async () => {
  const stdin = '0\n0.0001\n0.0004\n1\n';
  const { exitCode, stderr } = await hdrscope(['record', '--no-plot', '--resolution', '0.001'], { stdin });
  expect([exitCode, stderr]).toEqual([
    0,
    'hdrscope: 2 numbers are nearer to 0 than to the resolution, 0.001, and counted as 0: --resolution keeps smaller ones apart\n',
  ]);
  const finer = await hdrscope(['record', '--resolution', '1e-4', '--format', 'json'], { stdin });
  expect([finer.stderr, parseValues(finer.stdout).min]).toEqual(['', 0]);
});

test.each([
  [['--digits', '6'], '--digits must be an integer from 0 to 5'],
  [['--unit', 'h'], "--unit must be ns, us, ms, s, bytes, KiB, none, got 'h'"],
  [['--resolution', '0'], '--resolution must be a number above 0'],
  [['--separator', ','], '--separator needs --column'],
  [['--column', '0'], '--column must be the title of a column, or its number from 1'],
  [['--field', 'a', '--column', '1'], '--field and --column exclude each other'],
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
  const args = ['record', '--unit', 'ms', '--format', 'base64'];
  const { exitCode, stdout, stderr } = await hdrscope([...args, path, '-'], { stdin: gzipSync(TEXT) });
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(Histogram.decode(stdout.trim()).equals(nanoseconds([...NUMBERS, ...NUMBERS]))).toBe(true);
});

test('counts the whole lines of a gzip stream that is cut short, and reports the cut', async () => {
  // The stream is stored without compression, so the cut leaves 12345 of 123456789.
  const whole = gzipSync('1\n2\n123456789\n', { level: 0 });
  const stdin = whole.subarray(0, whole.indexOf('123456789') + 5);
  const { exitCode, stdout, stderr } = await hdrscope(['record', '--format', 'json'], { stdin });
  expect([exitCode, parseValues(stdout)]).toEqual([1, expect.objectContaining({ count: 2, max: 2 })]);
  expect(stderr).toMatch(/^hdrscope: standard input: line 3: the gzip stream is cut short or broken: /);
});

test('reads UTF-16, as PowerShell writes it', async () => {
  const stdin = Buffer.from(`\ufeff${TEXT}`, 'utf16le');
  const { exitCode, stdout } = await hdrscope(['record', '--format', 'json'], { stdin });
  expect([exitCode, parseValues(stdout).count]).toEqual([0, 1000]);
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
  expect((await hdrscope(['record', '/nowhere.txt'])).stderr).toBe('hdrscope: no such file: /nowhere.txt\n');
});

describe('numbers with units', () => {
  const json = async (stdin: string, ...args: string[]): Promise<Record<string, unknown>> => {
    const { exitCode, stdout, stderr } = await hdrscope(['record', '--json', ...args], { stdin });
    expect([exitCode, stderr]).toEqual([0, '']);
    return parseValues(stdout);
  };

  test('are exact, and may have different units of time', async () => {
    const found = await json('12ms\n0.012 s\n12000us\n12000\u00b5s\n12000000ns\n# a comment\n\n');
    expect(found).toMatchObject({ unit: 'ms', count: 5, min: 12, mean: 12, max: 12 });
    expect(await json('1m30s\n1.5s\n')).toMatchObject({ unit: 's', min: 1.5, max: 90 });
  });

  test('may be sizes', async () => {
    expect(await json('4KiB\n1MiB\n2048B\n')).toMatchObject({ unit: 'KiB', min: 2, max: 1024 });
    expect(await json('1500 B\n1.5kB\n')).toMatchObject({ unit: 'bytes', min: 1500, max: 1500 });
  });

  test('are shown in --unit, which is the unit of numbers that have none', async () => {
    expect(await json('12ms\n13\n', '--unit', 'us')).toMatchObject({ unit: 'us', min: 13, max: 12_000 });
    expect(await json('13\n12ms\n', '--unit', 'us')).toMatchObject({ unit: 'us', min: 13, max: 12_000 });
  });

  test.each([
    ['12ms\n4KiB\n', 'standard input has "4KiB", and others are in ms: count them separately'],
    ['12ms\n13\n', 'standard input has numbers without a unit, and others have one: --unit ms states theirs'],
    ['13\n12ms\n', 'standard input has "12ms", and others have no unit: --unit states theirs'],
  ])('%j is refused, because its numbers measure different things', async (stdin, message) => {
    expect(await hdrscope(['record'], { stdin })).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `hdrscope: ${message}\n`,
    });
  });

  test('are counted in one unit over several files', async () => {
    const [a, b] = [folder.write('a.units', '1s\n'), folder.write('b.units', '5ms\n')];
    expect(await json('', a, b)).toMatchObject({ unit: 's', count: 2, min: 0.005, max: 1 });
  });
});

describe('tables and JSON', () => {
  const CSV = 'path,"time, ms",size\n/a,1.5,4KiB\n"/b,c",2.5,8KiB\n';

  const counted = async (stdin: string, ...args: string[]): Promise<unknown[]> => {
    const { exitCode, stdout, stderr } = await hdrscope(['record', '--json', ...args], { stdin });
    expect([exitCode, stderr]).toEqual([0, '']);
    const { count, min, max, unit } = parseValues(stdout);
    return [count, min, max, unit];
  };

  test.each([
    ['a title', CSV, ['--column', 'time, ms'], [2, 1.5, 2.5, 'none']],
    ['a number', CSV, ['--column', '2', '--unit', 'ms'], [2, 1.5, 2.5, 'ms']],
    ['quantities', CSV, ['--column', 'size'], [2, 4, 8, 'KiB']],
    ['tabs', 'a\tb\n1\t2\n3\t4\n', ['--column', 'b'], [2, 2, 4, 'none']],
    ['semicolons', '1;2\n3;4\n', ['--column', '1'], [2, 1, 3, 'none']],
    ['blanks', '# head\nx 1.5\ny 2.5\n', ['--column', '2'], [2, 1.5, 2.5, 'none']],
    [
      'lines to skip',
      'made by me\npath,ms\n/,1\n/,2\n',
      ['--skip', '1', '--column', 'ms'],
      [2, 1, 2, 'none'],
    ],
    ['titles alone', 'ms\n1\n2\n', ['--column', 'ms'], [2, 1, 2, 'none']],
    ['a field', '{"ms":1.5}\n{"ms":2.5}\n', ['--field', 'ms'], [2, 1.5, 2.5, 'none']],
    ['a path', '{"a":{"b":"5ms"}}\n{"a":{"b":"1s"}}\n', ['--field', 'a.b'], [2, 5, 1000, 'ms']],
    ['a name with a point', '{"a.b":7}\n', ['--field', 'a.b'], [1, 7, 7, 'none']],
    ['an array', '[{"ms":1},\n {"ms":2},\n {"ms":3}]\n', ['--field', 'ms'], [3, 1, 3, 'none']],
  ])('are read with %s', async (_, text, args, expected) => {
    expect(await counted(text, ...args)).toEqual(expected);
    const path = folder.pathOf('table.gz');
    writeFileSync(path, gzipSync(text));
    expect(await counted('', ...args, path)).toEqual(expected);
  });

  test('may lack a number in a row', async () => {
    const stdin = 'path,ms\n/a,1\n/b,n/a\n/c,3\nshort\n';
    const { exitCode, stdout, stderr } = await hdrscope(['record', '--json', '--column', 'ms'], { stdin });
    expect([exitCode, parseValues(stdout).count]).toEqual([1, 2]);
    expect(stderr).toContain('left out 2 malformed lines: lines 3, 5');
  });

  test('leave out lines without such a number, and report them', async () => {
    const stdin = '{"ms":1}\n{"us":2}\nnonsense\n{"ms":-1}\n{"ms":4}\n';
    const { exitCode, stdout, stderr } = await hdrscope(['record', '--json', '--field', 'ms'], { stdin });
    expect([exitCode, parseValues(stdout).count]).toEqual([1, 2]);
    expect(stderr).toContain('left out 3 malformed lines: lines 2, 3, 4');
  });

  test.each([
    [
      CSV,
      [],
      "is a table; the columns with numbers are time, ms, size: hdrscope record --column 'time, ms' --unit ms -",
      1,
    ],
    [
      '{"a":1,"b":{"c":2},"d":"x"}\n',
      [],
      'is JSON; the fields with numbers are a, b.c; measured values may be in a or b.c: hdrscope record --field FIELD - counts one',
      1,
    ],
    [
      CSV,
      ['--column', 'sise'],
      'has no column sise: did you mean size?; the columns with numbers are time, ms, size',
      2,
    ],
    [
      '{"ms":1}\n',
      ['--field', 'mss'],
      'has no numbers in the field mss: did you mean ms?; the fields with numbers are ms',
      2,
    ],
    [
      '{"ms":"soon"}\n',
      ['--field', 'ms'],
      'has no numbers in the field ms: it has no fields with numbers',
      2,
    ],
  ])('%j with %j is refused with what is there', async (stdin, args, message, code) => {
    const { exitCode, stdout, stderr } = await hdrscope(['record', ...args], { stdin });
    expect([exitCode, stdout, stderr]).toEqual([code, '', `hdrscope: standard input ${message}\n`]);
  });
});

test('parts of a nanosecond count when the resolution has them', async () => {
  const args = ['record', '--unit', 'ns', '--resolution', '0.1', '--digits', '4', '--json', '-'];
  const { stdout } = await hdrscope(args, { stdin: '0.3ns\n12.3ns\n' });
  expect(parseValues(stdout)).toMatchObject({ count: 2, min: 0.3, max: 12.3 });
});

test('a log of numbers says their unit and the step between two', async () => {
  const noteOf = async (...args: string[]): Promise<string | undefined> => {
    const { stdout } = await hdrscope(['record', '--format', 'hlog', ...args, '-'], { stdin: '1\n2\n' });
    return stdout.split('\n').find((line) => line.includes('numbers'));
  };
  expect(await noteOf()).toBe(
    '#[Made of numbers without a unit, counted in steps of 0.001; their times are not known]',
  );
  expect(await noteOf('--unit', 'us')).toBe(
    '#[Made of numbers in us, counted in steps of 0.001 us; their times are not known]',
  );
});

test('shows long times in a larger unit, and thousands apart', async () => {
  const { stdout } = await hdrscope(['record', '--unit', 'ns', '--no-plot'], {
    stdin: '125000000000\n1000000\n',
  });
  expect(stdout).toMatch(/^2 values of standard input, in ms, to 3 significant digits\n/);
  expect(stdout).toMatch(/^ +max +125,000$/m);
  const none = await hdrscope(['record', '--no-plot'], { stdin: '1234567\n' });
  expect(none.stdout).toMatch(/^ +max +1,230,000$/m);
});

test('a picture and a program are named as such', async () => {
  const png = folder.pathOf('chart.png');
  writeFileSync(png, Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0]));
  const svg = folder.write('chart.svg', '<svg xmlns="http://www.w3.org/2000/svg"></svg>');
  const program = folder.pathOf('program');
  writeFileSync(program, Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0, 0]));
  for (const [path, what] of [
    [png, 'is a picture'],
    [svg, 'is a picture'],
    [program, 'is not text'],
  ] as const) {
    for (const command of ['record', 'plot', 'diff']) {
      const { exitCode, stdout, stderr } = await hdrscope([
        command,
        path,
        ...(command === 'diff' ? [path] : []),
      ]);
      expect([exitCode, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(new RegExp(`^hdrscope: ${path} ${what}: hdrscope reads logs, texts of numbers`));
    }
  }
});
