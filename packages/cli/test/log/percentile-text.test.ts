import { gzipSync } from 'node:zlib';
import { hdrscope, type Ran } from '../support/fake-io.ts';
import { parseValues } from '../support/figure-values.ts';
import { evenly, logText, useFolder } from '../support/logs.ts';

const folder = useFolder();

const LOG = logText([{ at: 1, ms: evenly(1000) }]);

async function printed(...args: string[]): Promise<string> {
  return (await hdrscope(['log', 'process', ...args], { stdin: LOG })).stdout;
}

const summary = (args: readonly string[], stdin: string | Uint8Array = ''): Promise<Ran> =>
  hdrscope(['log', 'summary', '--percentiles', '50', ...args], { stdin });

const WRK2 = `Running 30s test @ http://127.0.0.1:80/
  Latency Distribution (HdrHistogram - Recorded Latency)
 50.000%    6.67ms

  Detailed Percentile spectrum:
       Value   Percentile   TotalCount 1/(1-Percentile)

       0.921     0.000000            1         1.00
       6.671     0.500000            2         2.00
      12.351     1.000000            3          inf
#[Mean    =        6.648, StdDeviation   =        4.666]
#[Max     =       12.344, Total count    =            3]
#[Buckets =           27, SubBuckets     =         2048]
----------------------------------------------------------
Requests/sec:   2000.28
`;

test('summary reads percentile text as one interval, and reports what the text does not have', async () => {
  const { exitCode, stdout, stderr } = await summary(['-'], await printed());
  expect(exitCode).toBe(0);
  expect(stdout).toBe(`\
the log has no start time, values in ms

tag       intervals  from s   to s  length s  count  rate/s    min     mean      p50        max
(no tag)          1   0.000  0.000     0.000  1,000       -  1.000  533.246  500.171  1,000.342
`);
  expect(stderr).toBe(`\
hdrscope: standard input is percentile text: 1,000 values as one interval, without times and tag; a printed value may be 0.0005 ms off; the mean is 500.5 ms as printed, 533.2 ms as counted
hdrscope: standard input: 957 of them are known only to lie between two printed values, and are counted at the later: percentiles that are not printed are shown too high, by 9900 % at most
`);
});

test('percentile text is recognised by its content: CSV, gzipped, from wrk2', async () => {
  const [csv, hgrm] = [await printed('-csv'), await printed()];
  const rows = await Promise.all([summary(['-'], csv), summary(['-'], gzipSync(hgrm))]);
  for (const { stdout } of rows) expect(stdout).toMatch(/ 500\.171 {2}1,000\.342\n$/);
  expect(rows[0]?.stderr).toContain('no mean is printed, that of what is counted is 533.2 ms');
  const report = folder.write('report.hlog', WRK2);
  expect((await summary([report])).stdout).toMatch(/ 0\.921 +6\.648 +6\.671 +12\.351\n$/);
  const several = await summary([report, report]);
  expect(several.stdout).toMatch(/\(no tag\) +2 .* 6 +- /);
});

test('--text-unit is the unit of printed values, and --unit the unit of the log', async () => {
  const report = folder.write('report.txt', WRK2);
  const counted = async (...args: string[]): Promise<unknown> => {
    const { stdout } = await hdrscope(['log', 'convert', report, '--format', 'v2', ...args]);
    const summed = await summary(['--json', '--unit', 'none', '-'], stdout);
    return parseValues(summed.stdout).tags[0].max;
  };
  expect(await counted('--unit', 'us')).toBe(12_351);
  expect(await counted('--unit', 'us', '--text-unit', 'us')).toBe(12);
  expect(await counted('--unit', 'none')).toBe(12);
  expect(await counted()).toBeCloseTo(12_351_000, -3);
});

test('percentile text may state its unit in the title of its values', async () => {
  const text = (unit: string): string =>
    `Value(${unit})  Percentile  TotalCount  1/(1-Percentile)\n5880.000000  0.500000  1  2.000000\n`;
  const p50 = async (unit: string, ...args: string[]): Promise<unknown> => {
    const { stdout, stderr, exitCode } = await summary(['--json', ...args], text(unit));
    return exitCode === 0 ? JSON.parse(stdout).tags[0].percentiles[0].value : stderr;
  };
  expect(await p50('ms', '-')).toBeCloseTo(5880, 0);
  expect(await p50('us', '-')).toBeCloseTo(5.88, 3);
  expect(await p50('us', '-', '--text-unit', 'us')).toBeCloseTo(5.88, 3);
  expect(await p50('us', '-', '--text-unit', 'ms')).toContain(
    'states that its values are in us: leave --text-unit ms out',
  );
});

test('compare finds a log equal to its own text, and makes no claim that needs all values', async () => {
  const [log, text] = [folder.write('a.hlog', LOG), folder.write('a.hgrm', await printed())];
  const args = ['diff', '--percentiles', '50,75,90'];
  const ran = await hdrscope([...args, text, log]);
  expect(ran.exitCode).toBe(0);
  expect(ran.stdout.match(/\+0\.000 +\+0\.0 % .* no difference shown$/gm)).toHaveLength(3);
  expect(ran.stdout).toContain('The order of these values is not known');
  const json = parseValues((await hdrscope([...args, '--json', log, text])).stdout);
  expect(json).toMatchObject({ ground: 'independence', verdict: 'cannot be judged' });
});

test('convert writes a log of one interval, whose start and length are 0', async () => {
  const hgrm = await printed();
  const { exitCode, stdout, stderr } = await hdrscope(['log', 'convert', '-', '--format', 'v2'], {
    stdin: hgrm,
  });
  expect(stderr).toContain('it has no time: the start and the length of its interval are written as 0\n');
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(
    /^#\[Histogram log format version 1\.3\]\n#\[Made of percentile text: .*\n"StartTimestamp".*\n0\.000,0\.000,1000\.342,HISTFAAA\S+\n$/,
  );
  const rows = (text: string): string[] => text.split('\n').filter((line) => !line.startsWith('#'));
  const back = await hdrscope(['log', 'convert', '-', '--format', 'hgrm'], { stdin: stdout });
  expect([back.stderr, rows(back.stdout)]).toEqual(['', rows(hgrm)]);
});

test.each([
  [
    ['merge', '-'],
    'is percentile text (.hgrm, its CSV, wrk2 --latency), which has neither times nor intervals',
  ],
  [
    ['slice', '--tag', 'a', '-'],
    'is percentile text (.hgrm, its CSV, wrk2 --latency), which has neither times nor intervals',
  ],
  [
    ['reinterval', '1m', '-'],
    'is percentile text (.hgrm, its CSV, wrk2 --latency), which has neither times nor intervals',
  ],
  [
    ['tail', '-'],
    'is percentile text (.hgrm, its CSV, wrk2 --latency), which has neither times nor intervals',
  ],
  [['summary', '--since', '1m', '-'], 'has no times: --since and --until select nothing of it'],
  [['summary', '--tag', 'a', '-'], 'has no tag: --tag selects nothing of it'],
])('%j refuses percentile text', async (args, reason) => {
  const { exitCode, stdout, stderr } = await hdrscope(['log', ...args], { stdin: WRK2 });
  expect([exitCode, stdout]).toEqual([1, '']);
  expect(stderr).toContain(
    `hdrscope: standard input ${reason.startsWith('has') ? 'is percentile text and ' : ''}${reason}`,
  );
});

test('tail -f refuses percentile text, and summary refuses a log beside it', async () => {
  const report = folder.write('report.txt', WRK2);
  expect((await hdrscope(['log', 'tail', '-f', report])).stderr).toContain(
    `${report} is percentile text (.hgrm, its CSV, wrk2 --latency), which has neither times nor intervals`,
  );
  const mixed = await hdrscope(['log', 'summary', report, '-'], { stdin: LOG });
  expect([mixed.exitCode, mixed.stdout]).toEqual([1, '']);
  expect(mixed.stderr).toContain('standard input has times, and percentile text has no times');
});

test.each([
  ['  Latency Distribution\n     50%  250.00us\n     99%    5.80ms\n', 'has percentiles without counts'],
  [
    'Time: IntervalPercentiles:count ( 50% 90% Max ) TotalPercentiles:count ( 50% )\n',
    "is the table that HdrHistogram's log processor writes",
  ],
  [WRK2.replace('  2  ', '  0  '), ': line 9: the total count must be at least 1, as above, got "0"'],
])('a text that cannot be read is refused with the reason: %j', async (stdin, reason) => {
  const { exitCode, stderr } = await summary(['-'], stdin);
  expect(exitCode).toBe(1);
  expect(stderr).toContain(`hdrscope: standard input${reason.startsWith(':') ? '' : ' '}${reason}`);
});

test('an invalid --text-unit is refused', async () => {
  expect(await summary(['--text-unit', 'h', '-'])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("--text-unit must be ns, us, ms, s, got 'h'"),
  });
  expect(await summary(['--text-unit', 'us', '--unit', 'none', '-'], WRK2)).toMatchObject({ exitCode: 2 });
});
