import { OSD_DUMP, OSD_DUMP_LATER } from '@hdrscope/testing/osd';
import { type Io, Termination } from '../../src/command.ts';
import { followInputs, openInputs } from '../../src/commands/ceph/histograms.ts';
import { dumpOf, serveDumps } from '../support/ceph-daemon.ts';
import { hdrscope } from '../support/fake-io.ts';
import { useFolder } from '../support/logs.ts';

const folder = useFolder();
// Rates then are those of the interval that was asked for.
const STILL = { monotonicMs: () => 0 };

function rows(text: string): string[][] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => line.trim().split(/ {2,}/));
}

test('prints the values of each interval', async () => {
  const dumps = [
    dumpOf([0, 100, 0, 0]),
    dumpOf([0, 101, 2, 0]),
    dumpOf([0, 101, 2, 0]),
    dumpOf([0, 101, 2, 5]),
  ];
  const { path } = await serveDumps(folder.pathOf('osd.asok'), dumps);
  const args = ['ceph', 'watch', path, '--interval', '10ms', '-n', '3', '--percentiles', '50,99'];
  const { exitCode, stdout, stderr } = await hdrscope(args, STILL);
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(rows(stdout)).toEqual([
    ['count', 'rate/s', 'p50', 'p99', 'histogram and axis'],
    ['3', '300.0', '8 to 16', '8 to 16', 'osd.op: Depth'],
    ['0', '0.0', '-', '-'],
    ['5', '500.0', '16 or more', '16 or more', 'osd.op: Depth'],
  ]);
});

test('--json prints a line for each histogram with new values, and null for an open bound', async () => {
  const dumps = [
    dumpOf([0, 100, 0, 0]),
    dumpOf([0, 101, 2, 0]),
    dumpOf([0, 101, 2, 0]),
    dumpOf([0, 101, 2, 5]),
  ];
  const { path } = await serveDumps(folder.pathOf('json.asok'), dumps);
  const args = ['ceph', 'watch', path, '--interval', '10ms', '-n', '3', '--percentiles', '99', '--json'];
  const { stdout } = await hdrscope(args, STILL);
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines).toEqual([
    expect.objectContaining({ seconds: 0.01, ratePerSec: 300, isReset: false, counter: 'op', count: 3 }),
    expect.objectContaining({ counter: 'op', count: 5 }),
  ]);
  expect(lines.map(({ axes }) => axes[0].percentiles)).toEqual([
    [{ percentile: 99, lower: 8, upper: 16, value: 16 }],
    [{ percentile: 99, lower: 16, upper: null, value: null }],
  ]);
});

test('prints a line for each axis', async () => {
  const { path } = await serveDumps(folder.pathOf('two.asok'), [OSD_DUMP, OSD_DUMP_LATER]);
  const { stdout } = await hdrscope(
    ['ceph', 'watch', path, '--interval', '10ms', '-n', '1', '--percentiles', '99'],
    STILL,
  );
  expect(rows(stdout).slice(1)).toEqual([
    [
      '21,910',
      '2191000.0',
      expect.stringMatching(/ms$/),
      'osd.op_w_latency_in_bytes_histogram: Latency (usec)',
    ],
    ['64 to 128 KiB', 'Request size (bytes)'],
  ]);
});

test('reports resets and failed requests, and goes on', async () => {
  const dumps = [
    dumpOf([0, 9, 0]),
    dumpOf([0, 2, 0]),
    new Error('not now'),
    new Error('not now'),
    dumpOf([0, 3, 0]),
  ];
  const { path } = await serveDumps(folder.pathOf('bad.asok'), dumps);
  const args = ['ceph', 'watch', path, '--interval', '10ms', '-n', '4', '--percentiles', '50'];
  const { stdout, stderr } = await hdrscope(args);
  expect(
    rows(stdout)
      .slice(1)
      .map(([count]) => count),
  ).toEqual(['2', '0', '0', '1']);
  expect(stderr.split('\n')).toEqual([
    'hdrscope: osd.op: the daemon began anew, so all its counts are new',
    `hdrscope: ${path} refuses 'perf histogram dump': Invalid argument: not now; hdrscope goes on asking`,
    'hdrscope: bad is back',
    '',
  ]);
});

/** An Io that records everything that is written. */
function listeningIo(): { readonly io: Io; readonly said: string[] } {
  const said: string[] = [];
  const output = {
    isTerminal: false,
    columns: undefined,
    write: async (text: string) => void said.push(text),
  };
  const stdin = (async function* () {})();
  const signal = new AbortController().signal;
  return {
    io: { stdout: output, stderr: output, stdin, environment: {}, signal, monotonicMs: () => 0 },
    said,
  };
}

test('goes on with a daemon that goes and comes back', async () => {
  const path = folder.pathOf('gone.asok');
  const stays = await serveDumps(folder.pathOf('stays.asok'), [dumpOf([0, 0, 0])]);
  const first = await serveDumps(path, [dumpOf([0, 9, 0])]);
  const { io, said } = listeningIo();
  const inputs = await openInputs([path, stays.path], io);
  const followed = followInputs(inputs, { interval: 0.001 }, io);
  const advance = async () => (await followed.next()).value!;
  expect((await advance()).map(({ source }) => source)).toEqual(['gone', 'stays']);
  await first.close();
  expect((await advance()).map(({ source }) => source)).toEqual(['stays']);
  expect(await advance()).toHaveLength(1);
  await serveDumps(path, [dumpOf([0, 2, 0])]);
  const [back] = await advance();
  expect([back!.source, back!.isReset, back!.histogram.totalCount]).toEqual(['gone', true, 2]);
  expect(said).toEqual([
    `hdrscope: ${path} cannot be asked: ENOENT, the socket does not exist: the daemon is not running, or has another path; hdrscope goes on asking\n`,
    'hdrscope: gone is back\n',
    'hdrscope: gone osd.op: the daemon began anew, so all its counts are new\n',
  ]);
});

test('ends when no daemon answers at the start', async () => {
  const { path } = await serveDumps(folder.pathOf('never.asok'), [new Error('never')]);
  const { exitCode, stderr } = await hdrscope(['ceph', 'watch', path]);
  expect([exitCode, stderr.endsWith('hdrscope: no daemon answers\n')]).toEqual([1, true]);
});

test('ends when it is interrupted', async () => {
  const { path } = await serveDumps(folder.pathOf('long.asok'), [dumpOf([0, 1, 0])]);
  const onOutput = (_: string, end: (reason: Termination) => void): void =>
    end(new Termination('SIGINT', 130));
  const { exitCode } = await hdrscope(['ceph', 'watch', path, '--interval', '10ms'], { onOutput });
  expect(exitCode).toBe(130);
});

test('refuses a file', async () => {
  const { exitCode, stderr } = await hdrscope(['ceph', 'watch', folder.write('osd.json', OSD_DUMP)]);
  expect([exitCode, stderr]).toEqual([
    2,
    'hdrscope: hdrscope ceph watch needs admin sockets, and osd.json is not one\n',
  ]);
});
