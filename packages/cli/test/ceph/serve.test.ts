import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { askAdminSocket } from '@hdrscope/ceph';
import { testUnless } from '@hdrscope/testing/skips';
import { Termination } from '../../src/command.ts';
import { hdrscope } from '../support/fake-io.ts';
import { useFolder } from '../support/logs.ts';

const BIN = fileURLToPath(new URL('../../bin/hdrscope.js', import.meta.url));
const isBuilt = existsSync(fileURLToPath(new URL('../../dist/main.js', import.meta.url)));
// The process runs the build; the other tests run on sources.
const testBuilt = testUnless(isBuilt ? undefined : 'the command is not built');

const folder = useFolder();

/** Asks again until values were counted. */
async function countedBy(path: string): Promise<{ counter: string; count: number }[]> {
  for (;;) {
    const { stdout } = await hdrscope(['ceph', 'dump', '--json', path]);
    const histograms = stdout === '' ? [] : JSON.parse(stdout);
    if (histograms.some(({ count }: { count: number }) => count > 0)) return histograms;
  }
}

test.each(['tentacle', 'next'])(
  'serves its histograms as %s does, until it is interrupted',
  async (release) => {
    const path = folder.pathOf(`${release}.asok`);
    let printed = '';
    let asking: Promise<void> | undefined;
    const onOutput = (text: string, end: (reason: Termination) => void): void => {
      printed += text;
      asking ??= (async () => {
        expect(statSync(path).mode & 0o777).toBe(0o600);
        const counters = (await countedBy(path)).map(({ counter }) => counter);
        expect(counters).toEqual(['hash.duration', 'read.size', 'op_r_latency_out_bytes_histogram']);
        const dump = await askAdminSocket(path, 'perf histogram dump');
        expect(dump.includes('"unit": "nanoseconds"')).toBe(release === 'next');
        expect(JSON.parse(await askAdminSocket(path, 'perf dump')).hdrscope).toHaveProperty([
          'hash.duration',
        ]);
        end(new Termination('SIGINT', 130));
      })();
    };
    const { exitCode, stderr } = await hdrscope(['ceph', 'serve', '--socket', path, '--release', release], {
      onOutput,
    });
    await asking;
    expect([exitCode, stderr]).toEqual([130, '']);
    expect(printed).toContain(`ceph --admin-daemon ${path} perf histogram dump\n`);
    expect(existsSync(path)).toBe(false);
  },
);

test.each([
  [[], "required option '--socket <path>' not specified"],
  [
    ['--socket', 'x', '--release', 'luminous'],
    "--release must be pacific, quincy, reef, squid, tentacle, next, got 'luminous'",
  ],
  [['--socket', `/${'x'.repeat(107)}`], 'at most 107 bytes long'],
])('refuses %j', async (args, message) => {
  const { exitCode, stdout, stderr } = await hdrscope(['ceph', 'serve', ...args]);
  expect([exitCode > 0, stdout]).toEqual([true, '']);
  expect(stderr).toContain(message);
});

testBuilt('a process serves, another one dumps, and Ctrl-C removes the socket', async () => {
  const path = folder.pathOf('process.asok');
  const serving = spawn(process.execPath, [BIN, 'ceph', 'serve', '--socket', path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(serving, 'close');
  await once(serving.stdout, 'data');
  await countedBy(path);
  const dumping = spawn(process.execPath, [BIN, 'ceph', 'dump', path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let dump = '';
  for await (const text of dumping.stdout) dump += text;
  serving.kill('SIGINT');
  expect(dump).toMatch(/^hdrscope\.hash\.duration: \d+ values\n {2}axis /);
  expect(await exit).toEqual([130, null]);
  expect(existsSync(path)).toBe(false);
});
