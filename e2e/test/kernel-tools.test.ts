import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { release, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Frame,
  type KernelLayout,
  kernelMap,
  listMaps,
  parseKernelLayout,
  sumCpus,
} from '@hdrscope/ebpf';
import { type Lack, lack, testUnless } from '@hdrscope/testing';
import { lackOfKernel } from './support/bpffs.ts';

const noKernel = await lackOfKernel();
const PYTHON = '/usr/bin/python3';

/** A used slot, as tools print it: `4 7 12` for twelve values from 4 to 7. */
type Slots = readonly string[];

async function read(place: { readonly id: number }, layout?: KernelLayout): Promise<Frame> {
  const source = kernelMap({ ...place, ...(layout !== undefined && { layout }) });
  try {
    return await source.read();
  } finally {
    await source.close();
  }
}

function slotsOf({ histograms }: Frame): Slots {
  const [histogram] = histograms;
  if (histogram === undefined) return [];
  const { counts, layout } = sumCpus(histogram);
  return Array.from({ length: layout.slotCount }, (_, slot) => slot)
    .filter((slot) => counts.at(slot) > 0)
    .map((slot) => `${layout.lower(slot)} ${layout.upper(slot)} ${counts.at(slot)}`);
}

/** The used rows of a histogram that bcc or libbpf-tools print. */
function printedSlots(text: string): Slots {
  return [...text.matchAll(/^\s*(\d+)\s+->\s+(\d+)\s*:\s*(\d+)/gm)]
    .filter(([, , , count]) => count !== '0')
    .map(([, from, to, count]) => `${from} ${to} ${count}`);
}

/** The id of a map by a file descriptor of another process. */
function idOf(pid: number, fd: number | string): number | undefined {
  try {
    const [, id] = /^map_id:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/fdinfo/${fd}`, 'utf8')) ?? [];
    return id === undefined ? undefined : Number(id);
  } catch {
    // It was closed since it was listed.
    return undefined;
  }
}

describe('bcc', () => {
  const headers = kernelHeaders();
  afterAll(() => headers?.remove());

  testUnless(noKernel ?? lackOfBcc(headers?.folder))(
    'maps are read as bcc prints them, by their programs and by a layout that is named',
    async () => {
      const script = join(import.meta.dirname, 'support', 'kernel-tools.py');
      const python = spawn(PYTHON, [script], {
        env: bccEnvironment(headers?.folder),
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      const ended = once(python, 'close');
      try {
        // Powers of two and their neighbours, each value as often as its place says.
        const values = [0, 1, 2, 3, 4, 7, 8, 100, 1023, 1024, 2 ** 31, 2 ** 40 + 5].flatMap((value, i) =>
          new Array<number>(i + 1).fill(value),
        );
        python.stdin.write(`${JSON.stringify(values)}\n`);
        const [line] = await once(createInterface(python.stdout), 'line');
        const { log2, fds } = JSON.parse(String(line)) as { log2: string; fds: Record<string, number> };
        const ids = Object.fromEntries(
          Object.entries(fds).map(([name, fd]) => [name, idOf(python.pid!, fd)!]),
        );
        const printed = printedSlots(log2);
        expect(printed.map((slot) => Number(slot.split(' ')[2])).reduce((sum, count) => sum + count)).toBe(
          values.length,
        );
        for (const name of ['dist', 'dist_by', 'dist_percpu', 'dist_cpu_by', 'dist_lru']) {
          for (const layout of [undefined, parseKernelLayout('bcc:64')]) {
            expect([name, slotsOf(await read({ id: ids[name]! }, layout))]).toEqual([name, printed]);
          }
        }
        // Only its program knows that these slots are linear.
        for (const layout of [undefined, parseKernelLayout('exporter-linear:32')]) {
          expect(slotsOf(await read({ id: ids.sizes! }, layout))).toEqual([
            '0 0 1',
            '1 1 2',
            '2 2 3',
            '3 3 4',
            '4 4 5',
            '7 7 6',
            '8 8 7',
            `32 Infinity ${8 + 9 + 10 + 11 + 12}`,
          ]);
        }
        // A struct of the name and shape that libbpf-tools have. Its last slot holds all larger values.
        const floor = slotsOf(await read({ id: ids.hists! }, parseKernelLayout('libbpf-tools:26')));
        const small = printed.filter((slot) => Number(slot.split(' ')[0]) < 2 ** 25);
        expect(floor).toEqual([...small, `${2 ** 25} Infinity ${11 + 12}`]);
      } finally {
        python.stdin.end();
        await ended;
      }
    },
    120_000,
  );
});

function bccEnvironment(headers: string | undefined): NodeJS.ProcessEnv {
  return { ...process.env, ...(headers !== undefined && { BCC_KERNEL_SOURCE: headers }) };
}

/** Debian divides the headers of a kernel into two folders, and bcc wants one. Any version serves programs without its structs. */
function kernelHeaders(): { readonly folder: string; remove(): void } | undefined {
  if (existsSync(`/lib/modules/${release()}/build`)) return undefined;
  const found = existsSync('/usr/src') ? readdirSync('/usr/src').sort().reverse() : [];
  const common = found.find((name) => /^linux-headers-.*-common$/.test(name));
  const own = found.find((name) => /^linux-headers-.*-(amd64|arm64)$/.test(name));
  if (common === undefined || own === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'hdrscope-headers-'));
  for (const from of [common, own]) {
    for (const part of ['include', 'arch']) spawnSync('cp', ['-asf', `/usr/src/${from}/${part}`, folder]);
  }
  return { folder, remove: () => rmSync(folder, { recursive: true }) };
}

function lackOfBcc(headers: string | undefined): Lack | undefined {
  const program =
    'import sys; sys.path.insert(0, "/usr/lib/python3/dist-packages"); from bcc import BPF; BPF(text="BPF_HISTOGRAM(x);")';
  const { error, status, stderr } = spawnSync(PYTHON, ['-c', program], {
    encoding: 'utf8',
    env: bccEnvironment(headers),
  });
  const reason = error?.message ?? stderr.trim().split('\n').at(-1);
  return lack('bcc', status === 0 ? undefined : `bcc does not work here: ${reason}`);
}

describe('libbpf-tools', () => {
  testUnless(noKernel ?? lackOfTool('runqlat')).each(['runqlat', 'cpudist'])(
    '%s: its map is read as it prints it, by its program and by a layout that is named',
    async (tool) => {
      // The only thread of one process, which ends before the map is read, so the numbers do not change any more.
      const busy = spawn('sh', ['-c', 'while sleep 0.01; do :; done']);
      const running = spawn(`/usr/sbin/${tool}`, ['-p', String(busy.pid), '1000', '1'], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let printed = '';
      running.stdout.setEncoding('utf8').on('data', (text: string) => {
        printed += text;
      });
      try {
        const id = await until(() => mapOf(running, 'hists'));
        const stated = `libbpf-tools:${tool === 'runqlat' ? 26 : 36}`;
        // A tool has its maps before the programs that count in them.
        const { ground } = await until(() => read({ id }).catch(undefinedWhenUnused));
        expect(ground).toMatch(
          /^measured from program \d+ \(.*\): it counts as .* of the value divided by 1,000$/,
        );
        expect(ground).toContain(`as ${stated} of`);
        const layout = parseKernelLayout(stated);
        await until(async () => {
          const counted = slotsOf(await read({ id }, layout)).reduce(
            (sum, slot) => sum + Number(slot.split(' ')[2]),
            0,
          );
          return counted >= 10 ? counted : undefined;
        });
        const gone = once(busy, 'close');
        busy.kill('SIGKILL');
        await gone;
        const [frame, measured] = [await read({ id }, layout), await read({ id })];
        const ended = once(running, 'close');
        // A signal that arrives before the tool waits for it has no effect.
        const asking = setInterval(() => running.kill('SIGINT'), 1000);
        running.kill('SIGINT');
        await ended;
        clearInterval(asking);
        expect(frame.histograms).toHaveLength(1);
        expect(withOneMore(slotsOf(frame))).toContainEqual(printedSlots(printed));
        expect(withOneMore(slotsOf(frame))).toContainEqual(slotsOf(measured));
      } finally {
        busy.kill('SIGKILL');
        running.kill('SIGKILL');
      }
    },
    120_000,
  );
});

function undefinedWhenUnused(error: Error): undefined {
  if (!error.message.includes('no loaded program uses it')) throw error;
}

/** The slots, also with one more value in one of them: the kernel may count the last switch of a process after its end. */
function withOneMore(slots: Slots): readonly Slots[] {
  const more = slots.map((slot, at) => {
    const [lower, upper, count] = slot.split(' ');
    return slots.with(at, `${lower} ${upper} ${Number(count) + 1}`);
  });
  return [slots, ...more];
}

function lackOfTool(tool: string): Lack | undefined {
  if (!existsSync(`/usr/sbin/${tool}`)) return lack('libbpf-tools', 'libbpf-tools are not installed');
  const { status, stderr } = spawnSync(`/usr/sbin/${tool}`, ['1', '1'], {
    encoding: 'utf8',
    timeout: 30_000,
  });
  const reason = `${tool} does not load here: ${stderr.trim().split('\n').at(-1)}`;
  return lack('libbpf-tools', status === 0 ? undefined : reason);
}

/** The map of a name that a process holds. */
async function mapOf({ pid }: ChildProcess, name: string): Promise<number | undefined> {
  const { maps } = await listMaps();
  const named = new Set(maps.filter((map) => map.name === name).map(({ id }) => id));
  return readdirSync(`/proc/${pid}/fdinfo`)
    .map((fd) => idOf(pid!, fd))
    .find((id) => id !== undefined && named.has(id));
}

async function until<Value>(find: () => Promise<Value | undefined> | Value | undefined): Promise<Value> {
  for (const deadline = Date.now() + 60_000; ; await sleep(100)) {
    const found = await find();
    if (found !== undefined) return found;
    if (Date.now() > deadline) throw new Error('the tool has not counted within a minute');
  }
}
