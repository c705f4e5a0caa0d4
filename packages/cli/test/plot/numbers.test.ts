import { gzipSync } from 'node:zlib';
import type { ComparisonPlot, PercentilePlot } from '@hdrscope/plot';
import { hdrscope } from '../support/fake-io.ts';
import { evenly, useFolder } from '../support/logs.ts';
import { dataOf, SINGLE, SLOWER } from '../support/plots.ts';

const folder = useFolder();

const namesOf = ({ curves }: PercentilePlot): string[] => curves.map(({ name }) => name);

describe('numbers', () => {
  const NUMBERS = evenly(1000).join('\n');
  const medianOf = ({ curves }: PercentilePlot): number[] =>
    curves.map(({ points }) => points.find(({ percentile }) => percentile === 50)!.value);

  test('are drawn as curves, counted as record counts them', async () => {
    const paths = [folder.write('n1.txt', NUMBERS), folder.write('n2.txt', evenly(1000, 0.0015).join('\n'))];
    const plot = await dataOf<PercentilePlot>([...paths, '--unit', 'ms']);
    expect([plot.unit, namesOf(plot)]).toEqual(['ms', ['n1.txt', 'n2.txt']]);
    const recorded = await Promise.all(
      paths.map((path) => hdrscope(['record', '--unit', 'ms', '--percentiles', '50', '--json', path])),
    );
    expect(medianOf(plot)).toEqual(recorded.map(({ stdout }) => JSON.parse(stdout).percentiles[0].value));
  });

  test('have no unit by default, and are counted in thousandths', async () => {
    const plot = await dataOf<PercentilePlot>(['-'], { stdin: '0.25\n0.25\n' });
    expect([plot.unit, plot.curves[0]!.points.at(-1)!.value]).toEqual(['none', 0.25]);
  });

  test('may be gzipped', async () => {
    const plot = await dataOf<PercentilePlot>(['-', '--unit', 'us'], { stdin: gzipSync(NUMBERS) });
    expect(plot.curves[0]!.totalCount).toBe(1000);
  });

  test.each([
    [['--text-unit', 'ms'], 'ns', 1e6],
    [['--text-unit', 'us'], 'ns', 1e3],
    [['--text-unit', 's', '--unit', 'ns'], 'ns', 1e9],
    [['--unit', 'us'], 'us', 1],
  ])('can be drawn beside a log, with %j', async (options, unit, perNumber) => {
    const paths = [folder.write('beside.hlog', SINGLE), folder.write('beside.txt', NUMBERS)];
    const plot = await dataOf<PercentilePlot>([...paths, ...options]);
    expect(plot.unit).toBe(unit);
    expect(medianOf(plot)[1]! / perNumber).toBeCloseTo(500, 0);
  });

  test('are compared, also with a log', async () => {
    const paths = [folder.write('old.txt', NUMBERS), folder.write('new.txt', evenly(1000, 1.5).join('\n'))];
    const args = ['--kind', 'comparison', '--percentiles', '50'];
    const { unit, changes } = await dataOf<ComparisonPlot>([...args, '--unit', 's', ...paths]);
    expect(unit).toBe('s');
    expect([changes[0]!.before, changes[0]!.after].map(Math.round)).toEqual([500, 750]);
    expect(changes[0]!.lower).toBeLessThan(250);
    expect(changes[0]!.upper).toBeGreaterThan(250);
    const mixed = await dataOf<ComparisonPlot>([
      ...[...args, '--text-unit', 'ms'],
      ...[paths[0]!, folder.write('new.hlog', SLOWER)],
    ]);
    expect(mixed.unit).toBe('ns');
    const { before, after } = mixed.changes[0]!;
    expect([before, after].map((value) => Math.round(value / 1e6))).toEqual([500, 750]);
  });

  test('are drawn as bars', async () => {
    const plot = await dataOf(['--kind', 'bars', '--unit', 'ms', '-'], { stdin: NUMBERS });
    if (plot.kind !== 'bars') throw new Error(plot.kind);
    expect(plot.counts.reduce((a, b) => a + b)).toBe(1000);
    expect(plot.slots[0]!.lower).toBeLessThanOrEqual(1);
    expect(plot.slots.at(-1)!.upper).toBeGreaterThanOrEqual(1000);
    expect(plot.slots.at(-1)!.upper).toBeLessThan(1500);
  });

  test('without a unit have objectives without one', async () => {
    const { slos } = await dataOf<PercentilePlot>(['--slo', '250', '--slo', 'p99=1000', '-'], {
      stdin: NUMBERS,
    });
    expect(slos).toEqual([{ value: 250 }, { value: 1000, percentile: 99 }]);
  });

  test('without a unit are refused beside a log', async () => {
    const args = ['plot', folder.write('beside.hlog', SINGLE), '-'];
    const { exitCode, stderr } = await hdrscope(args, { stdin: NUMBERS });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('--text-unit ms says that')]);
  });

  test('may have their units, or be in JSON or a table', async () => {
    const drawn = async (stdin: string, ...args: string[]): Promise<unknown[]> => {
      const { unit, curves } = await dataOf<PercentilePlot>([...args, '-'], { stdin });
      return [unit, curves[0]!.totalCount, curves[0]!.points.at(-1)!.value];
    };
    expect(await drawn('0.25ms\n250us\n')).toEqual(['ms', 2, expect.closeTo(0.25, 3)]);
    expect(await drawn('{"a":{"ms":1}}\n{"a":{"ms":2}}\n', '--field', 'a.ms')).toEqual(['none', 2, 2]);
    expect(await drawn('path,size\n/a,1KiB\n/b,2KiB\n', '--column', 'size')).toEqual([
      'KiB',
      2,
      expect.closeTo(2, 2),
    ]);
    expect(await drawn('{"a":1}\n{"a":2}\n', '--field', 'a', '--unit', 's')).toEqual([
      's',
      2,
      expect.closeTo(2, 2),
    ]);
  });

  test.each([
    [
      '{"name":"x","ms":1.5}\n{"name":"y","ms":2}\n',
      'is JSON; the fields with numbers are ms: hdrscope plot --field ms --unit ms -',
    ],
    [
      'path,ms\n/a,1.5\n/b,2\n',
      'is a table; the columns with numbers are ms: hdrscope plot --column ms --unit ms -',
    ],
    ['{"name":"x"}\n', 'is JSON: hdrscope plot draws dumps of Ceph, slots of the kernel, and plots'],
  ])('%j is refused with the command to type', async (stdin, message) => {
    expect(await hdrscope(['plot', '-'], { stdin })).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `hdrscope: standard input ${message}\n`,
    });
  });

  test('lines without a number are reported, and the rest is drawn', async () => {
    const { exitCode, stdout, stderr } = await hdrscope(['plot', '-'], {
      stdin: `${NUMBERS}\nsoon\n0.0000000001\n`,
    });
    expect([exitCode, stdout]).toEqual([1, expect.stringContaining('1,001 values')]);
    expect(stderr).toBe(
      `hdrscope: standard input: 1 number is nearer to 0 than to the resolution, 1e-9, and counted as 0: hdrscope record --resolution keeps smaller ones apart
hdrscope: standard input: line 1001 has no number of at least 0 that can be counted: "soon"
hdrscope: left out 1 malformed line
`,
    );
  });

  test('have no times', async () => {
    for (const kind of ['over-time', 'heat-map']) {
      const args = ['plot', folder.write('first.hlog', SINGLE), '-', '--unit', 'ms', '--kind', kind];
      expect(await hdrscope(args, { stdin: NUMBERS })).toEqual({
        exitCode: 1,
        stdout: '',
        stderr:
          'hdrscope: standard input is a text of numbers, which has no times: --kind over-time and heat-map take interval logs\n',
      });
    }
  });

  test('refuse --text-unit beside a --unit that is not a time', async () => {
    const { exitCode, stderr } = await hdrscope(['plot', '--unit', 'bytes', '--text-unit', 'ms', '-'], {
      stdin: NUMBERS,
    });
    expect([exitCode, stderr]).toEqual([
      2,
      'hdrscope: --text-unit and --unit bytes exclude each other: values are taken as printed then\n',
    ]);
  });
});
