import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lackByTrial, lackOfBuild, lackOfProgram, lackOfRoot, testUnless } from '@hdrscope/testing';
import { Termination } from '../../src/command.ts';
import { THIS_KERNEL } from '../../src/commands/ebpf/map.ts';
import { command as serve } from '../../src/commands/ebpf/serve.ts';
import { hdrscope } from '../support/fake-io.ts';
import { runWith } from '../support/fake-kernel.ts';
import { COMMAND, runWithCommand } from '../support/program.ts';

/** A map that bpftool creates, in a bpf file system of its own. */
function makeMap(): { pin: string; add(slot: number, count: number): void; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'hdrscope-bpffs-'));
  const pin = join(folder, 'depths');
  const call = (program: string, args: readonly string[]): void => {
    const { error, status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(error?.message ?? `${program}: ${stderr}${stdout}`.trim());
  };
  const bytes = (size: number, value: number): string[] =>
    Array.from({ length: size }, (_, at) => String((value >> (8 * at)) & 255));
  const remove = (): void => {
    spawnSync('umount', [folder]);
    rmdirSync(folder);
  };
  try {
    call('mount', ['-t', 'bpf', '-o', 'mode=0755', 'bpf', folder]);
    const shape = ['key', '4', 'value', '8', 'entries', '8', 'name', 'hdr_cli_depths'];
    call('bpftool', ['map', 'create', pin, 'type', 'array', ...shape]);
  } catch (error) {
    remove();
    throw error;
  }
  return {
    pin,
    add: (slot, count) => {
      const value = [...bytes(4, count), ...bytes(4, 0)];
      call('bpftool', ['map', 'update', 'pinned', pin, 'key', ...bytes(4, slot), 'value', ...value]);
    },
    remove,
  };
}

const live = testUnless(lackOfProgram('bpftool'), await lackByTrial('kernel', () => makeMap().remove()));

live('lists, reads and watches a map', async () => {
  const map = makeMap();
  try {
    map.add(2, 5);
    const listed = JSON.parse((await hdrscope(['ebpf', 'list', '--json'])).stdout);
    const found = listed.find(({ pins }: { pins: string[] }) => pins.includes(map.pin));
    expect(found).toMatchObject({ type: 'array', name: 'hdr_cli_depths', layout: null });
    const refused = await hdrscope(['ebpf', 'read', map.pin]);
    expect([refused.exitCode, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toContain('its numbers fit queue-depth, libbpf-tools:8');
    for (const args of [
      [map.pin],
      [`id:${found.id}`],
      ['name:hdr_cli_depths'],
      [map.pin, '--shape', 'value { u64 depths; }'],
      [map.pin, '--bpftool'],
    ]) {
      const { exitCode, stdout } = await hdrscope(['ebpf', 'read', ...args, '--layout', 'queue-depth']);
      expect([exitCode, stdout.split('\n').at(-2)]).toEqual([
        0,
        'total 5; p50 2 to 4; p90 2 to 4; p99 2 to 4; p99.9 2 to 4',
      ]);
    }
    const watching = hdrscope(
      ['ebpf', 'watch', map.pin, '--interval', '1s', '-n', '1', '--layout', 'queue-depth'],
      { monotonicMs: () => 0 },
    );
    await new Promise((resolve) => setTimeout(resolve, 300));
    map.add(2, 8);
    expect((await watching).stdout.split('\n')[1]).toMatch(/^ +3 +3\.0( +2 to 4){4} {2}hdr_cli_depths$/);
  } finally {
    map.remove();
  }
});

live('reports what cannot be read, and what helps', async () => {
  const missing = await hdrscope(['ebpf', 'read', '/sys/fs/bpf/nope', '--layout', 'queue-depth']);
  expect([missing.exitCode, missing.stdout]).toEqual([1, '']);
  expect(missing.stderr).toContain('is the program loaded');
});

live('counts the run queues of this machine', async () => {
  const { exitCode, stdout, stderr } = await hdrscope(['ebpf', 'runqueue', '--duration', '300ms', '--json']);
  expect(stderr).toBe('');
  expect(exitCode).toBe(0);
  const [depth, latency] = JSON.parse(stdout).histograms;
  expect(depth.count).toBeGreaterThan(0);
  expect(latency.count).toBeGreaterThan(0);
});

live.each(['blockio', 'tcprtt'])('counts with the program %s', async (name) => {
  const { exitCode, stdout, stderr } = await hdrscope([
    'ebpf',
    name,
    '--duration',
    '300ms',
    '--json',
    '--cost',
  ]);
  expect([exitCode, stderr]).toEqual([0, '']);
  const { program, histograms, cost } = JSON.parse(stdout);
  expect([program, histograms]).toEqual([name, expect.any(Array)]);
  expect(cost.length).toBeGreaterThan(0);
});

/** The page as soon as it matches. A task that has just been seen for the first time has no wait yet. */
async function pageWith(wanted: RegExp, url: string): Promise<string> {
  const endMs = performance.now() + 30_000;
  for (;;) {
    const page = await (await fetch(url)).text();
    if (wanted.test(page) || performance.now() > endMs) return page;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

live('watches a program of its own, and serves it to Prometheus', async () => {
  const args = ['program:runqueue/all/latency', '--interval', '200ms', '-n', '2'];
  const watched = await hdrscope(['ebpf', 'watch', ...args]);
  expect([watched.exitCode, watched.stderr]).toEqual([0, '']);
  expect(watched.stdout).toMatch(/^ +[\d,]+ +[\d,.]+ .* linux\.runqueue\.latency$/m);

  const wanted = /^linux_runqueue_latency_seconds_count\{comm="[^"]*",pid="\d+",tid="\d+"\} \d+$/m;
  let page: Promise<string> | undefined;
  const onOutput = (url: string, end: (reason: Termination) => void) => {
    page = pageWith(wanted, url.trim());
    page.finally(() => end(new Termination('SIGINT', 130)));
  };
  const served = runWith(serve, ['program:runqueue/task', '--port', '0'], THIS_KERNEL, { onOutput });
  await expect(served).rejects.toMatchObject({ name: 'AbortError' });
  expect(await page).toMatch(wanted);
  expect(await page).toMatch(/^hdrscope_ebpf_missed_total\{map="program:runqueue\/task"\} \d+$/m);
});

test('the doctor reports on every machine', async () => {
  const { stdout, exitCode } = await hdrscope(['ebpf', 'doctor', '--json']);
  const { canRead, findings } = JSON.parse(stdout);
  expect(findings.length).toBeGreaterThan(3);
  expect(exitCode).toBe(canRead ? 0 : 1);
});

// As in a container.
testUnless(
  lackOfBuild('cli'),
  lackOfProgram('setpriv'),
  lackOfRoot(),
)('runqueue names the capabilities that root lacks', () => {
  const without = ['--bounding-set=-all', '--inh-caps=-all', '--no-new-privs'];
  const args = [...without, ...COMMAND, 'ebpf', 'runqueue', '--duration', '10ms'];
  const { status, stdout, stderr } = runWithCommand('setpriv', args);
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toContain('this takes CAP_BPF and CAP_PERFMON, which root does not have here');
});
