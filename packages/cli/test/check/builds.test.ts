import { mkdirSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { hdrscope } from '../support/fake-io.ts';
import { evenly, useFolder } from '../support/logs.ts';

const folder = useFolder();
const plain = (text: string): string => text.replaceAll(`${folder.pathOf('')}/`, '');

/** How fast builds of one program were, in their order. */
const NOISE = [0.3, -1.1, 0.8, 0, -0.4, 1.2, -0.7, 0.5, -0.2, 0.9, -1, 0.1, 0.6, -0.5, 0.2, -0.8];

/** 2500 values up to a speed in ms. */
function write(name: string, speed: number): string {
  return folder.write(
    name,
    evenly(2500, speed / 2500)
      .map((ms) => `${ms.toFixed(4)}ms\n`)
      .join(''),
  );
}

/** Files `build-5` to `build-20`, of which those from a place on are slower. */
function series(name: string, slower: (at: number) => number): string[] {
  mkdirSync(folder.pathOf(name));
  return NOISE.map((noise, at) => write(`${name}/build-${at + 5}`, 10 * slower(at) * (1 + noise / 100)));
}

let step: string[];
beforeAll(() => {
  step = series('step', (at) => (at < 9 ? 1 : 1.2));
  series('equal', () => 1);
  series('undone', (at) => (at >= 5 && at < 11 ? 1.2 : 1));
  series('newest', (at) => (at === 15 ? 1.5 : 1));
});

const check = (...args: string[]): ReturnType<typeof hdrscope> =>
  hdrscope(['check', '--builds', '--percentiles', '50,99', ...args]);
const at = (name: string): string => folder.pathOf(name);

test('the build since which percentiles are higher is named, and fails --fail-if-worse', async () => {
  const { exitCode, stdout, stderr } = await check('--fail-if-worse', '5%', at('step'));
  expect([exitCode, stderr]).toEqual([1, '']);
  expect(stdout).toMatch(/^16 builds \(build-5 to build-20\), 40,000 values, in ms\n\nsince +before +after/);
  expect(stdout).toMatch(
    /^build-14 p99 +9\.\d+ +11\.\d+ +\+1\.\d+ +\+\d+\.\d % +\+1\d\.\d to \+2\d\.\d % +significantly slower$/m,
  );
  expect(stdout).toMatch(
    /^p50 is [12]\d\.\d % higher since build-14 \(99 % interval \+1\d\.\d to \+2\d\.\d %\); p99 is/m,
  );
});

test('a folder, a pattern and files in their order are the same series', async () => {
  const { stdout } = await check('--json', at('step'));
  for (const operands of [[at('step/*')], step]) {
    expect((await check('--json', ...operands)).stdout).toBe(stdout);
  }
  // The order of the command line holds: files that a shell has sorted begin with build-10.
  const sorted = await check('--json', ...[...step].sort());
  expect(JSON.parse(sorted.stdout).builds[0].name).toBe('build-10');
});

test('a folder beside others is a build, whose files are its runs', async () => {
  const builds = NOISE.slice(0, 12).map((noise, build) => {
    const name = `runs/v${build}`;
    mkdirSync(folder.pathOf(name), { recursive: true });
    for (const run of [0, 1]) write(`${name}/${run}.txt`, (build < 6 ? 10 : 13) * (1 + (noise + run) / 200));
    return at(name);
  });
  const { stdout } = await check(...builds);
  expect(stdout).toMatch(/^12 builds \(v0 to v11\), 60,000 values, in ms\n/);
  expect(stdout).toMatch(/ higher since v6 /);
});

test('a change that is undone was one, and no gate fails by it', async () => {
  const { exitCode, stdout } = await check('--fail-if-worse', '5%', at('undone'));
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^p50 is 1\d\.\d % lower since build-16 \(/m);
  expect(stdout).toMatch(/^p50 was [12]\d\.\d % higher from build-10 until build-16 \(/m);
});

test('equal builds have no change, and pass', async () => {
  const { exitCode, stdout } = await check('--fail-if-worse', '5%', at('equal'));
  expect([exitCode, stdout]).toEqual([
    0,
    '16 builds (build-5 to build-20), 40,000 values, in ms\n\nNo change of p50, p99 over 16 builds is shown.\n',
  ]);
});

test('a newest build that is slow alone cannot be judged yet', async () => {
  const { exitCode, stdout } = await check('--fail-if-worse', '5%', at('newest'));
  expect(exitCode).toBe(3);
  expect(stdout).toMatch(
    /^build-20 stands alone by its p\d+: \d+\.\d+ ms, and \d+\.\d+ ms in the builds around it\.$/m,
  );
  expect(stdout).toMatch(/^A change needs 3 builds, so later ones will show whether build-20 begins one\.$/m);
});

test('few builds and few values cannot be judged', async () => {
  const few = await check('--fail-if-worse', '5%', '--last', '11', at('step'));
  expect(few.exitCode).toBe(3);
  expect(few.stdout).toMatch(
    /^11 builds cannot be judged: a change among builds needs at least 12 at a confidence of 99 %\./m,
  );
  const rare = await check('--fail-if-worse', '5%', '--percentiles', '50,99.9', at('equal'));
  expect(rare.exitCode).toBe(3);
  expect(rare.stdout).toMatch(/^p99\.9 cannot be judged: most builds have too few values beyond it\.$/m);
});

test('documents, tests of CI and pull requests have the same changes', async () => {
  const json = JSON.parse((await check('--json', '--fail-if-worse', '5%', at('step'))).stdout);
  expect(json).toMatchObject({
    verdict: 'worse',
    leastBuilds: 12,
    isDrift: false,
    alone: [],
    unjudged: [],
  });
  expect(json.builds[0]).toMatchObject({ name: 'build-5', unit: 'ms', count: 2500 });
  expect(json.changes).toHaveLength(1);
  expect(json.changes[0]).toMatchObject({
    since: 'build-14',
    changes: [{ percentile: 50, change: 'worse' }, {}],
  });
  expect(json.changes[0].before).toHaveLength(9);
  const junit = (await check('--format', 'junit', at('step'))).stdout;
  expect(junit).toMatch(/<testsuites name="hdrscope" tests="2" failures="2" errors="0" skipped="0"/);
  expect(junit).toMatch(
    /<failure message="p99: worse since its last change" type="worse">since: build-14 p99/,
  );
  const skipped = (await check('--format', 'junit', '--fail-if-worse', '5%', at('newest'))).stdout;
  expect(skipped).toMatch(/tests="2" failures="0" errors="0" skipped="2"/);
  const markdown = (await check('--format', 'markdown', '--fail-if-worse', '5%', at('step'))).stdout;
  expect(markdown).toMatch(/^### ❌ p50 is /);
  expect(markdown).toMatch(/^\| build-14 p99 \| /m);
});

test('the text fits a narrow screen', async () => {
  const args = ['check', '--builds', '--percentiles', '50', at('step')];
  const { stdout } = await hdrscope(args, { isTerminal: true, columns: 40 });
  for (const line of stripVTControlCharacters(stdout).split('\n'))
    expect(line.length).toBeLessThanOrEqual(40);
});

test.each([
  [['--slo', 'p99=5ms'], '--builds looks for changes'],
  [['--together'], '--together, --strict and --metric go with objectives'],
])('%j does not go with --builds', async (args, message) => {
  const { exitCode, stderr } = await check(...args, at('step'));
  expect([exitCode, plain(stderr)]).toEqual([2, expect.stringContaining(message)]);
});

test('options of a series need --builds', async () => {
  const { exitCode, stderr } = await hdrscope(['check', '--last', '3', step[0]!]);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('go with --builds')]);
});
