import { gzipSync } from 'node:zlib';
import { DoubleHistogram, formatPercentiles, Histogram } from '@hdrscope/core';
import { hdrscope } from '../support/fake-io.ts';
import { parseValues } from '../support/figure-values.ts';
import { evenly, logText, useFolder } from '../support/logs.ts';

const folder = useFolder();

const BEFORE = evenly(2000, 0.01);
const AFTER = evenly(2000, 0.03);

/** The histogram of a program that counts milliseconds as nanoseconds. */
function nanoseconds(values: readonly number[]): Histogram {
  const histogram = new Histogram();
  for (const ms of values) histogram.record(Math.round(ms * 1e6));
  return histogram;
}

function doubles(values: readonly number[]): DoubleHistogram {
  const histogram = new DoubleHistogram();
  for (const ms of values) histogram.record(ms);
  return histogram;
}

const KINDS: Readonly<Record<string, (values: readonly number[]) => string>> = {
  log: (ms) => logText([{ at: 1, ms }]),
  'percentile text': (ms) => formatPercentiles(nanoseconds(ms), { valueScale: 1e6 }),
  'a base64 histogram': (ms) => `${nanoseconds(ms).toBase64()}\n`,
  numbers: (ms) => `# ms\n${ms.join('\n')}\n`,
  'numbers with units': (ms) =>
    ms.map((value, at) => (at % 2 === 0 ? `${value}ms\n` : `${value / 1000} s\n`)).join(''),
  'JSON of record': (ms) =>
    JSON.stringify({ unit: 'ms', resolution: 1e-6, encoded: nanoseconds(ms).toBase64() }, undefined, 2),
  'JSON in microseconds': (ms) => {
    const histogram = new Histogram();
    for (const value of ms) histogram.record(Math.round(value * 1000));
    return JSON.stringify({ unit: 's', resolution: 1e-6, encoded: histogram.toBase64() });
  },
};

/** The unit and the count of both sides. */
function countsIn(json: string): unknown[] {
  const { before, after } = parseValues(json);
  return [before.unit, before.count, after.unit, after.count];
}

const texts = new Map<string, string>();

function write(kind: string, values: readonly number[]): string {
  const name = `${kind} ${values[0]}`;
  const text = texts.get(name) ?? KINDS[kind]!(values);
  texts.set(name, text);
  return folder.write(name, text);
}

test('figures in KiB and a histogram in bytes are compared in bytes', async () => {
  const [kibs, bytes] = [new Histogram(), new Histogram()];
  for (let size = 1; size <= 2000; size++) {
    kibs.record(size);
    bytes.record(size * 1024);
  }
  const before = JSON.stringify({ unit: 'KiB', resolution: 1, encoded: kibs.toBase64() });
  const files = [folder.write('kibs.json', before), folder.write('bytes.txt', `${bytes.toBase64()}\n`)];
  const { stdout } = await hdrscope(['diff', ...files, '--unit', 'bytes', '--percentiles', '50', '--json']);
  const { changes } = JSON.parse(stdout) as { changes: readonly [{ relative: number }] };
  expect(Math.abs(changes[0].relative)).toBeLessThan(0.002);
});

test.each(Object.keys(KINDS).flatMap((one) => Object.keys(KINDS).map((other) => [one, other])))(
  'compares %s with %s, recognised by their content',
  async (one, other) => {
    const paths = [write(one, BEFORE), write(other, AFTER)];
    const options = ['--percentiles', '50', '--text-unit', 'ms'];
    const { exitCode, stdout } = await hdrscope(['diff', ...options, '--json', ...paths]);
    expect(exitCode).toBe(0);
    expect(countsIn(stdout)).toEqual(['ms', 2000, 'ms', 2000]);
    const [{ before, after }] = parseValues(stdout).changes;
    // Rows of percentile text are close to each other, and have three decimals.
    expect([before / 10, after / 30].every((part) => Math.abs(part - 1) < 0.002)).toBe(true);
    const gate = [...options, '--fail-if-worse', '1%', '--one-run'];
    expect((await hdrscope(['diff', ...paths.toReversed(), ...gate])).exitCode).toBe(0);
    const worse = await hdrscope(['diff', ...paths, ...gate]);
    expect([worse.exitCode, worse.stdout]).toEqual([1, expect.stringMatching(/(slower|higher) in this run/)]);
  },
);

test('reads one side from standard input', async () => {
  for (const kind of Object.keys(KINDS)) {
    const args = ['diff', '--json', '--percentiles', '50', '--text-unit', 'ms', '-', write('numbers', AFTER)];
    const { stdout } = await hdrscope(args, { stdin: KINDS[kind]!(BEFORE) });
    expect(countsIn(stdout)).toEqual(['ms', 2000, 'ms', 2000]);
  }
});

test('numbers have no unit unless somebody states it', async () => {
  const paths = [write('numbers', BEFORE), write('numbers', AFTER)];
  const { stdout } = await hdrscope(['diff', '--json', ...paths]);
  expect(countsIn(stdout)).toEqual(['none', 2000, 'none', 2000]);
  const { exitCode, stderr } = await hdrscope(['diff', write('log', BEFORE), paths[1]!]);
  expect(exitCode).toBe(2);
  expect(stderr).toBe(
    `hdrscope: ${paths[1]} has numbers without a unit, and the values of ${write('log', BEFORE)} are in ns: --text-unit ms says that the numbers are milliseconds\n`,
  );
  const sizes = folder.write('sizes.txt', '4KiB\n8KiB\n');
  const mixed = await hdrscope(['diff', write('log', BEFORE), sizes]);
  expect([mixed.exitCode, mixed.stderr]).toEqual([2, expect.stringContaining(`${sizes} is in KiB and `)]);
  const both = await hdrscope(['diff', write('numbers with units', BEFORE), sizes]);
  expect([both.exitCode, both.stderr]).toEqual([
    1,
    expect.stringContaining('has "4KiB", and others are in ms'),
  ]);
});

test.each([
  [['--unit', 'us'], 1e-3],
  [['--text-unit', 's'], 1000],
  [['--unit', 'ns', '--text-unit', 's'], 1000],
])('takes the unit of numbers from %j', async (options, ms) => {
  const paths = [write('numbers', BEFORE), write('numbers', AFTER)];
  const { stdout } = await hdrscope(['diff', '--json', '--percentiles', '50', ...options, ...paths]);
  const { before, changes } = parseValues(stdout);
  expect([before.unit, Math.round(changes[0].before / ms)]).toEqual(['ms', 10]);
});

test('shows numbers without a unit as they are', async () => {
  const paths = [write('numbers', BEFORE), write('numbers', AFTER)];
  const { stdout } = await hdrscope(['diff', '--unit', 'none', '--percentiles', '50', ...paths]);
  expect(stdout).toMatch(/^p50 +10\.0\d\d +30\.0\d\d /m);
});

test('compares doubles with doubles only', async () => {
  const paths = [BEFORE, AFTER].map((values, at) => folder.write(`d${at}`, doubles(values).toBase64()));
  const args = ['diff', '--unit', 'none', '--json', '--percentiles', '50'];
  const { stdout } = await hdrscope([...args, ...paths]);
  expect(parseValues(stdout).changes[0].before).toBeCloseTo(10, 1);
  const mixed = await hdrscope([...args, paths[0]!, write('log', AFTER)]);
  expect([mixed.exitCode, mixed.stderr]).toEqual([1, 'hdrscope: integers cannot be compared with doubles\n']);
});

test('draws both curves on a terminal', async () => {
  const paths = [write('numbers', BEFORE), write('numbers', AFTER)];
  const { stdout } = await hdrscope(['diff', ...paths], { isTerminal: true, environment: { NO_COLOR: '1' } });
  expect(stdout).toMatch(/numbers 0\.01 .*2,000 values/);
  expect(stdout).toContain('99 %');
  const plain = await hdrscope(['diff', ...paths, '--no-plot'], {
    isTerminal: true,
    environment: { NO_COLOR: '1' },
  });
  expect(stdout.startsWith(plain.stdout)).toBe(true);
  expect((await hdrscope(['diff', ...paths, '--plot'])).stdout.length).toBeGreaterThan(plain.stdout.length);
});

test('reports lines without a number', async () => {
  const stdin = `${BEFORE.join('\n')}\nsoon\n`;
  const { exitCode, stderr } = await hdrscope(['diff', '-', write('numbers', AFTER)], { stdin });
  expect([exitCode, stderr]).toEqual([
    1,
    `hdrscope: standard input: line 2001 has no number of at least 0 that can be counted: "soon"\nhdrscope: left out 1 malformed line\n`,
  ]);
});

test('reports what it left out when no value is left', async () => {
  for (const command of [['diff'], ['plot', '--kind', 'comparison']]) {
    const { exitCode, stdout, stderr } = await hdrscope([...command, '-', write('numbers', AFTER)], {
      stdin: '-1\n',
    });
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toBe(
      `hdrscope: standard input: line 1 has no number of at least 0 that can be counted: "-1"
hdrscope: left out 1 malformed line
hdrscope: standard input has no values to compare
`,
    );
  }
});

test('reads gzipped numbers', async () => {
  const stdin = gzipSync(KINDS.numbers!(BEFORE));
  const args = ['diff', '--percentiles', '50', '--json', '-', write('numbers', BEFORE)];
  const { exitCode, stdout, stderr } = await hdrscope(args, { stdin });
  expect([exitCode, stderr, countsIn(stdout)]).toEqual([0, '', ['none', 2000, 'none', 2000]]);
});

test('reports numbers that are too small for the resolution, and states the resolution', async () => {
  const numbers = write('numbers', AFTER);
  const fine = await hdrscope(['diff', '--unit', 'ms', '-', numbers], {
    stdin: `0.0000004\n0\n${BEFORE.join('\n')}`,
  });
  expect([fine.exitCode, fine.stderr]).toEqual([
    0,
    'hdrscope: standard input: 1 number is nearer to 0 than to the resolution, 0.000001 ms, and counted as 0: hdrscope record --resolution keeps smaller ones apart\n',
  ]);
  // Beside a log of milliseconds, numbers are counted in milliseconds.
  const coarse = await hdrscope(['diff', '--unit', 'ms', '-', write('log', AFTER)], { stdin: '0.4\n7\n' });
  expect(coarse.stderr).toContain('1 number is nearer to 0 than to the resolution, 1 ms,');
});

test('shows its progress on a terminal for every form of input', async () => {
  for (const kind of Object.keys(KINDS)) {
    let now = 0;
    const monotonicMs = (): number => (now += 1000);
    const paths = [write(kind, BEFORE), write(kind, AFTER)];
    const { stderr } = await hdrscope(['diff', '--text-unit', 'ms', ...paths], {
      isTerminal: true,
      monotonicMs,
    });
    expect(stderr).toContain('(100 %)');
  }
});

test.each([
  ['', 'has no values to compare'],
  ['HISTFAAAABBBB', 'standard input: '],
])('refuses %j', async (stdin, message) => {
  const { exitCode, stdout, stderr } = await hdrscope(['diff', '-', write('log', AFTER)], { stdin });
  expect([exitCode, stdout]).toEqual([1, '']);
  expect(stderr).toContain(message);
});
