import { shareDuckDb } from '@hdrscope/testing/shared-duckdb';
import { hdrscope } from '../support/fake-io.ts';
import { evenly, logText, useFolder, type Written } from '../support/logs.ts';

shareDuckDb();

const folder = useFolder();

let history: string;
beforeAll(async () => {
  history = folder.pathOf('history');
  // Versions 14 down to 1: their order is that of time, and not of names.
  const builds = Array.from({ length: 14 }, (_, at): Written[] => {
    const speed = (at < 7 ? 1 : 1.3) * (1 + ((at * 7) % 5) / 200);
    return [0, 30].map((later) => ({
      tag: `rpc?route="/${later}"&service.version="v${14 - at}"`,
      at: at * 60 + later,
      ms: evenly(1500, speed / 100),
    }));
  });
  const lost: Written = { tag: 'rpc?route="/other"', at: 0, ms: [1, 2, 3] };
  await hdrscope([
    'history',
    'import',
    folder.write('a.hlog', logText([lost, ...builds.flat()])),
    '-o',
    history,
  ]);
});

const query = (...args: string[]) =>
  hdrscope(['query', history, '--metric', 'rpc', '--percentiles', '50,99', ...args]);
const BUILDS = ['--builds', 'service.version'];

test('builds of a history are those of an attribute, in the order of their first values', async () => {
  const { exitCode, stdout, stderr } = await query(...BUILDS, '--fail-if-worse', '5%');
  expect(stderr).toBe('hdrscope: 3 values without service.version belong to no build\n');
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/^14 builds \(v14 to v1\), 42,000 values, in ms\n/);
  expect(stdout).toMatch(/^p50 is \d+\.\d % higher since v7 \(99 % interval /m);
  const json = JSON.parse((await query(...BUILDS, '--where', 'route=/30', '--last', '12', '--json')).stdout);
  expect(json).toMatchObject({ verdict: 'worse', missing: [] });
  expect(json.builds.map(({ name }: { name: string }) => name)).toEqual(
    Array.from({ length: 12 }, (_, at) => `v${12 - at}`),
  );
  expect(json.changes[0].since).toBe('v7');
});

test.each([
  [[...BUILDS, '--by', 'route'], '--builds goes without --before, --after, --by and --every'],
  [[...BUILDS, '--plot'], '--builds is answered as text or json'],
  [[...BUILDS, '--one-run'], '--one-run goes with a comparison'],
  [['--last', '3'], '--last goes with --builds'],
])('%j is refused', async (args, message) => {
  const { exitCode, stderr } = await query(...args);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
});

test('an attribute that no series has is named', async () => {
  const { exitCode, stderr } = await query('--builds', 'host');
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringContaining("no series of rpc has an attribute 'host'"),
  ]);
});
