import { readFileSync } from 'node:fs';
import { hdrscope } from '../support/fake-io.ts';
import { evenly, logText, useFolder } from '../support/logs.ts';

const folder = useFolder();

let before: string;
let slower: string;
let alike: string;
beforeAll(() => {
  before = folder.write('before.hlog', logText([{ at: 0, ms: evenly(5000, 0.01) }]));
  slower = folder.write('slower.hlog', logText([{ at: 0, ms: evenly(5000, 0.012) }]));
  alike = folder.write('alike.hlog', logText([{ at: 0, ms: evenly(5000, 0.01001) }]));
});

const compare = (...args: string[]): ReturnType<typeof hdrscope> => hdrscope(['diff', ...args]);

test('reports percentiles that are worse, and fails with --fail-if-worse', async () => {
  const args = ['--percentiles', '50,99,99.99', '--fail-if-worse', '5%', before, slower];
  const { exitCode, stdout, stderr } = await compare(...args);
  expect([exitCode, stderr]).toEqual([1, '']);
  expect(stdout.replaceAll(`${folder.pathOf('')}/`, '')).toBe(`\
before.hlog (5,000 values) and slower.hlog (5,000 values), in ms

        before   after  difference               99 % interval  change
   p50  25.002  30.015      +5.014  +20.1 %   +3.560 to +6.444  worse beyond doubt
   p99  49.512  59.408      +9.896  +20.0 %  +9.568 to +10.220  worse beyond doubt
p99.99  50.004  60.031     +10.027  +20.1 %                  -  too few values

All values together: Kolmogorov-Smirnov D = 0.167 (p < 0.001), Mann-Whitney effect size 0.167 (p < 0.001)

Worse by more than 5 % beyond doubt: p50 by 20.1 %, p99 by 20 %. Too few values for p99.99 with 99 % confidence: p99.99 needs about 53,000 in each log.
`);
});

test('finds no difference between equal logs', async () => {
  const { exitCode, stdout } = await compare('--fail-if-worse', '5%', before, alike);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/\nNo difference shown with 99 % confidence\./);
});

test('does not fail without --fail-if-worse, nor for growth within the tolerance', async () => {
  expect((await compare(before, slower)).exitCode).toBe(0);
  const tolerated = await compare('--percentiles', '99', '--fail-if-worse', '50%', before, slower);
  expect(tolerated.exitCode).toBe(0);
  expect(tolerated.stdout).toMatch(/\nNot worse than tolerated \(50 %\): grown p99 by 20 %\.\n$/);
  expect((await compare('--percentiles', '99', slower, before)).stdout).toMatch(
    /\nBetter: p99 by 16\.7 %\.\n$/,
  );
});

test('states how many values a percentile needs when there are too few', async () => {
  const { exitCode, stdout } = await compare(
    '--percentiles',
    '99.99',
    '--fail-if-worse',
    '1%',
    before,
    slower,
  );
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(
    /\nToo few values for p99\.99 with 99 % confidence: p99\.99 needs about 53,000 in each log\.\n$/,
  );
});

test('prints JSON', async () => {
  const { exitCode, stdout } = await compare(
    '--json',
    '--percentiles',
    'p99',
    '--fail-if-worse',
    '5%',
    '--confidence',
    '95%',
    before,
    slower,
  );
  expect(exitCode).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    before: { name: before, unit: 'ms', count: 5000, percentiles: [{ percentile: 99, value: 49.512447 }] },
    after: { name: slower, unit: 'ms', count: 5000 },
    confidence: 0.95,
    tolerance: 0.05,
    isWorse: true,
    changes: [{ percentile: 99, change: 'worse beyond doubt' }],
  });
});

test('refuses a log without values, and an input that is not a log', async () => {
  const empty = folder.write('empty.hlog', '#nothing\n');
  expect(await compare(before, empty)).toEqual({
    exitCode: 1,
    stdout: '',
    stderr: `hdrscope: ${empty} has no values to compare: hdrscope log summary shows what it has\n`,
  });
  expect((await compare(before)).stderr).toContain("missing required argument 'after'");
});

test('takes standard input for one of the logs', async () => {
  const stdin = logText([{ at: 0, ms: evenly(100) }]);
  expect((await hdrscope(['diff', '-', before], { stdin })).stdout).toMatch(/^standard input \(100 values\)/);
});

test('compares a part of logs', async () => {
  const tagged = folder.write(
    'tagged.hlog',
    logText([
      { at: 0, tag: 'get', ms: evenly(100) },
      { at: 5, tag: 'get', ms: evenly(100) },
      { at: 9, tag: 'put', ms: evenly(10) },
      { at: 9, ms: evenly(7) },
    ]),
  );
  const counts = async (...args: string[]): Promise<number[]> => {
    const { before, after } = JSON.parse((await compare('--json', tagged, tagged, ...args)).stdout);
    return [before.count, after.count];
  };
  expect(await counts()).toEqual([217, 217]);
  expect(await counts('--tag', 'get')).toEqual([200, 200]);
  expect(await counts('--tag', 'get', '--from', '1s')).toEqual([100, 100]);
  expect(await counts('--tag', 'get', '--to', '1s')).toEqual([100, 100]);
  expect(await counts('--no-tag')).toEqual([7, 7]);
  const numbers = folder.write('numbers.txt', '1ms\n2ms\n');
  const { exitCode, stderr } = await compare('--tag', 'get', tagged, numbers);
  expect(exitCode).toBe(1);
  expect(stderr).toContain(
    `${numbers} has no tags and no times: --tag, --no-tag, --from and --to select nothing of it`,
  );
});

test('writes to a file with -o', async () => {
  const path = folder.pathOf('verdict.json');
  expect(await compare(before, slower, '--json', '-o', path)).toEqual({
    exitCode: 0,
    stdout: '',
    stderr: '',
  });
  expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ before: { count: 5000 } });
});
