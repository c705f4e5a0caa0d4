import { gzipSync } from 'node:zlib';
import { Histogram, type HistogramOptions } from '@hdrscope/core';
import { formatInterval } from '@hdrscope/interval-log';
import { lackOfShared, sharedPath, testUnless } from '@hdrscope/testing';
import { hdrscope } from '../support/fake-io.ts';
import { parseValues } from '../support/figure-values.ts';
import { evenly, logText, useFolder } from '../support/logs.ts';

const folder = useFolder();

const LOG = logText([
  { tag: 'put', at: 1, ms: [250] },
  { tag: 'get', at: 1, ms: evenly(100) },
  { at: 3, ms: [7] },
  { tag: 'get', at: 10.5, ms: evenly(100) },
  { tag: 'idle', at: 11, ms: [] },
]);

test('prints a row for each tag', async () => {
  const ran = await hdrscope(['log', 'summary', '-', '--percentiles', '50,99'], { stdin: LOG });
  expect(ran).toEqual({
    exitCode: 0,
    stdout: `\
start 2017-07-14 02:40:00.000 UTC, values in ms

tag       intervals  from s    to s  length s  count  rate/s      min     mean      p50      p99      max
(no tag)          1   3.000   4.000     1.000      1     1.0    6.996    6.998    7.000    7.000    7.000
get               2   1.000  11.500    10.500    200    19.0    1.000   50.499   50.004   99.025  100.008
idle              1  11.000  12.000     1.000      0     0.0        -        -        -        -        -
put               1   1.000   2.000     1.000      1     1.0  249.954  250.020  250.085  250.085  250.085
`,
    stderr: '',
  });
});

test('an interval that starts a rounding error before its log starts at 0', async () => {
  const [line = ''] = LOG.split('\n').filter((text) => text.startsWith('Tag=put'));
  const stdin = `#[StartTime: 1500000001.0001 (seconds since epoch)]\n${line.replace(/,[\d.]+,/, ',1500000001.0000,')}\n`;
  const { stdout } = await hdrscope(['log', 'summary', '-'], { stdin });
  expect(stdout.split('\n')[3]).toMatch(/^put +1 +0\.000 +1\.000 +1\.000 /);
});

test('prints Markdown', async () => {
  const args = ['log', 'summary', '--markdown', '--percentiles', '50', '--no-tag', '-'];
  expect((await hdrscope(args, { stdin: LOG })).stdout).toBe(`\
start 2017-07-14 02:40:00.000 UTC, values in ms

| tag | intervals | from s | to s | length s | count | rate/s | min | mean | p50 | max |
|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|
| (no tag) | 1 | 3.000 | 4.000 | 1.000 | 1 | 1.0 | 6.996 | 6.998 | 7.000 | 7.000 |
`);
});

test('prints JSON with unrounded numbers', async () => {
  const args = ['log', 'summary', '--json', '--tag', 'put', '--tag', 'idle', '-', '--percentiles', '50'];
  const { stdout } = await hdrscope(args, { stdin: LOG });
  expect(parseValues(stdout)).toEqual({
    startSec: 1_500_000_000,
    tags: [
      {
        name: 'idle',
        unit: 'ms',
        tag: 'idle',
        intervals: 1,
        startSec: 1_500_000_011,
        endSec: 1_500_000_012,
        count: 0,
        ratePerSec: 0,
        min: null,
        mean: null,
        percentiles: [{ percentile: 50, value: null }],
        max: null,
      },
      {
        name: 'put',
        unit: 'ms',
        tag: 'put',
        intervals: 1,
        startSec: 1_500_000_001,
        endSec: 1_500_000_002,
        count: 1,
        ratePerSec: 1,
        min: 249.954304,
        mean: 250.01984,
        percentiles: [{ percentile: 50, value: 250.085375 }],
        max: 250.085375,
      },
    ],
  });
});

test.each([
  ['us', '250,085.375'],
  ['ms', '250,085,375.000'],
  ['s', '250,085,375,000.000'],
  ['none', '250,085,375'],
])('shows values of a log in %s', async (unit, max) => {
  const args = ['log', 'summary', '--unit', unit, '--tag', 'put', '-'];
  const { stdout } = await hdrscope(args, { stdin: LOG });
  expect(stdout.trimEnd().split(/ +/).at(-1)).toBe(max);
});

test('adds up the selected times of several logs, including gzipped ones', async () => {
  const path = folder.write('a.hlog', LOG);
  const args = ['log', 'summary', path, '-', '--json', '--tag', 'get', '--since', '10s', '--until', '11s'];
  const { stdout } = await hdrscope(args, { stdin: gzipSync(LOG) });
  expect(parseValues(stdout).tags).toMatchObject([{ tag: 'get', intervals: 2, count: 200 }]);
});

test('reports malformed lines, and prints the rest', async () => {
  const stdin = `${LOG}nonsense\nmore,of,it\n`;
  const { exitCode, stdout, stderr } = await hdrscope(['log', 'summary', '-'], { stdin });
  expect(exitCode).toBe(1);
  expect(stdout).toContain('\nget  ');
  expect(stderr).toMatch(/^hdrscope: standard input: line 8: an interval must be/);
  expect(stderr).toContain('\nhdrscope: left out 2 malformed lines: lines 8, 9\n');
});

test.each([
  ['nonsense\n'.repeat(30), 'is text of no known form: hdrscope reads logs, '],
  [
    '\nSummary:\n  Total:\t0.01 secs\n',
    'is the report that hey prints for people, which has not every value: hey -o csv',
  ],
])('a text that is no log has no malformed lines: %j', async (stdin, message) => {
  for (const command of [['log', 'summary'], ['log', 'merge'], ['check', '--slo', 'p99=1s'], ['plot']]) {
    const path = folder.write('text.txt', stdin);
    const { exitCode, stdout, stderr } = await hdrscope([...command, path]);
    expect([exitCode, stdout, stderr]).toEqual([1, '', expect.stringContaining(`${path} ${message}`)]);
    expect(stderr).not.toContain('malformed');
  }
});

test.each(['', '# comments only\n', '#[Histogram log format version 1.3]\n'])(
  '%j is a log without intervals',
  async (stdin) => {
    const { exitCode, stderr } = await hdrscope(['log', 'summary', '-'], { stdin });
    expect([exitCode, stderr]).toEqual([0, 'hdrscope: there are no intervals\n']);
  },
);

test('shows only the first of many malformed lines', async () => {
  const { stderr } = await hdrscope(['log', 'summary', '-'], {
    stdin: `#[Histogram log format version 1.3]\n${'nonsense\n'.repeat(30)}`,
  });
  expect(stderr.match(/line \d+: an interval/g)).toEqual([
    'line 2: an interval',
    'line 3: an interval',
    'line 4: an interval',
  ]);
  expect(stderr).toContain('left out 30 malformed lines: lines 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 20 more\n');
});

test('prints colours on a terminal, but not with NO_COLOR or on a dumb terminal', async () => {
  const of = async (environment: Record<string, string>): Promise<boolean> =>
    (await hdrscope(['log', 'summary', '-'], { stdin: LOG, isTerminal: true, environment })).stdout.includes(
      '\u001b[',
    );
  expect(await of({})).toBe(true);
  expect(await of({ NO_COLOR: '1' })).toBe(false);
  expect(await of({ TERM: 'dumb' })).toBe(false);
});

const RECORDED = 'data/hlog/jHiccup-2.0.7S.logV2.hlog';

testUnless(lackOfShared(RECORDED))('reads the log of jHiccup', async () => {
  const path = sharedPath(RECORDED);
  const { exitCode, stdout } = await hdrscope(['log', 'summary', path, '--json']);
  expect(exitCode).toBe(0);
  // Java HdrHistogram: 48761 values, the largest 1796210687.
  expect(parseValues(stdout).tags).toMatchObject([{ tag: null, intervals: 62, count: 48_761 }]);
});

describe('logs of unlike layouts', () => {
  beforeAll(() => {
    const lineOf = (values: readonly number[], shape: HistogramOptions): string => {
      const histogram = new Histogram({ highestTrackableValue: 2 ** 40, ...shape });
      histogram.recordValues(values);
      return formatInterval(histogram, { startSec: 1, endSec: 2 });
    };
    folder.write('fine.hlog', lineOf([427, 500, 900], { significantDigits: 3 }));
    const wide = { significantDigits: 3, lowestDiscernibleValue: 2 ** 14 };
    folder.write('wide.hlog', lineOf([300, 16_000, 5_000_000], wide));
  });

  const summary = async (files: readonly string[], ...args: string[]): Promise<string> =>
    (await hdrscope(['log', 'summary', ...files.map((file) => folder.pathOf(file)), ...args])).stdout;

  test('have one summary in any order, with the bounds of what is known', async () => {
    const args = ['--columns', 'count,p50,max'];
    const text = await summary(['fine.hlog', 'wide.hlog'], ...args);
    expect(text.split('\n').slice(2)).toEqual([
      'tag       count                   p50                   max',
      '(no tag)      6  0.000427 to 0.000900  4.997120 to 5.013503',
      '',
    ]);
    expect(await summary(['wide.hlog', 'fine.hlog'], ...args)).toBe(text);
  });

  test('have bounds in JSON', async () => {
    const [one, other] = [
      JSON.parse(await summary(['fine.hlog', 'wide.hlog'], '--json', '--percentiles', '50')),
      JSON.parse(await summary(['wide.hlog', 'fine.hlog'], '--json', '--percentiles', '50')),
    ];
    expect(one).toEqual(other);
    expect(one.tags[0]).toMatchObject({
      min: { lower: 0, upper: 0.000427 },
      percentiles: [{ percentile: 50, lower: 0.000427, upper: 0.0009 }],
    });
  });
});
