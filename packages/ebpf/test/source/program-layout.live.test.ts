import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { countingProgram } from '../../src/bpf/counting-program.ts';
import { createMap, mapInfo } from '../../src/bpf/maps.ts';
import { loadProgram, testRun } from '../../src/bpf/programs.ts';
import { readKernelSymbols } from '../../src/bpf/symbols.ts';
import type { Bpf } from '../../src/bpf/syscall.ts';
import { COMMANDS } from '../../src/bpf/uapi.ts';
import {
  explicitKernelLayout,
  type KernelLayout,
  kernelMap,
  listMaps,
  parseKernelLayout,
} from '../../src/index.ts';
import { kernelSession } from '../support/kernel.ts';

const { kernelTest, bpf, open } = await kernelSession('hdr_hist');

function newMap(
  type: 'array' | 'percpu_array',
  maxEntries: number,
): { readonly fd: number; readonly id: number } {
  const fd = createMap(bpf, { type, keySize: 4, valueSize: 8, maxEntries, name: 'hdr_hist' });
  open.push(fd);
  return { fd, id: mapInfo(bpf, fd).id };
}

function load(mapFd: number, layout: KernelLayout, name?: string): number {
  const program = loadProgram(bpf, countingProgram({ mapFd, layout }), name);
  open.push(program);
  return program;
}

async function read(id: number, through: Bpf = bpf) {
  const source = kernelMap({ id, bpf: through });
  try {
    return await source.read();
  } finally {
    await source.close();
  }
}

const BOUNDS = fc.uniqueArray(fc.oneof(fc.nat(50), fc.maxSafeNat()), { minLength: 1, maxLength: 20 });

kernelTest(
  'the layout of a loaded program is measured, in arrays of one value and of one for each CPU',
  async () => {
    const types = fc.constantFrom('array' as const, 'percpu_array' as const);
    const property = fc.asyncProperty(BOUNDS, types, async (integers, type) => {
      const layout = explicitKernelLayout([...integers].sort((a, b) => a - b));
      const { fd, id } = newMap(type, layout.slots.slotCount);
      const program = load(fd, layout, 'hdr_counts');
      testRun(bpf, program, [layout.slots.lower(1)]);
      const { histograms, ground } = await read(id);
      expect(ground).toMatch(/^measured from program \d+ \(hdr_counts\): it counts as /);
      expect(histograms.map(({ layout: { slots } }) => slots.bounds)).toEqual([layout.slots.bounds]);
      expect(histograms[0]!.counts.reduce((sum, count) => sum + count)).toBe(1);
      const { maps } = await listMaps();
      expect(maps.find((map) => map.id === id)?.known?.ground).toBe(ground);
      for (const one of open.splice(0)) bpf.close(one);
    });
    await fc.assert(property, { numRuns: 10 });
  },
);

kernelTest('a map stays refused when two programs count in it in different ways', async () => {
  const { fd, id } = newMap('array', 27);
  load(fd, parseKernelLayout('libbpf-tools:27'), 'hdr_one');
  expect((await read(id)).histograms[0]!.layout.name).toBe('libbpf-tools');
  load(fd, parseKernelLayout('libbpf-tools:27'), 'hdr_two');
  expect((await read(id)).histograms[0]!.layout.name).toBe('libbpf-tools');
  load(fd, parseKernelLayout('inspektor-gadget:27'), 'hdr_other');
  await expect(read(id)).rejects.toThrow(
    /nothing states which values its slots hold, and program \d+ \(hdr_one\) and program \d+ \(hdr_other\) count in it in different ways; .* its numbers fit /,
  );
});

kernelTest('a map stays refused when its program has ended, or this user may not read programs', async () => {
  const { fd, id } = newMap('array', 27);
  const program = load(fd, parseKernelLayout('libbpf-tools:27'), 'hdr_ended');
  const forbidden: Bpf = {
    call: (command, attr) =>
      command === COMMANDS.PROG_GET_NEXT_ID ? -constants.errno.EPERM : bpf.call(command, attr),
    address: (memory) => bpf.address(memory),
    close: (one) => bpf.close(one),
  };
  await expect(read(id, forbidden)).rejects.toThrow(
    'nothing states which values its slots hold, and reading the programs that use it takes CAP_SYS_ADMIN',
  );
  open.splice(open.indexOf(program), 1);
  bpf.close(program);
  const isGone = () =>
    read(id).then(
      () => false,
      (error: Error) => error.message.includes('no loaded program uses it'),
    );
  // The kernel frees a program a moment after its last user is gone.
  for (let i = 0; i < 500 && !(await isGone()); i++) await new Promise((resolve) => setTimeout(resolve, 10));
  await expect(read(id)).rejects.toThrow('and no loaded program uses it');
});

kernelTest('reads that begin while the program is followed wait for each other', async () => {
  const { fd, id } = newMap('array', 27);
  load(fd, parseKernelLayout('libbpf-tools:27'), 'hdr_waits');
  const source = kernelMap({ id, bpf });
  const frames = await Promise.all([source.read(), source.read(), source.read()]);
  expect(frames.map(({ histograms: [one] }) => one?.layout.name)).toEqual(Array(3).fill('libbpf-tools'));
  await source.close();
});

describe('a program that takes a second to follow', () => {
  const heavy = (): number => {
    const { fd, id } = newMap('array', 701);
    load(fd, explicitKernelLayout(Array.from({ length: 700 }, (_, i) => 7 * i * i + 3 * i)), 'hdr_heavy');
    return id;
  };
  const cpuOf = async (work: () => Promise<unknown>): Promise<number> => {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };

  kernelTest('leaves turns of the event loop to others, and ends when its source is closed', async () => {
    const id = heavy();
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    const whole = await cpuOf(() => expect(read(id)).rejects.toThrow('takes too many steps'));
    clearInterval(timer);
    // A slice takes at most 25 ms.
    expect(turns).toBeGreaterThan(20);
    const closed = await cpuOf(async () => {
      const source = kernelMap({ id, bpf });
      const reading = expect(source.read()).rejects.toThrow('is closed: make another source for it');
      setImmediate(() => source.close());
      await reading;
    });
    expect(closed).toBeLessThan(whole / 2);
  });

  kernelTest('is followed no further when the signal of the list says so', async () => {
    heavy();
    const stopping = new AbortController();
    setImmediate(() => stopping.abort(new Error('stopped')));
    await expect(listMaps({ signal: stopping.signal })).rejects.toThrow('stopped');
  });
});

test('calls have no names where the kernel hides its addresses', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hdrscope-symbols-'));
  try {
    const path = join(folder, 'kallsyms');
    const lines = [
      '0000 T _text',
      '00a0 T __bpf_call_base',
      '00a8 t bpf_map_lookup_elem',
      '00b0 T array_map_lookup_elem',
    ];
    writeFileSync(path, `${lines.join('\n')}\n`);
    const { nameOfCall } = await readKernelSymbols(path);
    expect([8, 16, 9].map(nameOfCall)).toEqual(['bpf_map_lookup_elem', 'array_map_lookup_elem', undefined]);
    writeFileSync(path, `${lines.join('\n').replace(/^\w+/gm, '0000')}\n`);
    expect((await readKernelSymbols(path)).nameOfCall(8)).toBeUndefined();
    expect((await readKernelSymbols(join(folder, 'none'))).nameOfCall(8)).toBeUndefined();
  } finally {
    rmSync(folder, { recursive: true });
  }
});
