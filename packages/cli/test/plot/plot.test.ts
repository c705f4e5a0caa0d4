import { writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { gzipSync } from 'node:zlib';
import { formatHistogramDump, parseHistogramLoggers } from '@hdrscope/ceph';
import { DoubleHistogram, Histogram } from '@hdrscope/core';
import {
  type ComparisonPlot,
  type HeatMapPlot,
  type PercentilePlot,
  plotToJson,
  type TimePlot,
} from '@hdrscope/plot';
import { lackOfShared, sharedPath, testUnless } from '@hdrscope/testing';
import { OSD_DUMP } from '@hdrscope/testing/osd';
import { hdrscope } from '../support/fake-io.ts';
import { evenly, logText, useFolder } from '../support/logs.ts';
import { dataOf, hgrmOf, LOG, SINGLE, SLOWER } from '../support/plots.ts';

const folder = useFolder();

// The output of wrk2 --latency, shortened.
const wrk2Of = async (log: string): Promise<string> =>
  `Running 30s test @ http://localhost:80/\n  Latency Distribution (HdrHistogram - Recorded Latency)\n 50.000%  500.00ms\n\n  Detailed Percentile spectrum:\n${(
    await hgrmOf(log)
  ).replace(
    /^ +Value.*$/m,
    '       Value   Percentile   TotalCount 1/(1-Percentile)',
  )}----------------------------------------------------------\n`;

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
    ['250us', 'us', { value: 250 }],
    ['99.9=250', 'none', { percentile: 99.9, value: 250 }],
    ['p50=64KiB', 'bytes', { percentile: 50, value: 65_536 }],
    ['p50=1MiB', 'KiB', { percentile: 50, value: 1024 }],
  ])('takes %s for values in %s', async (slo, unit, line) => {
    const { slos } = await dataOf<PercentilePlot>(['--slo', slo, '--unit', unit, '-'], { stdin: SINGLE });
    expect(slos).toEqual([line]);
  });

  test('may be repeated', async () => {
    const { slos } = await dataOf<PercentilePlot>(['--slo', 'p50=1ms', '--slo', 'p99=2ms', '-'], {
      stdin: SINGLE,
    });
    expect(slos?.map(({ value }) => value)).toEqual([1e6, 2e6]);
  });

  test.each(['p99', 'p101=5ms', 'p9x=5ms', 'p99=', ''])('%p is refused', async (slo) => {
    const { exitCode, stderr } = await hdrscope(['plot', '--slo', slo, '-'], { stdin: SINGLE });
    expect(exitCode).toBe(2);
    expect(stderr).toContain(
      `--slo must be a percentile and a value, as in p99.9=50ms or p99=64KiB, got '${slo}'`,
    );
  });

  test.each([
    ['p99.9=50', "--slo needs a unit because the values are in ns, as in p99.9=50ms: got 'p99.9=50'"],
    [
      'p99=5KiB',
      "--slo cannot be a size because the values are in ns, got 'p99=5KiB': --unit states their unit",
    ],
  ])('%s is refused for a log', async (slo, message) => {
    const { exitCode, stdout, stderr } = await hdrscope(['plot', '--slo', slo, '-'], { stdin: SINGLE });
    expect([exitCode, stdout, stderr]).toEqual([2, '', `hdrscope: ${message}\n`]);
  });

  const verdictsOf = async (args: readonly string[], stdin: string): Promise<string[]> => {
    const { exitCode, stdout } = await hdrscope(['plot', ...args, '-'], { stdin });
    expect(exitCode).toBe(0);
    return stdout.split('\n').filter((line) => /keeps|misses/.test(line));
  };

  test('prints a verdict for each objective and curve', async () => {
    expect(await verdictsOf(['--slo', 'p50=600ms', '--slo', '99.9=50ms'], SINGLE)).toEqual([
      'p50 is 500 ms: keeps 600 ms',
      'p99.9 is 999 ms: misses 50 ms',
    ]);
    expect(await verdictsOf(['--slo', 'max=1.5s', '--slo', '1s'], LOG)).toEqual([
      'get: max is 1 s: keeps 1.5 s',
      'put: max is 2 s: misses 1.5 s',
    ]);
  });

  test('prints a verdict on bars and on intervals', async () => {
    expect(await verdictsOf(['--kind', 'bars', '--slo', 'p50=1s'], SINGLE)).toEqual([
      expect.stringMatching(/^p50 is from \d+ ms to \d+ ms: keeps 1 s$/),
    ]);
    expect(await verdictsOf(['--kind', 'over-time', '--slo', 'p99=1.5s', '--slo', 'p50=2s'], LOG)).toEqual([
      'p99 misses 1.5 s in 1 of 2 intervals',
      'p50 keeps 2 s in all 2 intervals',
    ]);
  });

  test('as many values as an objective wants keep it', async () => {
    // 99.9 / 100 × 1000 is 999.0000000000001 in doubles.
    const slots = [
      { lower: 0, upper: 1 },
      { lower: 1000, upper: 1001 },
    ];
    const bars = plotToJson({ kind: 'bars', unit: 'none', slots, counts: [999, 1] });
    expect(await verdictsOf(['--slo', 'p99.9=5'], bars)).toEqual(['p99.9 is from 0 to 1: keeps 5']);
    expect(await verdictsOf(['--slo', 'p99.91=5'], bars)).toEqual(['p99.91 is 1,001: misses 5']);
  });

  test('a percentile without a line over time is named with its cure', async () => {
    const args = ['plot', '--kind', 'over-time', '--slo', 'p99.99=1.5s', '-'];
    const { stdout } = await hdrscope(args, { stdin: LOG });
    expect(stdout).toContain('p99.99 has no line: --percentiles 99.99 draws and judges it\n');
    const more = await hdrscope([...args, '--percentiles', '99.99'], { stdin: LOG });
    expect(more.stdout).toContain('p99.99 misses 1.5 s in 1 of 2 intervals\n');
  });

  test('percentile text has no verdict on values between two of its rows', async () => {
    const text = await hgrmOf(logText([{ at: 0, ms: [...evenly(900, 0.01), ...evenly(100, 10)] }]));
    const rows = text.split('\n').filter((line) => !/ 0\.[1-9]/.test(line));
    const sparse = rows.join('\n');
    expect(sparse).not.toBe(text);
    const args = ['plot', '--slo', 'p50=100ms', '--slo', 'max=2s', '-'];
    const { exitCode, stdout } = await hdrscope(args, { stdin: sparse });
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^p50 is from \S+ \S+ to 1 s: may keep or miss 100 ms$/m);
    expect(stdout).toContain('max is 1 s: keeps 2 s\n');
    const bars = await hdrscope([...args, '--kind', 'bars'], { stdin: sparse });
    expect(bars.stderr).toMatch(
      /are known only to lie between two printed values, and are counted at the later/,
    );
  });

  test('a verdict is exact where a picture is not', async () => {
    const exact = evenly(100_000, 0.01).join('\n');
    const at = (slo: string) => verdictsOf(['--unit', 'ms', '--width', '40', '--slo', slo], exact);
    expect(await at('p90=900.4ms')).toEqual(['p90 is 900 ms: keeps 900.4 ms']);
    expect(await at('p90=899.6ms')).toEqual(['p90 is 900 ms: misses 899.6 ms']);
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

    const [{ loggers }] = parseHistogramLoggers(OSD_DUMP) as [ReturnType<typeof parseHistogramLoggers>[0]];
    for (const format of ['xml', 'xml-pretty'] as const) {
      const xml = folder.write('osd.xml', formatHistogramDump(loggers, { format }));
      const drawn = (await hdrscope(['plot', '--json', xml])).stdout;
      expect(drawn.replace('osd.xml', 'osd.json')).toBe(stdout);
    }
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

  test('draws the slots of the kernel as curves, each step between the bounds of its slot', async () => {
    const slots = [
      { lower: 2, upper: 3, count: 90 },
      { lower: 8, upper: 15, count: 9 },
      { lower: 1024, upper: null, count: 1 },
    ];
    const json = { histograms: [{ name: 'queue', attributes: {}, slots }] };
    const { curves, unit } = await dataOf<PercentilePlot>(['-', '--kind', 'percentiles', '--unit', 'us'], {
      stdin: JSON.stringify(json),
    });
    expect(unit).toBe('us');
    expect(curves).toEqual([
      {
        name: 'queue',
        totalCount: 100,
        points: [
          { percentile: 90, value: 3, lower: 2, upper: 3 },
          { percentile: 99, value: 15, lower: 8, upper: 15 },
          // The last slot has no end, which is null in JSON.
          { percentile: 100, value: null, lower: 1024, upper: null },
        ],
      },
    ]);
    const drawn = await hdrscope(['plot', '-', '--kind', 'percentiles'], { stdin: JSON.stringify(json) });
    expect([drawn.exitCode, drawn.stderr]).toEqual([0, '']);
    expect(drawn.stdout).toContain('queue  100 values  max ∞');
  });

  test('draws a dump of Ceph as a curve of its vertical axis', async () => {
    const path = folder.write('osd.json', OSD_DUMP);
    const jsonOf = async <P>(...args: string[]) =>
      JSON.parse((await hdrscope(['plot', path, '--json', ...args])).stdout) as P;
    const { curves, unit } = await jsonOf<PercentilePlot>('--kind', 'percentiles');
    const map = await jsonOf<HeatMapPlot>();
    expect(unit).toBe('ns');
    expect(curves).toHaveLength(1);
    expect(curves[0]!.totalCount).toBe(map.counts.flat().reduce((a, b) => a + b));
  });

  test('counts of several files share a plot, whose curves have different names', async () => {
    const slots = [{ lower: 2, upper: 3, count: 90 }];
    const json = JSON.stringify({ histograms: [{ name: 'queue', attributes: {}, slots }] });
    const paths = [folder.write('monday.json', json), folder.write('friday.json', json)];
    const { curves } = await dataOf<PercentilePlot>([...paths, '--kind', 'percentiles']);
    expect(curves.map(({ name }) => name)).toEqual(['monday.json queue', 'friday.json queue']);

    const dumps = [folder.write('osd-1.json', OSD_DUMP), folder.write('osd-2.json', OSD_DUMP)];
    const picture = await hdrscope(['plot', ...dumps, '--kind', 'percentiles', '--format', 'svg']);
    expect(picture.exitCode).toBe(0);
    expect(picture.stdout).toMatch(/^<svg /);
  });

  test('counts share a plot with the curves of values of their unit', async () => {
    const paths = [folder.write('log.hlog', SINGLE), folder.write('osd.json', OSD_DUMP)];
    const { stdout } = await hdrscope(['plot', ...paths, '--kind', 'percentiles', '--json']);
    const { unit, curves } = JSON.parse(stdout) as PercentilePlot;
    expect(unit).toBe('ns');
    expect(curves.map(({ name }) => name)).toEqual(['log.hlog', expect.stringMatching(/ of osd\.json$/)]);
  });

  test('curves of bars keep the objectives of the bars, once each', async () => {
    const paths = ['one', 'two'].map((name) => folder.write(`${name}.hlog`, SINGLE));
    const bars = await hdrscope(['plot', ...paths, '--kind', 'bars', '--slo', 'p99=600ms', '--json']);
    const stdin = bars.stdout;
    const { curves, slos } = await dataOf<PercentilePlot>(['-', '--kind', 'percentiles'], { stdin });
    expect(curves).toHaveLength(2);
    expect(slos).toEqual([{ percentile: 99, value: 600e6 }]);

    const args = ['-', '--kind', 'percentiles', '--slo', 'max=1s'];
    const asked = await dataOf<PercentilePlot>(args, { stdin });
    expect(asked.slos).toEqual([{ percentile: 100, value: 1e9 }]);
  });

  test('a curve of a log knows its period, and has the slots of the histogram', async () => {
    const { curves, valueAxis } = await dataOf<PercentilePlot>(['-', '--tag', 'get'], { stdin: LOG });
    expect(valueAxis).toBeUndefined();
    expect(curves[0]!.period!.endMs).toBeGreaterThan(curves[0]!.period!.startMs);
    const linear = await dataOf<PercentilePlot>(['-', '--tag', 'get', '--linear'], { stdin: LOG });
    expect(linear.valueAxis).toBe('linear');
  });

  test('draws its own JSON again', async () => {
    const { stdout } = await hdrscope(['plot', '--json', '--kind', 'heat-map', '-'], { stdin: LOG });
    const drawn = await hdrscope(['plot', '-'], { stdin: stdout });
    expect(drawn).toEqual(await hdrscope(['plot', '--kind', 'heat-map', '-'], { stdin: LOG }));
  });
});

const RECORDED = 'data/hlog/jHiccup-2.0.7S.logV2.hlog';

testUnless(lackOfShared(RECORDED))("jHiccup's log is drawn in every way", async () => {
  const path = sharedPath(RECORDED);
  for (const kind of ['percentiles', 'over-time', 'heat-map', 'bars']) {
    const { exitCode, stdout, stderr } = await hdrscope(['plot', path, '--kind', kind]);
    expect([exitCode, stderr]).toEqual([0, '']);
    for (const line of stdout.split('\n')) expect([...line].length).toBeLessThanOrEqual(80);
  }
  const { counts } = await dataOf<HeatMapPlot>([path, '--kind', 'heat-map']);
  expect(counts.flat().reduce((a, b) => a + b)).toBe(48_761);
});
