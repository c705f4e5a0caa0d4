import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Termination } from '../../src/command.ts';
import { hdrscope, type Ran, type World } from '../support/fake-io.ts';
import { useFolder } from '../support/logs.ts';

const folder = useFolder();

/** Prints 400 values around `ms`, which differ a little from run to run. Starting Node.js for them would take most of the time. */
function load(ms: number): string {
  for (let run = 0; run < 5; run++) {
    const speed = 1 + 0.002 * run;
    const values = Array.from({ length: 400 }, (_, i) => (ms * speed * (0.8 + (0.4 * i) / 400)).toFixed(4));
    folder.write(`values-${ms}-${run}`, `${values.join('\n')}\n`);
  }
  return `run="\${HDRSCOPE_RUN_FILE##*-}"; cat "${folder.pathOf(`values-${ms}`)}-$((\${run%%.*} * 7 % 5))"`;
}
const GATE = ['--unit', 'ms', '--percentiles', '50', '--fail-if-worse', '5%'];
const ab = (before: string, after: string, args: readonly string[] = [], world: World = {}): Promise<Ran> =>
  hdrscope(['ab', '--before', before, '--after', after, ...args], {
    ...world,
    environment: { TMPDIR: temporary },
  });
// A folder of its own for temporary files: other processes have theirs beside it.
let temporary: string;
beforeAll(() => {
  temporary = mkdtempSync(folder.pathOf('tmp-'));
});
const left = (): string[] => readdirSync(temporary);

test('finds a side that is slower, and stops when that is clear', async () => {
  const found = await ab(load(10), load(12), [...GATE, '--runs', '8']);
  expect(found.exitCode).toBe(1);
  expect(found.stdout).toMatch(
    /^before \(4 runs, 1,600 values\) and after \(4 runs, 1,600 values\), in ms\n/,
  );
  expect(found.stdout).toMatch(
    /^Significantly slower, by more than 5 %: p50 \+20\.\d % \(99\.75 % interval/m,
  );
  expect(found.stdout).toMatch(/^Ended after 4 pairs of runs: the result is clear\. All 3 looks .* 99 %\.$/m);
  expect(found.stderr.match(/^hdrscope: the warm-up of --(before|after): /gm)).toHaveLength(2);
  expect(found.stderr).toMatch(/^hdrscope: run 4 of 8 of --after: \d+\.\d s, processors .* busy$/m);
}, 60_000);

test('ends with 0 when an increase above the tolerance is excluded, and 3 when runs are too few to judge', async () => {
  const equal = await ab(load(10), load(10), [...GATE, '--runs', '4', '--warm-ups', '0']);
  expect([equal.exitCode, equal.stdout]).toEqual([0, expect.stringMatching(/up to [\d.]+ % is possible/)]);
  const few = [
    '--unit',
    'ms',
    '--percentiles',
    '99',
    '--fail-if-worse',
    '5%',
    '--runs',
    '3',
    '--warm-ups',
    '0',
  ];
  expect((await ab(load(10), load(12), few)).exitCode).toBe(3);
}, 60_000);

test('writes reports, a picture of all runs, and the files of the runs to a folder', async () => {
  const [md, xml, json, svg] = ['ab.md', 'ab.xml', 'ab.json', 'ab.svg'].map((name) => folder.pathOf(name));
  const kept = folder.pathOf('kept');
  const reports = ['--report', md!, '--report', xml!, '--report', json!, '--plot', svg!, '--keep', kept];
  const args = [...GATE, '--runs', '3', '--warm-ups', '0', ...reports];
  expect((await ab(load(10), load(13), args)).exitCode).toBe(1);
  expect(left()).toEqual([]);
  expect(readdirSync(kept).filter((name) => name.endsWith('.out'))).toHaveLength(6);
  expect(readFileSync(md!, 'utf8')).toMatch(/^### ❌ Significantly slower[\s\S]*<summary>6 runs<\/summary>/);
  expect(readFileSync(xml!, 'utf8')).toMatch(
    /tests="1" failures="1"[\s\S]*<failure message="p50: significantly slower"/,
  );
  const document = JSON.parse(readFileSync(json!, 'utf8'));
  expect(document).toMatchObject({ verdict: 'worse', ending: 'all runs are made', seed: 1 });
  expect(document.runs).toHaveLength(6);
  expect(readFileSync(svg!, 'utf8')).toMatch(/after 3/);
  // What was kept is compared again by diff.
  const files = (side: string): string[] => [1, 2, 3].map((n) => join(kept, `${side}-${n}.out`));
  const again = await hdrscope([
    'diff',
    ...GATE,
    '--before',
    ...files('before'),
    '--after',
    ...files('after'),
  ]);
  expect(again.exitCode).toBe(1);
}, 60_000);

test('takes values from the file that the environment names', async () => {
  const command = `printf '{"unit":"ms","values":[1]}' > /dev/null; ${load(10)} > "$HDRSCOPE_RUN_FILE"`;
  const { exitCode, stdout } = await ab(command, command, ['--unit', 'ms', '--runs', '2', '--warm-ups', '0']);
  expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^before \(2 runs, 800 values\)/)]);
}, 60_000);

test.each([
  [
    'echo oops >&2; exit 3',
    /run 1 of --after has ended with exit code 3: echo oops >&2; exit 3\n {2}oops\n$/,
  ],
  ['true', /run 1 of --after has written no values, to \$HDRSCOPE_RUN_FILE or to standard output: true\n$/],
  ['kill -9 $$', /run 1 of --after was ended by SIGKILL: kill -9 \$\$\n$/],
  ['echo no number', /after-1\.out/],
])(
  'a command that fails names its run: %s',
  async (command, message) => {
    const { exitCode, stdout, stderr } = await ab(load(10), command, ['--warm-ups', '0']);
    expect([exitCode, stdout]).toEqual([4, '']);
    expect(stderr).toMatch(message);
    expect(left()).toEqual([]);
  },
  60_000,
);

test('lines that are left out leave no verdict, worse or not', async () => {
  const args = [...GATE, '--runs', '3', '--warm-ups', '0'];
  for (const after of [load(10), load(13)]) {
    const { exitCode, stdout, stderr } = await ab(load(10), `${after}; echo oops`, args);
    expect([exitCode, stdout]).toEqual([4, expect.stringMatching(/^before \(3 runs, 1,200 values\)/)]);
    expect(stderr).toContain('after-1.out');
  }
}, 60_000);

test('a report that cannot be written is no verdict', async () => {
  const args = [...GATE, '--runs', '3', '--warm-ups', '0', '--report', folder.pathOf('missing/ab.md')];
  const { exitCode, stderr } = await ab(load(10), load(10), args);
  expect([exitCode, stderr]).toEqual([
    4,
    expect.stringMatching(/cannot write .*: there is no folder .*missing\n$/),
  ]);
}, 60_000);

test('a comparison that fails leaves no report of an earlier one', async () => {
  const report = folder.write('ab.md', 'No significant difference');
  const plot = folder.write('ab.svg', '<svg/>');
  const { exitCode } = await ab(load(10), 'exit 3', ['--report', report, '--plot', plot]);
  expect([exitCode, existsSync(report), existsSync(plot)]).toEqual([4, false, false]);
}, 60_000);

test('a signal ends the run and its programs, and compares what was measured', async () => {
  const marker = folder.pathOf('still-there');
  const slow = `${load(10)}; if test "$(basename "$HDRSCOPE_RUN_FILE")" = after-3.run; then sleep 5; touch ${marker}; fi`;
  let seen = 0;
  const onNote: World['onNote'] = (text, end) => {
    if (!/run \d+ of/.test(text) || ++seen !== 4) return;
    setTimeout(() => end(new Termination('SIGINT', 130)), 300);
  };
  const { exitCode, stdout } = await ab(slow, slow, ['--unit', 'ms', '--runs', '5', '--warm-ups', '0'], {
    onNote,
  });
  expect(exitCode).toBe(130);
  expect(stdout).toMatch(/^before \(2 runs, 800 values\) and after \(2 runs/);
  expect(stdout).toMatch(/^Ended after 2 pairs of runs: a signal has come\./m);
  expect(existsSync(marker)).toBe(false);
}, 60_000);

test('begins no pair that would end after the time', async () => {
  let nowMs = 0;
  // Each look at the clock is 10 s later.
  const world = { monotonicMs: () => (nowMs += 10_000) };
  const args = ['--unit', 'ms', '--runs', '9', '--warm-ups', '0', '--max-time', '60s'];
  const { exitCode, stdout } = await ab(load(10), load(10), args, world);
  expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/pairs of runs: the time is over\./)]);
}, 60_000);

test.each([
  [['--before', 'a'], '--after is required'],
  [
    ['--before', 'a', '--after', 'b', '--runs', '2', '--fail-if-worse', '5%'],
    '--runs 2 is less than --min-runs 3',
  ],
  [['--before', 'a', '--after', 'b', '--runs', '1'], '--runs must be an integer from 2'],
  [['--before', 'a', '--after', 'b', '--report', 'x.csv'], '--report must be a file that ends with'],
])('refuses %j', async (args, message) => {
  const { exitCode, stderr } = await hdrscope(['ab', ...args]);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
});
