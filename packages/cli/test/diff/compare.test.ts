import { mkdirSync, readFileSync } from 'node:fs';
import { hdrscope } from '../support/fake-io.ts';
import { evenly, logText, useFolder } from '../support/logs.ts';

const folder = useFolder();
const plain = (text: string): string => text.replaceAll(`${folder.pathOf('')}/`, '');

/** A log of 40 seconds with 250 values each, from `factor / 250` to `factor` ms. */
function timed(name: string, factor: number, startSec = 0): string {
  const ms = evenly(250, factor / 250);
  const intervals = Array.from({ length: 40 }, (_, at) => ({ at: at + startSec, ms }));
  return folder.write(name, logText(intervals));
}

let before: string;
let slower: string;
let alike: string;
let runs: { before: string[]; after: string[]; alike: string[] };
beforeAll(() => {
  before = folder.write('before.hlog', logText([{ at: 0, ms: evenly(5000, 0.01) }]));
  slower = folder.write('slower.hlog', logText([{ at: 0, ms: evenly(5000, 0.012) }]));
  alike = folder.write('alike.hlog', logText([{ at: 0, ms: evenly(5000, 0.01001) }]));
  for (const name of ['main', 'pr', 'same']) mkdirSync(folder.pathOf(name));
  const side = (name: string, factors: readonly number[]): string[] =>
    factors.map((factor, at) => timed(`${name}/${at}.hlog`, factor));
  runs = {
    before: side('main', [10, 10.1, 9.9]),
    after: side('pr', [12, 12.2, 11.9]),
    alike: side('same', [10.05, 10, 9.95]),
  };
});

const compare = (...args: string[]): ReturnType<typeof hdrscope> => hdrscope(['diff', ...args]);
const sides = (one: readonly string[], other: readonly string[]): string[] => [
  ...['--before', ...one],
  ...['--after', ...other],
];

test('--time says how dependent the numbers of a table are', async () => {
  const table = (name: string, factor: number): string => {
    const rows = Array.from({ length: 4000 }, (_, at) => `${at / 50},${(1 + ((at * 777) % 100)) * factor}\n`);
    return folder.write(name, `at,ms\n${rows.join('')}`);
  };
  const args = [table('one.csv', 1), table('other.csv', 1.2), '--column', 'ms', '--unit', 'ms'];
  const unknown = 'The order of these values is not known';
  expect((await compare(...args)).stdout).toContain(unknown);
  const { stdout } = await compare(...args, '--time', 'at');
  expect(stdout).not.toContain(unknown);
  expect(stdout).toContain('These two runs differ.');
});

describe('several runs a side', () => {
  test('report percentiles that are significantly slower, and fail with --fail-if-worse', async () => {
    const args = ['--percentiles', '50,99.99', '--fail-if-worse', '5%', ...sides(runs.before, runs.after)];
    const { exitCode, stdout, stderr } = await compare(...args);
    expect([exitCode, stderr]).toEqual([1, '']);
    expect(stdout).toMatch(/^before \(3 runs, 30,000 values\) and after \(3 runs, 30,000 values\), in ms\n/);
    expect(stdout).toMatch(
      /^ +p50 +5\.\d+ +6\.\d+ +\+1\.\d+ +\+20\.\d % +\+15\.\d to \+26\.\d % +significantly slower$/m,
    );
    expect(stdout).toMatch(
      /^Significantly slower, by more than 5 %: p50 \+20\.\d % \(99 % interval \+15\.\d to/m,
    );
    expect(stdout).toMatch(
      /^p99\.99 cannot be judged: too few values beyond it\. Each run needs at least \d+,\d+ values\.$/m,
    );
    expect(stdout).toMatch(/^The smallest increases that 3 such runs a side show: p50 8\.8 %\.$/m);
  });

  test('are files, folders, or patterns that the shell has left alone', async () => {
    const args = ['--json', '--percentiles', '50'];
    const one = await compare(...args, ...sides(runs.before, runs.after));
    const other = await compare(...args, ...sides([folder.pathOf('main')], [folder.pathOf('pr/*.hlog')]));
    expect(other.stdout).toBe(one.stdout);
    const none = await compare(...sides([folder.pathOf('main/*.txt')], runs.after));
    expect([none.exitCode, plain(none.stderr)]).toEqual([
      1,
      'hdrscope: main/*.txt: there are no such files\n',
    ]);
  });

  test('that do not differ exclude an increase, and keep exit code 0', async () => {
    const gate = ['--fail-if-worse', '5%', '--percentiles', '50,99'];
    const { exitCode, stdout } = await compare(...gate, ...sides(runs.before, runs.alike));
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      /^No significant difference: p50 \(an increase of up to [\d.]+ % is possible\), p99 \(an increase of up to [\d.]+ % is possible\)\.$/m,
    );
    expect(stdout).toMatch(/^Both intervals together contain the true changes with 99 %\./m);
  });

  test('that hide a larger increase than --must-exclude lets pass end with exit code 3, and say of which percentiles', async () => {
    const args = [...sides(runs.before, runs.alike), '--percentiles', '50,99', '--json'];
    const { stdout: json } = await compare(...args);
    const [p50, p99] = JSON.parse(json).changes.map(
      (one: { relativeInterval: { upper: number } }) => one.relativeInterval.upper,
    );
    const ask = async (limit: number) => {
      const { exitCode, stdout } = await compare(
        ...['--must-exclude', `${(100 * limit).toFixed(6)}%`, '--percentiles', '50,99'],
        ...sides(runs.before, runs.alike),
      );
      return [exitCode, /which must be excluded, is possible for (.*): make/.exec(stdout)?.[1]];
    };
    const [least, most] = p50 < p99 ? [p50, p99] : [p99, p50];
    expect(await ask(most * 1.001)).toEqual([0, undefined]);
    expect(await ask((least + most) / 2)).toEqual([3, p50 < p99 ? 'p99' : 'p50']);
    expect(await ask(least * 0.999)).toEqual([3, 'p50, p99']);
    const both = ['--fail-if-worse', '0%', '--must-exclude', '100%', '--percentiles', '50'];
    expect((await compare(...both, ...sides(runs.before, runs.after))).exitCode).toBe(1);
  });

  test('that are too few, or have a percentile with too few values, end with exit code 3', async () => {
    const two = sides(runs.before.slice(1), runs.after.slice(1));
    const gate = ['--fail-if-worse', '5%', '--percentiles', '50'];
    const few = await compare(...gate, ...two);
    expect([few.exitCode, few.stdout]).toEqual([
      3,
      expect.stringContaining('2 runs a side are fewer than --min-runs, 3'),
    ]);
    expect((await compare(...gate, '--min-runs', '2', ...two)).exitCode).not.toBe(3);
    const rare = ['--fail-if-worse', '5%', '--percentiles', '50,99.99'];
    expect((await compare(...rare, ...sides(runs.before, runs.alike))).exitCode).toBe(3);
    expect((await compare(...rare, ...sides(runs.before, runs.after))).exitCode).toBe(1);
    expect((await compare('--percentiles', '99.99', ...sides(runs.before, runs.after))).exitCode).toBe(0);
  });

  test('that were not measured in turn are noted', async () => {
    const at = (...starts: readonly number[]): string[] =>
      starts.map((start) => timed(`at-${start}.hlog`, 10 + start / 10_000, start));
    const note = 'All runs of one side came before those of the other';
    expect((await compare(...sides(at(0, 100), at(200, 300)))).stdout).toContain(note);
    expect((await compare(...sides(at(200, 300), at(0, 100)))).stdout).toContain(note);
    expect((await compare(...sides(at(0, 300), at(100, 200)))).stdout).not.toContain(note);
  });

  test('that are unlike in length are noted', async () => {
    const short = folder.write('short.hlog', logText([{ at: 0, ms: evenly(4000) }]));
    const { stderr } = await compare(...sides(runs.before, [...runs.after, short]));
    expect(plain(stderr)).toBe(
      'hdrscope: pr/2.hlog has 10,000 values and short.hlog 4,000: runs are alike when they are equally long\n',
    );
  });

  test.each([
    [() => sides(runs.before, runs.before), /main\/0\.hlog is given twice: each run is a file of its own/],
    [() => sides([before], runs.after), /--before has 1 run and --after has 3 runs: how much runs differ/],
    [() => ['--before', before], /--before and --after need each other/],
    [() => [before], /two files, before and after, or the runs of --before and --after, got 1 file\n/],
    [
      () => [before, ...sides(runs.before, runs.after).slice(4)],
      /--before and --after need each other|is of no side/,
    ],
  ])('are refused when sides do not fit (%#)', async (args, message) => {
    const { exitCode, stdout, stderr } = await compare(...args());
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(plain(stderr)).toMatch(message);
  });
});

describe('one run a side', () => {
  test('says whether these two runs differ, and leaves the verdict to more of them', async () => {
    const args = ['--percentiles', '50,99', '--fail-if-worse', '5%', timed('t1', 10), timed('t2', 12)];
    const { exitCode, stdout } = await compare(...args);
    expect(exitCode).toBe(3);
    expect(stdout).toMatch(
      /^These two runs differ\. Slower, by more than 5 %: p50 \+20\.\d % \(99 % interval/m,
    );
    expect(stdout).toContain(
      'so this does not tell whether the program has changed: compare at least 3 runs a side,',
    );
    expect(stdout).not.toMatch(/significant/i);
    expect((await compare(...args, '--one-run')).exitCode).toBe(1);
    expect((await compare(...args.toReversed(), '--one-run')).exitCode).toBe(2);
    expect((await compare('--percentiles', '50,99', timed('t1', 10), timed('t2', 12))).exitCode).toBe(0);
  });

  test('of values without times says that the interval holds if values are independent', async () => {
    const { stdout } = await compare('--percentiles', '50', before, slower);
    expect(stdout).toMatch(/^If values are independent, these two runs differ\. Slower: p50 \+20\.1 %/m);
    expect(stdout).toContain('The order of these values is not known');
    expect((await compare('--percentiles', '50', before, alike)).stdout).toMatch(
      /^No difference shown: p50 \(an/m,
    );
  });

  test('shows how dependent the values of a log are', async () => {
    // Each second has one value 50 times.
    const repeated = (name: string, factor: number): string =>
      folder.write(
        name,
        logText(
          Array.from({ length: 200 }, (_, at) => ({
            at,
            ms: Array.from({ length: 50 }, () => factor * (1 + ((at * 7919) % 211) / 200)),
          })),
        ),
      );
    const { stdout } = await compare('--percentiles', '50', repeated('once', 10), repeated('twice', 10.5));
    expect(plain(stdout)).toMatch(/^once \(10,000 values, correlated: as good as \d{3}\) and twice/);
    expect(stdout).toContain('no difference shown');
    const json = JSON.parse(
      (await compare('--json', '--percentiles', '50', repeated('once', 10), before)).stdout,
    );
    expect(json.ground).toBe('independence');
  });

  test('names the pieces that a drift leaves', async () => {
    const drifting = (name: string): string =>
      folder.write(
        name,
        logText(Array.from({ length: 60 }, (_, at) => ({ at, ms: evenly(100, 1 + at / 20) }))),
      );
    const { stdout } = await compare('--percentiles', '50', drifting('d1'), drifting('d2'));
    expect(stdout).toMatch(
      /^p50 cannot be judged: values depend on those long before them, so a run is as good as \d independent pieces, and 20 are needed\. Runs [\d.]+ times as long would have them\.$/m,
    );
  });
});

test('the times of requests show how dependent they are', async () => {
  const table = (name: string, ms: (second: number) => number): string => {
    const lines = ['metric_name,timestamp,metric_value'];
    for (let second = 0; second < 60; second++) {
      for (let i = 0; i < 50; i++) lines.push(`http_req_duration,${1_795_380_746 + second},${ms(second)}`);
    }
    return folder.write(name, `${lines.join('\n')}\n`);
  };
  const paths = [
    table('k1.csv', (at) => 10 + ((at * 31) % 17)),
    table('k2.csv', (at) => 11 + ((at * 31) % 17)),
  ];
  const { ground, changes } = JSON.parse((await compare('--json', '--percentiles', '50', ...paths)).stdout);
  expect(ground).toBe('stretches');
  expect(changes[0].dependence.before.asGoodAs).toBeLessThan(200);
});

test('prints JSON', async () => {
  const args = ['--json', '--percentiles', '99', '--confidence', '95%', '--fail-if-worse', '5%'];
  const { exitCode, stdout } = await compare(...args, ...sides(runs.before, runs.after));
  expect(exitCode).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    before: { unit: 'ms', count: 30_000, runs: [{ name: runs.before[0], count: 10_000 }, {}, {}] },
    after: { unit: 'ms', count: 30_000 },
    confidence: 0.95,
    tolerance: 0.05,
    minRuns: 3,
    ground: 'runs',
    verdict: 'worse',
    changes: [
      {
        percentile: 99,
        before: { value: expect.closeTo(9.9, 1) },
        relative: expect.closeTo(0.2, 1),
        relativeInterval: { lower: expect.closeTo(0.17, 1) },
        smallestShown: expect.any(Number),
        dependence: null,
        change: 'worse',
        reason: null,
      },
    ],
  });
});

test('refuses a log without values, and an input that is not a log', async () => {
  const empty = folder.write('empty.hlog', '#nothing\n');
  expect(await compare(before, empty)).toEqual({
    exitCode: 1,
    stdout: '',
    stderr: `hdrscope: ${empty} has no values to compare: hdrscope log summary shows what it has\n`,
  });
});

test('takes standard input for one of the logs', async () => {
  const stdin = logText([{ at: 0, ms: evenly(100) }]);
  expect((await hdrscope(['diff', '-', before], { stdin })).stdout).toMatch(/^standard input \(100 values\)/);
});

test('compares a part of logs', async () => {
  const intervals = [
    { at: 0, tag: 'get', ms: evenly(100) },
    { at: 5, tag: 'get', ms: evenly(100) },
    { at: 9, tag: 'put', ms: evenly(10) },
    { at: 9, ms: evenly(7) },
  ];
  const tagged = ['tagged.hlog', 'again.hlog'].map((name) => folder.write(name, logText(intervals)));
  const counts = async (...args: string[]): Promise<number[]> => {
    const { before, after } = JSON.parse((await compare('--json', ...tagged, ...args)).stdout);
    return [before.count, after.count];
  };
  expect(await counts()).toEqual([217, 217]);
  expect(await counts('--tag', 'get')).toEqual([200, 200]);
  expect(await counts('--tag', 'get', '--since', '1s')).toEqual([100, 100]);
  expect(await counts('--tag', 'get', '--until', '1s')).toEqual([100, 100]);
  expect(await counts('--no-tag')).toEqual([7, 7]);
  const numbers = folder.write('numbers.txt', '1ms\n2ms\n');
  const { exitCode, stderr } = await compare('--tag', 'get', tagged[0]!, numbers);
  expect(exitCode).toBe(1);
  expect(stderr).toContain(
    `${numbers} is no interval log: --tag, --no-tag, --since and --until select a part of logs only`,
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
