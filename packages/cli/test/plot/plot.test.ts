import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { gzipSync } from 'node:zlib';
import { DoubleHistogram, Histogram } from '@hdrscope/core';
import { FORMAT_VERSION_LINE, formatInterval } from '@hdrscope/interval-log';
import type { ComparisonPlot, HeatMapPlot, PercentilePlot, Plot, TimePlot } from '@hdrscope/plot';
import { OSD_DUMP } from '@hdrscope/testing/osd';
import { hdrscope, type World } from '../support/fake-io.ts';
import { evenly, logText, testShared, useFolder } from '../support/logs.ts';

const folder = useFolder();

const LOG = logText([
  { tag: 'get', at: 0, ms: evenly(1000) },
  { tag: 'put', at: 0, ms: evenly(500, 4) },
  { tag: 'get', at: 1, ms: evenly(1000) },
  { tag: 'idle', at: 1, ms: [] },
]);
const SINGLE = logText([{ at: 0, ms: evenly(1000) }]);
const SLOWER = logText([{ at: 0, ms: evenly(1000, 1.5) }]);

const hgrmOf = async (log: string): Promise<string> =>
  (await hdrscope(['log', 'convert', '--to', 'hgrm', '-'], { stdin: log })).stdout;

// The output of wrk2 --latency, shortened.
const wrk2Of = async (log: string): Promise<string> =>
  `Running 30s test @ http://localhost:80/\n  Latency Distribution (HdrHistogram - Recorded Latency)\n 50.000%  500.00ms\n\n  Detailed Percentile spectrum:\n${(
    await hgrmOf(log)
  ).replace(
    /^ +Value.*$/m,
    '       Value   Percentile   TotalCount 1/(1-Percentile)',
  )}----------------------------------------------------------\n`;

/** The data of a plot, which every format draws. */
async function dataOf<Drawn extends Plot>(args: readonly string[], world: World = {}): Promise<Drawn> {
  const { stdout, stderr, exitCode } = await hdrscope(['plot', ...args, '--json'], world);
  expect([exitCode, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

const namesOf = ({ curves }: PercentilePlot): string[] => curves.map(({ name }) => name);

describe('percentiles', () => {
  test('draws a curve for each file of any form, with the name of the file', async () => {
    const encoded = new Histogram({ highestTrackableValue: 3_600_000_000_000 });
    for (const ms of evenly(1000)) encoded.record(ms * 1e6);
    const paths = [
      folder.write('a.hlog', SINGLE),
      folder.write('b.hgrm', await hgrmOf(SINGLE)),
      folder.write('wrk.txt', await wrk2Of(SINGLE)),
      folder.write('encoded.txt', `${encoded.toBase64()}\n`),
    ];
    const plot = await dataOf<PercentilePlot>(paths);
    expect(namesOf(plot)).toEqual(['a.hlog', 'b.hgrm', 'wrk.txt', 'encoded.txt']);
    expect(plot).toMatchObject({ kind: 'percentiles', unit: 'ns' });
    for (const { totalCount, points } of plot.curves) {
      expect(totalCount).toBe(1000);
      const median = points.find(({ percentile }) => percentile === 50)!;
      expect(median.value / 1e6).toBeCloseTo(500, 0);
      expect(points.at(-1)!.percentile).toBe(100);
      expect(points.at(-1)!.value / 1e6).toBeCloseTo(1000, -1);
    }
  });

  test('draws a curve for each tag of a log with several tags, and reports tags without values', async () => {
    const { stdout, stderr, exitCode } = await hdrscope(['plot', '--json', '-'], { stdin: LOG });
    expect([exitCode, stderr]).toEqual([0, 'hdrscope: idle has no values\n']);
    const plot: PercentilePlot = JSON.parse(stdout);
    expect(plot.curves.map(({ name, totalCount }) => [name, totalCount])).toEqual([
      ['get', 2000],
      ['put', 500],
    ]);
  });

  test('the name of a tag contains its file when there are several files', async () => {
    const paths = [folder.write('one.hlog', LOG), folder.write('two.hlog', LOG)];
    const plot = await dataOf<PercentilePlot>([...paths, '--tag', 'get', '--tag', 'put']);
    expect(namesOf(plot)).toEqual(['one.hlog get', 'one.hlog put', 'two.hlog get', 'two.hlog put']);
    expect(namesOf(await dataOf([...paths, '--tag', 'put']))).toEqual(['one.hlog', 'two.hlog']);
  });

  test('files with equal names get their paths as names', async () => {
    const path = folder.write('same.hlog', SINGLE);
    const other = `${dirname(path)}/./same.hlog`;
    expect(namesOf(await dataOf([path, other]))).toEqual([path, other]);
  });

  test('reads gzipped files and standard input', async () => {
    const path = folder.pathOf('zipped.hgrm.gz');
    writeFileSync(path, gzipSync(await hgrmOf(SINGLE)));
    const plot = await dataOf<PercentilePlot>([path, '-'], { stdin: gzipSync(SINGLE) });
    expect(plot.curves.map(({ name, totalCount }) => [name, totalCount])).toEqual([
      ['zipped.hgrm.gz', 1000],
      ['standard input', 1000],
    ]);
  });

  test('adds up several histograms of one file, also of doubles', async () => {
    const doubles = new DoubleHistogram();
    doubles.record(0.5);
    const text = `${doubles.toBase64()}\n${doubles.toBase64()}\n`;
    const { curves } = await dataOf<PercentilePlot>(['-', '--unit', 's'], { stdin: text });
    expect(curves[0]!.totalCount).toBe(2);
    expect(curves[0]!.points.at(-1)!.value).toBeCloseTo(0.5, 2);
  });

  test('draws confidence intervals with --confidence, for curves that have them', async () => {
    const paths = [folder.write('known.hlog', SINGLE), folder.write('text.hgrm', await hgrmOf(SINGLE))];
    const { stdout, stderr } = await hdrscope(['plot', '--json', '--confidence', '95%', ...paths]);
    const [known, text] = (JSON.parse(stdout) as PercentilePlot).curves;
    expect(known).toMatchObject({ confidence: 0.95 });
    expect(known!.points[5]).toMatchObject({ lower: expect.any(Number), upper: expect.any(Number) });
    expect(text).not.toHaveProperty('confidence');
    expect(stderr).toBe(
      'hdrscope: text.hgrm is drawn without intervals: it is percentile text, which does not have every value\n',
    );
  });
});

describe('--slo', () => {
  test.each([
    ['p99.9=50ms', 'ns', { percentile: 99.9, value: 50_000_000 }],
    ['p99.9<=50ms', 'us', { percentile: 99.9, value: 50_000 }],
    ['max=1.5s', 'ms', { percentile: 100, value: 1500 }],
    ['250', 'us', { value: 250 }],
    ['p50=64KiB', 'bytes', { percentile: 50, value: 65_536 }],
    ['p50=1MiB', 'KiB', { percentile: 50, value: 1024 }],
  ])('takes %s for values in %s', async (slo, unit, line) => {
    const { lines } = await dataOf<PercentilePlot>(['--slo', slo, '--unit', unit, '-'], { stdin: SINGLE });
    expect(lines).toEqual([line]);
  });

  test('may be repeated', async () => {
    const { lines } = await dataOf<PercentilePlot>(['--slo', 'p50=1ms', '--slo', 'p99=2ms', '-'], {
      stdin: SINGLE,
    });
    expect(lines?.map(({ value }) => value)).toEqual([1e6, 2e6]);
  });

  test.each(['p99', 'p101=5ms', 'p9x=5ms', 'p99=5KiB', 'p99=', ''])('%p is refused', async (slo) => {
    const { exitCode, stderr } = await hdrscope(['plot', '--slo', slo, '-'], { stdin: SINGLE });
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`--slo must be a percentile and a value, as in p99.9=50ms, got '${slo}'`);
  });
});

describe('other kinds', () => {
  test('compares two files', async () => {
    const paths = [folder.write('before.hlog', SINGLE), folder.write('after.hlog', SLOWER)];
    const plot = await dataOf<ComparisonPlot>([
      '--kind',
      'comparison',
      '--percentiles',
      '50,99.99',
      ...paths,
    ]);
    expect([plot.before.name, plot.after.name, plot.confidence]).toEqual(['before.hlog', 'after.hlog', 0.99]);
    const [median, tail] = plot.changes;
    expect(median!.before / 1e6).toBeCloseTo(500, 0);
    expect(median!.after / 1e6).toBeCloseTo(750, 0);
    expect(median!.lower).toBeLessThan(250e6);
    expect(median!.upper).toBeGreaterThan(250e6);
    expect(tail).not.toHaveProperty('lower');
  });

  test('a comparison reports what percentile text does not have', async () => {
    const paths = [folder.write('before.hgrm', await hgrmOf(SINGLE)), folder.write('after2.hlog', SLOWER)];
    const { stdout, stderr } = await hdrscope(['plot', '--kind', 'comparison', ...paths]);
    expect(stderr).toContain('before.hgrm is percentile text: 1,000 values');
    expect(stdout).toMatch(/p50 +500 ms +75\d ms +\+25\d ms/);
  });

  test('a comparison takes two files', async () => {
    const path = folder.write('alone.hlog', SINGLE);
    const { exitCode, stderr } = await hdrscope(['plot', '--kind', 'comparison', path]);
    expect([exitCode, stderr]).toEqual([
      2,
      'hdrscope: --kind comparison takes two files, before and after, got 1\n',
    ]);
  });

  test('draws percentiles over time, with the maximum', async () => {
    const args = ['--kind', 'over-time', '--tag', 'get', '--percentiles', '50', '-'];
    const plot = await dataOf<TimePlot>(args, { stdin: LOG });
    expect(plot.timesMs).toEqual([1_500_000_000_000, 1_500_000_001_000]);
    expect(plot.lines.map(({ name }) => name)).toEqual(['p50', 'max']);
    for (const value of plot.lines[0]!.values) expect(value! / 1e6).toBeCloseTo(500, 0);
  });

  test('draws a heat map', async () => {
    const { x, y, counts } = await dataOf<HeatMapPlot>(['--kind', 'heat-map', '-'], { stdin: LOG });
    expect([x.unit, y.unit, x.slots.length]).toEqual(['time', 'ns', 2]);
    expect(counts.flat().reduce((a, b) => a + b)).toBe(2500);
  });

  test('draws bars', async () => {
    const plot = await dataOf(['--kind', 'bars', '-'], { stdin: LOG });
    expect(plot.kind === 'bars' && plot.counts.reduce((a, b) => a + b)).toBe(2500);
  });

  test('draws a dump of Ceph as a heat map', async () => {
    const { stdout } = await hdrscope(['plot', '--json', folder.write('osd.json', OSD_DUMP)]);
    const { kind, x, y, title } = JSON.parse(stdout) as HeatMapPlot;
    expect(kind).toBe('heat-map');
    expect([x.unit, y.unit]).toEqual(['bytes', 'ns']);
    expect(title).toMatch(/^osd\.op_.* of osd\.json$/);
  });

  test('draws the output of hdrscope ebpf read as bars', async () => {
    const slots = [
      { lower: 0, upper: 0, count: 3 },
      { lower: 5, upper: 8, count: 1 },
      { lower: 65, upper: null, count: 2 },
    ];
    const json = { generation: 'x', histograms: [{ name: 'queue', attributes: { cpu: 1 }, slots }] };
    const ran = await hdrscope(['plot', '-'], { stdin: JSON.stringify(json, undefined, 2) });
    expect(ran.stderr).toBe('');
    expect(ran.stdout.split('\n').map((line) => line.replace(/│.*/, '│'))).toEqual([
      'queue{cpu=1}',
      '0    3 │',
      '1–4  0 │',
      '5–8  1 │',
      '9–64 0 │',
      '65+  2 │',
      'total 6',
      '',
    ]);
  });

  test('draws its own JSON again', async () => {
    const { stdout } = await hdrscope(['plot', '--json', '--kind', 'heat-map', '-'], { stdin: LOG });
    const drawn = await hdrscope(['plot', '-'], { stdin: stdout });
    expect(drawn).toEqual(await hdrscope(['plot', '--kind', 'heat-map', '-'], { stdin: LOG }));
  });
});

describe('numbers', () => {
  const NUMBERS = evenly(1000).join('\n');
  const medianOf = ({ curves }: PercentilePlot): number[] =>
    curves.map(({ points }) => points.find(({ percentile }) => percentile === 50)!.value);

  test('are drawn as curves, counted as record counts them', async () => {
    const paths = [folder.write('n1.txt', NUMBERS), folder.write('n2.txt', evenly(1000, 0.0015).join('\n'))];
    const plot = await dataOf<PercentilePlot>([...paths, '--unit', 'ms']);
    expect([plot.unit, namesOf(plot)]).toEqual(['ms', ['n1.txt', 'n2.txt']]);
    const recorded = await Promise.all(
      paths.map((path) =>
        hdrscope(['record', '--unit', 'ms', '--percentiles', '50', '--output', 'json', path]),
      ),
    );
    expect(medianOf(plot)).toEqual(recorded.map(({ stdout }) => JSON.parse(stdout).percentiles[50]));
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
    [[], 'ns', 1e6],
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
    const mixed = await dataOf<ComparisonPlot>([...args, paths[0]!, folder.write('new.hlog', SLOWER)]);
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

  test('an objective without a unit has their unit', async () => {
    const { lines } = await dataOf<PercentilePlot>(['--slo', '250', '--slo', 'p99=1s', '--unit', 'ms', '-'], {
      stdin: NUMBERS,
    });
    expect(lines).toEqual([{ value: 250 }, { value: 1000, percentile: 99 }]);
  });

  test('lines without a number are reported, and the rest is drawn', async () => {
    const { exitCode, stdout, stderr } = await hdrscope(['plot', '-'], {
      stdin: `${NUMBERS}\nsoon\n0.0001\n`,
    });
    expect([exitCode, stdout]).toEqual([1, expect.stringContaining('1,001 values')]);
    expect(stderr).toBe(
      `hdrscope: standard input: 1 number is nearer to 0 than to the resolution, 0.001, and counted as 0: hdrscope record --resolution keeps smaller ones apart
hdrscope: standard input: line 1001 has no number of at least 0 that can be counted: "soon"
hdrscope: left out 1 malformed line
`,
    );
  });

  test('have no times', async () => {
    for (const kind of ['over-time', 'heat-map']) {
      const args = ['plot', folder.write('first.hlog', SINGLE), '-', '--kind', kind];
      expect(await hdrscope(args, { stdin: NUMBERS })).toEqual({
        exitCode: 1,
        stdout: '',
        stderr:
          'hdrscope: standard input is a text of numbers, which has no times: --kind over-time and heat-map take logs\n',
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

test('shows its progress on a terminal for every form of input', async () => {
  const encoded = new Histogram();
  encoded.record(1);
  for (const text of [SINGLE, await hgrmOf(SINGLE), '1\n2\n', encoded.toBase64(), OSD_DUMP]) {
    let now = 0;
    const monotonicMs = (): number => (now += 1000);
    const path = folder.write('shown', text);
    const { stderr } = await hdrscope(['plot', path], { isTerminal: true, monotonicMs });
    expect(stderr).toContain('(100 %)');
  }
});

describe('the output', () => {
  test("the ending of the file's name chooses the format of a picture", async () => {
    const path = folder.write('x.hlog', SINGLE);
    const [svg, png, html] = ['x.svg', 'x.PNG', 'x.html'].map((name) => folder.pathOf(name)) as [
      string,
      string,
      string,
    ];
    for (const file of [svg, png, html]) {
      expect(await hdrscope(['plot', path, '-o', file, '--title', 'Mine'])).toEqual({
        exitCode: 0,
        stdout: '',
        stderr: '',
      });
    }
    expect(readFileSync(svg, 'utf8')).toMatch(/^<svg [\s\S]*Mine[\s\S]*<\/svg>\s*$/);
    expect(readFileSync(png).subarray(1, 4).toString()).toBe('PNG');
    expect(readFileSync(html, 'utf8')).toMatch(/^<!doctype html>[\s\S]*Mine/i);
  });

  test('--width, --height and --theme set the size and the theme of a picture', async () => {
    const args = ['plot', '--format', 'svg', '--width', '500', '--height', '300', '--theme', 'dark', '-'];
    expect((await hdrscope(args, { stdin: SINGLE })).stdout).toMatch(/^<svg width="500" height="300"/);
  });

  test('text has the width of the terminal, and has colours on terminals only', async () => {
    const width = (text: string): number => Math.max(...text.split('\n').map((line) => line.length));
    const shown = await hdrscope(['plot', '-'], {
      stdin: SINGLE,
      isTerminal: true,
      environment: { NO_COLOR: '1' },
    });
    expect(width(shown.stdout)).toBe(120);
    expect(width((await hdrscope(['plot', '-'], { stdin: SINGLE })).stdout)).toBe(80);
    expect(width((await hdrscope(['plot', '-', '--width', '50'], { stdin: SINGLE })).stdout)).toBe(50);
    expect(shown.stdout).not.toContain('\u001b[');
    expect((await hdrscope(['plot', '-'], { stdin: SINGLE, isTerminal: true })).stdout).toContain(
      '\u001b[38;2;',
    );
    const file = folder.pathOf('plot.txt');
    await hdrscope(['plot', '-', '-o', file], { stdin: SINGLE, isTerminal: true });
    expect(readFileSync(file, 'utf8')).toBe((await hdrscope(['plot', '-'], { stdin: SINGLE })).stdout);
  });

  test('a file is complete or does not exist', async () => {
    const file = folder.pathOf('never.svg');
    const { exitCode, stderr } = await hdrscope(['plot', '-o', file, '--width', '10', '-'], {
      stdin: SINGLE,
    });
    expect([exitCode, stderr]).toEqual([1, 'hdrscope: width must be an integer from 200 to 8192, got 10\n']);
    expect(existsSync(file)).toBe(false);
    expect(readdirSync(folder.pathOf('')).filter((name) => name.includes('unfinished'))).toEqual([]);
  });

  test.each([
    [['-o', 'x.pdf'], 'x.pdf does not say which format to write'],
    [['--format', 'png'], 'a PNG picture needs a file'],
    [['--format', 'gif'], "--format must be text, svg, png, html, json, got 'gif'"],
    [['--unit', 'min'], '--unit must be'],
    [['--width', '0'], '--width must be an integer of at least 1'],
    [['--confidence', '1'], '--confidence must be above 0 and below 1'],
    [['-'], '- is standard input, which can be read only once'],
  ])('%j is refused', async (args, message) => {
    const { exitCode, stdout, stderr } = await hdrscope(['plot', '-', ...args], { stdin: SINGLE });
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });
});

describe('refusals', () => {
  test('a missing file is named', async () => {
    const missing = folder.pathOf('missing.hlog');
    const { exitCode, stderr } = await hdrscope(['plot', folder.write('there.hlog', SINGLE), missing]);
    expect([exitCode, stderr]).toEqual([1, `hdrscope: cannot read ${missing}: there is no such file\n`]);
  });

  test('malformed lines are left out and reported, and the rest is drawn', async () => {
    const { exitCode, stdout, stderr } = await hdrscope(['plot', '-'], {
      stdin: `${SINGLE}0,1,2,HISTnonsense\n`,
    });
    expect(exitCode).toBe(1);
    expect(stdout).toContain('1,000 values');
    expect(stderr).toContain('left out 1 malformed line');
  });

  test.each([
    ['no intervals', ''],
    ['no values', logText([{ at: 0, ms: [] }])],
  ])('a log with %s cannot be drawn', async (_, stdin) => {
    for (const kind of ['percentiles', 'over-time', 'heat-map', 'bars']) {
      const { exitCode, stdout, stderr } = await hdrscope(['plot', '-', '--kind', kind], { stdin });
      expect([kind, exitCode, stdout]).toEqual([kind, 1, '']);
      expect(stderr).toContain('there is nothing to draw');
    }
  });

  test('percentile text has no times', async () => {
    for (const kind of ['over-time', 'heat-map']) {
      const { exitCode, stderr } = await hdrscope(['plot', '-', '--kind', kind], {
        stdin: await hgrmOf(SINGLE),
      });
      expect([exitCode, stderr]).toEqual([
        1,
        'hdrscope: standard input is percentile text, which has no times: --kind over-time and heat-map take logs\n',
      ]);
    }
  });

  test('doubles are refused as a heat map, and drawn over time', async () => {
    const doubles = new DoubleHistogram();
    doubles.record(0.5);
    const stdin = FORMAT_VERSION_LINE + formatInterval(doubles, { startSec: 1, endSec: 2 });
    const map = await hdrscope(['plot', '-', '--kind', 'heat-map', '--unit', 's'], { stdin });
    expect([map.exitCode, map.stderr]).toEqual([
      1,
      'hdrscope: standard input has doubles, which a heat map cannot show; --kind over-time can\n',
    ]);
    const lines = await dataOf<TimePlot>(['-', '--kind', 'over-time', '--unit', 's'], { stdin });
    expect(lines.lines[0]!.values[0]).toBeCloseTo(0.5, 2);
  });

  test('JSON of another program is refused', async () => {
    const { exitCode, stderr } = await hdrscope(['plot', '-'], { stdin: '{"a":1}' });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^hdrscope: standard input/);
  });

  test('a dump is refused as any kind except a heat map', async () => {
    const { exitCode, stderr } = await hdrscope(['plot', '--kind', 'percentiles', '-'], { stdin: OSD_DUMP });
    expect(exitCode).toBe(1);
    expect(stderr).toContain(
      'hdrscope: standard input can be drawn with --kind heat-map only, got percentiles\n',
    );
  });

  test.each([
    ['--slo p99=5ms', '--slo goes with --kind percentiles, over-time, bars'],
    ['--log', '--log goes with --kind percentiles, over-time, comparison'],
  ])('a heat map refuses %s', async (option, message) => {
    const args = ['plot', '--kind', 'heat-map', ...option.split(' '), '-'];
    const { exitCode, stderr } = await hdrscope(args, { stdin: LOG });
    expect([exitCode, stderr]).toEqual([2, `hdrscope: ${message}\n`]);
  });

  test('several plots in one picture are refused', async () => {
    const paths = [folder.write('p.hlog', SINGLE), folder.write('q.hlog', SINGLE)];
    const { exitCode, stderr } = await hdrscope(['plot', '--kind', 'bars', '--format', 'svg', ...paths]);
    expect([exitCode, stderr]).toEqual([
      2,
      'hdrscope: one picture cannot hold 2 plots: --format html and text can\n',
    ]);
  });
});

testShared("jHiccup's log is drawn in every way", 'jHiccup-2.0.7S.logV2.hlog', async (path) => {
  for (const kind of ['percentiles', 'over-time', 'heat-map', 'bars']) {
    const { exitCode, stdout, stderr } = await hdrscope(['plot', path, '--kind', kind]);
    expect([exitCode, stderr]).toEqual([0, '']);
    for (const line of stdout.split('\n')) expect([...line].length).toBeLessThanOrEqual(80);
  }
  const { counts } = await dataOf<HeatMapPlot>([path, '--kind', 'heat-map']);
  expect(counts.flat().reduce((a, b) => a + b)).toBe(48_761);
});
