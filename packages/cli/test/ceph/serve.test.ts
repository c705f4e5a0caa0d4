import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, statSync } from 'node:fs';
import { askAdminSocket, type RunningAdminSocket } from '@hdrscope/ceph';
import { lackOfBuild, testUnless } from '@hdrscope/testing';
import { Termination } from '../../src/command.ts';
import { hdrscope } from '../support/fake-io.ts';
import { FakeOsd } from '../support/fake-osd.ts';
import { useFolder } from '../support/logs.ts';
import { startCommand } from '../support/program.ts';

// The process runs the build; the other tests run on sources.
const testBuilt = testUnless(lackOfBuild('cli'));

const folder = useFolder();

/** Asks again until values were counted, for a minute at most. */
async function countedBy(path: string): Promise<{ counter: string; count: number }[]> {
  for (const endMs = performance.now() + 60_000; ; ) {
    if (performance.now() > endMs) throw new Error(`${path} has counted nothing`);
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
  [[], 'needs sockets of daemons, or a folder of them, or --tell, or --socket for one of its own'],
  [['x.asok', '--socket', 'y.asok'], 'needs sockets of daemons, or a folder of them, or --tell'],
  [['x.asok', '--tell'], 'needs sockets of daemons, or a folder of them, or --tell'],
  [['package.json'], 'hdrscope ceph serve needs admin sockets, and package.json is not one'],
  [['nope'], 'no such file: nope'],
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

test('serves the daemons of a folder to Prometheus, each and all together, while they come and go', async () => {
  mkdirSync(folder.pathOf('run'));
  const [one, two] = [new FakeOsd(), new FakeOsd()];
  one.operate('w', 500_000, 4096, 3);
  two.operate('w', 900_000, 65_536, 2);
  const first = await one.serve(folder.pathOf('run/ceph-osd.0.asok'));
  const later = { socket: undefined as RunningAdminSocket | undefined };
  const pages: string[] = [];
  const onOutput = async (url: string, end: (reason: Termination) => void): Promise<void> => {
    const scrape = async (): Promise<string> => {
      // Later than the gather that scrapes share.
      await new Promise((resolve) => setTimeout(resolve, 150));
      return (await fetch(url.trim())).text();
    };
    try {
      pages.push(await scrape());
      later.socket = await two.serve(folder.pathOf('run/ceph-osd.1.asok'));
      await first.close();
      pages.push(await scrape());
    } finally {
      await later.socket?.close();
      end(new Termination('SIGINT', 130));
    }
  };
  const args = ['ceph', 'serve', folder.pathOf('run'), '--merged', '--port', '0'];
  const { exitCode, stderr } = await hdrscope(args, { onOutput: (text, end) => void onOutput(text, end) });
  expect([exitCode, stderr]).toEqual([130, '']);
  const name = 'ceph_osd_op_w_latency_in_bytes_latency_seconds';
  const of = (page: string, what: string): string[] =>
    page.split('\n').filter((line) => line.startsWith(what));
  expect(of(pages[0]!, `${name}_count`)).toEqual([`${name}_count{ceph_daemon="osd.0"} 3`]);
  expect(of(pages[1]!, `${name}_count`)).toEqual([
    `${name}_count{ceph_daemon="osd.0"} 3`,
    `${name}_count{ceph_daemon="osd.1"} 2`,
  ]);
  expect(of(pages[1]!, `${name}_sum`)).toEqual([
    `${name}_sum{ceph_daemon="osd.0"} 0.0015`,
    `${name}_sum{ceph_daemon="osd.1"} 0.0018`,
  ]);
  const merged = 'ceph_merged_osd_op_w_latency_in_bytes_latency_seconds';
  expect(of(pages[1]!, `${merged}_count`)).toEqual([`${merged}_count 5`]);
  expect(of(pages[1]!, `${merged}_bucket{le="0.000799999"}`)).toEqual([
    `${merged}_bucket{le="0.000799999"} 3`,
  ]);
});

test('serves the daemons that ceph tell reaches, with the age of their answers', async () => {
  const osd = new FakeOsd();
  osd.operate('w', 500_000, 4096, 3);
  const ceph = folder.write(
    'ceph',
    `#!/bin/sh
case "$4" in
dump) echo 'osd.7: ${JSON.stringify({ osd: osd.numbers() })}' ;;
histogram) echo 'osd.7: ${osd.dump()}' ;;
esac
`,
  );
  chmodSync(ceph, 0o755);
  const pages: string[] = [];
  const onOutput = async (url: string, end: (reason: Termination) => void): Promise<void> => {
    try {
      for (let scrapes = 0; scrapes < 2; scrapes++) {
        pages.push(await (await fetch(url.trim())).text());
        await new Promise((resolve) => setTimeout(resolve, 150));
      }
    } finally {
      end(new Termination('SIGINT', 130));
    }
  };
  const args = ['ceph', 'serve', '--tell', '--ceph', ceph, '--port', '0'];
  const { exitCode, stderr } = await hdrscope(args, { onOutput: (text, end) => void onOutput(text, end) });
  expect([exitCode, stderr]).toEqual([130, '']);
  const name = 'ceph_osd_op_w_latency_in_bytes_latency_seconds';
  expect(pages[0]).toContain(`${name}_count{ceph_daemon="osd.7"} 3\n`);
  expect(pages[0]).toContain(`${name}_sum{ceph_daemon="osd.7"} 0.0015\n`);
  // Ages are those of the reading before.
  expect(pages[1]).toContain('hdrscope_ceph_answer_age_seconds{ceph_daemon="osd.7"} 0\n');
});

testBuilt('a process serves, another one dumps, and Ctrl-C removes the socket', async () => {
  const path = folder.pathOf('process.asok');
  const serving = startCommand(['ceph', 'serve', '--socket', path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(serving, 'close');
  await once(serving.stdout!, 'data');
  await countedBy(path);
  const dumping = startCommand(['ceph', 'dump', path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let dump = '';
  for await (const text of dumping.stdout!) dump += text;
  serving.kill('SIGINT');
  expect(dump).toMatch(/^hdrscope\.hash\.duration: \d+ values\n {2}axis /);
  expect(await exit).toEqual([130, null]);
  expect(existsSync(path)).toBe(false);
});
