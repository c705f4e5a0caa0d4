import { readFileSync } from 'node:fs';
import type { ComparisonPlot, HeatMapPlot, TimePlot } from '@hdrscope/plot';
import { shareDuckDb } from '@hdrscope/testing/shared-duckdb';
import { hdrscope } from '../support/fake-io.ts';
import { type CountsByMs, writeHistory } from '../support/history-rows.ts';
import { useFolder } from '../support/logs.ts';

shareDuckDb();

const folder = useFolder();

// Two hours of minutes without the second half of the first hour, and version 2 from 01:00 on.
const MINUTES = Array.from({ length: 120 }, (_, minute) => minute).filter(
  (minute) => minute < 30 || minute >= 60,
);

const timeOf = (minute: number): string =>
  new Date(Date.UTC(2026, 10, 10, 0, minute)).toISOString().slice(0, 19);

let history: string;
beforeAll(async () => {
  history = folder.pathOf('history');
  await writeHistory(
    history,
    MINUTES.flatMap((minute) =>
      ['/pay', '/search'].map((route) => {
        const isNew = minute >= 60;
        const slow = isNew && route === '/pay' ? 2 : 1;
        const counts: CountsByMs = { [10 * slow]: 60, [20 * slow]: 35, [100 * slow]: 5 };
        return [timeOf(minute), { route, version: isNew ? '2' : '1' }, counts] as const;
      }),
    ),
  );
});

const query = (...args: string[]) => hdrscope(['query', history, '--metric', 'rpc', ...args]);
const plotOf = async <P>(...args: string[]): Promise<P> => {
  const { exitCode, stdout, stderr } = await query(...args, '--json');
  expect([exitCode, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as P;
};

describe('heat map', () => {
  test('has each value once, in stretches of the length of the intervals, and a gap', async () => {
    const { kind, title, x, y, counts } = await plotOf<HeatMapPlot>('--kind', 'heat-map');
    expect([kind, title, y.unit]).toEqual(['heat-map', 'rpc', 'ms']);
    expect(x.slots.map(({ lower, upper }) => upper - lower)).toEqual([
      ...Array.from({ length: 30 }, () => 60_000),
      30 * 60_000,
      ...Array.from({ length: 60 }, () => 60_000),
    ]);
    expect(counts.flat().reduce((sum, count) => sum + count, 0)).toBe(90 * 200);
    expect(counts.map((row) => row[30]).some((count) => count! > 0)).toBe(false);
    const rowOf = (ms: number): number => y.slots.findIndex(({ lower, upper }) => lower <= ms && ms < upper);
    expect(counts[rowOf(100)]![0]).toBe(10);
    expect(counts[rowOf(200)]!.slice(29, 33)).toEqual([0, 0, 5, 5]);
  });

  test('takes the stretches, the time and the series that are asked for', async () => {
    const { x, counts } = await plotOf<HeatMapPlot>(
      ...['--kind', 'heat-map', '--every', '10m', '--where', 'route=/pay', '--since', '2026-11-10T01:00'],
    );
    expect(x.slots).toHaveLength(6);
    expect(counts.flat().reduce((sum, count) => sum + count, 0)).toBe(60 * 100);
  });

  test('is drawn for each group', async () => {
    const plots = await plotOf<HeatMapPlot[]>('--kind', 'heat-map', '--by', 'route');
    expect(plots.map(({ title }) => title)).toEqual(['rpc, route=/pay', 'rpc, route=/search']);
    const picture = await query('--kind', 'heat-map', '--by', 'route', '-o', folder.pathOf('two.png'));
    expect(picture.stderr).toMatch(/one picture cannot hold 2 plots/);
    const path = folder.pathOf('one.png');
    expect(await query('--kind', 'heat-map', '-o', path)).toEqual({ exitCode: 0, stdout: '', stderr: '' });
    expect(readFileSync(path).subarray(1, 4).toString()).toBe('PNG');
  });

  test('says what the history does not have', async () => {
    expect((await query('--kind', 'heat-map', '--where', 'host=a')).stderr).toMatch(
      /no series of rpc has an attribute 'host'/,
    );
    const late = await query('--kind', 'heat-map', '--since', '2026-11-11');
    expect(late.exitCode).toBe(1);
    expect(late.stderr).toMatch(
      /no values are selected: rpc has values from 2026-11-10 00:00.*\n.*nothing to draw/,
    );
  });
});

test('lines over time end at a gap', async () => {
  const { timesMs, lines } = await plotOf<TimePlot>('--every', '10m', '--plot', '--percentiles', '50');
  expect(timesMs).toHaveLength(10);
  expect(lines[0]!.values.map((value) => value === null)).toEqual(
    Array.from({ length: 10 }, (_, at) => at === 3),
  );
});

const RANGES = ['--before', '2026-11-10T00:00/30m', '--after', '2026-11-10T01:00/02:00'];

describe('comparison', () => {
  test('has the verdicts of hdrscope diff', async () => {
    const { exitCode, stdout, stderr } = await query(...RANGES, '--where', 'route=/pay');
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(
      /^2026-11-10 00:00 to 00:30 \(3,000 values\) and 2026-11-10 01:00 to 02:00 \(6,000 values\), in ms\n/,
    );
    expect(stdout).toMatch(/p50 +10\.\d+ +20\.\d+ +\+10\.\d+ +\+100\.0 % .*slower in this run\n/);
    expect(stdout).toMatch(/two runs differ\. Slower: p50 \+100\.0 % \(99 % interval /i);
    const gate = ['--fail-if-worse', '5%', '--percentiles', '50,90'];
    expect((await query(...RANGES, '--where', 'route=/pay', ...gate)).exitCode).toBe(3);
    const search = await query(...RANGES, '--where', 'route=/search', ...gate, '--one-run');
    expect([search.exitCode, search.stdout]).toEqual([0, expect.stringContaining('No difference shown')]);
    expect((await query(...RANGES, '--where', 'route=/pay', ...gate, '--one-run')).exitCode).toBe(1);
  });

  test('several ranges a side are its runs', async () => {
    const runs = ['--before', '2026-11-10T00:00/10m', '2026-11-10T00:10/10m', '2026-11-10T00:20/10m'];
    runs.push('--after', '2026-11-10T01:00/20m', '2026-11-10T01:20/20m', '2026-11-10T01:40/20m');
    const args = [...runs, '--where', 'route=/pay', '--percentiles', '50,90', '--fail-if-worse', '5%'];
    const { exitCode, stdout } = await query(...args);
    expect([exitCode, stdout]).toEqual([
      1,
      expect.stringMatching(/^before \(3 runs, 3,000 values\) and after/),
    ]);
    expect(stdout).toContain('significantly slower');
    const plot = await query(...args, '--plot');
    expect([plot.exitCode, plot.stderr]).toEqual([
      2,
      expect.stringContaining('--plot compares one range before'),
    ]);
  });

  test('JSON is that of hdrscope diff, and names missing files', async () => {
    const found = JSON.parse((await query(...RANGES, '--json', '--percentiles', '50')).stdout);
    expect(Object.keys(found)).toEqual([
      ...['before', 'after', 'confidence', 'tolerance', 'minRuns', 'ground', 'verdict', 'changes', 'missing'],
    ]);
    expect([found.before.count, found.after.count, found.confidence]).toEqual([6000, 12_000, 0.99]);
  });

  test('is drawn as hdrscope plot draws it, of ranges and of groups', async () => {
    const ranges = await plotOf<ComparisonPlot>(
      ...RANGES,
      '--plot',
      '--where',
      'route=/pay',
      '--confidence',
      '0.9',
    );
    expect(ranges).toMatchObject({ kind: 'comparison', unit: 'ms', title: 'rpc', confidence: 0.9 });
    expect([ranges.before.name, ranges.before.totalCount]).toEqual(['2026-11-10 00:00 to 00:30', 3000]);
    expect(ranges.changes[0]!.after / ranges.changes[0]!.before).toBeCloseTo(2, 1);
    expect(ranges.before.points.at(-1)!.value).toBeCloseTo(100, 0);
    const groups = await plotOf<ComparisonPlot>('--kind', 'comparison', '--by', 'version');
    expect([groups.before.name, groups.after.name]).toEqual(['version=1', 'version=2']);
    const gate = ['--fail-if-worse', '5%', '--one-run', '--percentiles', '50,90'];
    const text = await query('--kind', 'comparison', '--by', 'version', ...gate);
    expect([text.exitCode, text.stdout]).toEqual([1, expect.stringMatching(/Slower, by more than 5 %: p50/)]);
  });

  test.each([
    [
      ['--before', '2026-11-10T00:00/30m', '--after', '2026-11-11/1d'],
      'rpc has no values to compare in 2026-11-11\n',
    ],
    [['--before', '2026-11-10/1d', '--after', '2026-11-11/7d'], 'in 2026-11-11 to 2026-11-18\n'],
    [
      ['--kind', 'comparison', '--by', 'route', '--by', 'version'],
      'a comparison takes two groups, got route=/pay, version=1; route=/pay, version=2;',
    ],
    [['--kind', 'comparison', '--by', 'host'], "no series of rpc has an attribute 'host'"],
  ])('refuses %j', async (args, message) => {
    const { exitCode, stdout, stderr } = await query(...args);
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toContain(message);
  });

  test('refuses steps that have no common slots', async () => {
    const mixed = folder.pathOf('mixed');
    await writeHistory(mixed, [['2026-11-10T00:00:00', { host: 'a' }, { 5: 1 }]], { scale: 1e-9 });
    await writeHistory(mixed, [['2026-11-10T00:00:00', { host: 'b' }, { 5: 1 }]], { scale: 1e-6 });
    const { stderr } = await hdrscope([
      'query',
      mixed,
      '--metric',
      'rpc',
      '--kind',
      'comparison',
      '--by',
      'host',
    ]);
    expect(stderr).toMatch(
      /host=a is counted in steps of 1e-9 s and host=b in steps of 0.000001 s: only equal/,
    );
    // Maps add up values, which have one axis.
    const map = await hdrscope(['query', mixed, '--metric', 'rpc', '--kind', 'heat-map', '--json']);
    expect((JSON.parse(map.stdout) as HeatMapPlot).counts.flat().reduce((sum, count) => sum + count, 0)).toBe(
      2,
    );
  });
});

test.each([
  [['--kind', 'over-time'], '--kind over-time goes with --every'],
  [['--kind', 'percentiles', '--every', '1h'], '--kind percentiles is of all time'],
  [['--kind', 'comparison'], '--kind comparison needs --before and --after, or --by'],
  [['--kind', 'bars'], '--kind must be percentiles, comparison, over-time'],
  [['--kind', 'heat-map', '--format', 'csv'], '--kind and --format csv exclude each other'],
  [['--kind', 'heat-map', '--print-sql'], '--kind belongs to an answer'],
  [[...RANGES, '--format', 'csv'], '--format csv does not go with a comparison'],
  [[...RANGES, '--by', 'route'], '--by does not go with --before and --after'],
  [[...RANGES, '--since', '1d'], '--since and --until do not go with --before and --after'],
  [[...RANGES, '--every', '1h'], '--every does not go with a comparison'],
  [[...RANGES, '--print-sql'], '--print-sql has no statement for a comparison'],
  [['--before', '2026-11-10/1d'], '--before needs --after'],
  [['--after', '2026-11-10/1d'], '--after needs --before'],
  [
    ['--before', '2026-11-10/1d', '--after', '2026-11-10/2d'],
    'the ranges of --before and --after must not overlap',
  ],
  [[...RANGES, '--kind', 'heat-map'], '--before and --after go with --kind comparison'],
  [['--confidence', '0.9'], '--confidence goes with a comparison'],
  [['--fail-if-worse', '5%'], '--fail-if-worse goes with a comparison'],
  [['--one-run'], '--one-run goes with a comparison'],
])('refuses %j', async (args, message) => {
  const { exitCode, stdout, stderr } = await query(...args);
  expect([exitCode, stdout]).toEqual([2, '']);
  expect(stderr).toContain(message);
});
