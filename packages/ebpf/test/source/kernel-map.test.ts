import { spawnSync } from 'node:child_process';
import { chmodSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lackOfNobody, lackOfProgram, spawnNodeAsNobody, testUnless } from '@hdrscope/testing';
import { countingProgram } from '../../src/bpf/counting-program.ts';
import { createMap, mapInfo, type NewMap, pin, updateElement } from '../../src/bpf/maps.ts';
import { loadProgram, testRun } from '../../src/bpf/programs.ts';
import { type Bpf, loadBpf } from '../../src/bpf/syscall.ts';
import {
  bccLayout,
  bpftraceHistLayout,
  exporterExp2Layout,
  exporterFixedLayout,
  inspektorGadgetLayout,
  kernelMap,
  libbpfToolsLayout,
  logLinear8Layout,
  parseMapShape,
  queueDepthLayout,
} from '../../src/index.ts';
import { slotOfIndex } from '../../src/layout/kernel-layout.ts';
import { onlineCpus, possibleCpus } from '../../src/system-files.ts';
import { slotTotals } from '../support/contract.ts';
import {
  expectNoMaps,
  indexKey,
  lackOfKernel,
  lackOfMount,
  mountBpffs,
  type PrivateBpffs,
  perCpuValue,
} from '../support/kernel.ts';
import { buildEbpf } from '../support/kernel-built.ts';
import { countedMap } from '../support/kernel-counted.ts';

const PREFIX = 'hdr_map';
const noKernel = await lackOfKernel();
const noMount = noKernel ?? (await lackOfMount());
const kernelTest = testUnless(noKernel);
const bpffsTest = testUnless(noMount);
const programTest = (name: string) => testUnless(noMount ?? lackOfProgram(name));
const nobodyTest = testUnless(noMount ?? lackOfNobody());
const bpftoolTest = programTest('bpftool');

/** 4,821 depths of run queues, from the document that defines this layout. */
const DEPTHS = [1200, 980, 1400, 800, 400, 30, 10, 1];
const VALUES = [[0], [1], [2, 3, 4], [5, 8], [9, 16], [17, 32], [33, 64], [65, 2 ** 31]];

const cpus = possibleCpus().length;
const open: number[] = [];
let bpf: Bpf;
let bpffs: PrivateBpffs | undefined;

beforeAll(async () => {
  bpf = await loadBpf().catch(() => undefined as unknown as Bpf);
  if (noMount === undefined) bpffs = mountBpffs();
});

afterEach(() => {
  for (const fd of open.splice(0)) bpf.close(fd);
});

// After all is closed, no map may be left.
afterAll(async () => {
  bpffs?.unmount();
  if (noKernel === undefined) await expectNoMaps(bpf, PREFIX);
});

function newMap(map: Partial<NewMap> = {}): number {
  const fd = createMap(bpf, {
    type: 'percpu_array',
    keySize: 4,
    valueSize: 8,
    maxEntries: 8,
    name: PREFIX,
    ...map,
  });
  open.push(fd);
  return fd;
}

/** Pins a map or program until `use` returns. */
async function pinned<T>(fd: number, use: (path: string) => T | Promise<T>, name = 'pinned'): Promise<T> {
  const path = bpffs!.path(name);
  pin(bpf, fd, path);
  try {
    return await use(path);
  } finally {
    unlinkSync(path);
  }
}

/** Makes the kernel count the depths, on the CPUs in turn. */
function countDepths(mapFd: number, counter: 'u32' | 'u64' = 'u64', sumIndex?: number): void {
  const options = { mapFd, layout: queueDepthLayout(), counter, ...(sumIndex !== undefined && { sumIndex }) };
  const program = loadProgram(bpf, countingProgram(options), PREFIX);
  open.push(program);
  const online = onlineCpus();
  let runs = 0;
  for (const [slot, count] of DEPTHS.entries()) {
    const values = VALUES[slot]!;
    for (let i = 0; i < count; i++) {
      testRun(bpf, program, [values[i % values.length]!], { cpu: online[runs++ % online.length]! });
    }
  }
}

describe.each([{ batch: true }, { batch: false }])('with %p', (options) => {
  bpffsTest('counts of the kernel arrive exactly, for each CPU', async () => {
    const fd = newMap();
    countDepths(fd);
    await pinned(fd, async (path) => {
      const source = kernelMap({ path, layout: queueDepthLayout(), ...options });
      const frame = await source.read();
      await source.close();
      expect(frame).toMatchObject({
        generation: `map ${mapInfo(bpf, fd).id}`,
        cpuCount: cpus,
        counterBits: 64,
      });
      const [histogram] = frame.histograms;
      expect(slotTotals(histogram!)).toEqual(DEPTHS);
      expect(histogram).toMatchObject({ name: PREFIX, attributes: {}, sums: undefined });
      if (onlineCpus().length > 1) expect([histogram!.counts[0], histogram!.counts[8]]).toEqual([600, 600]);
    });
  });

  kernelTest('counters of 32 bits are read, and the sum at the index after the last slot', async () => {
    const fd = newMap({ valueSize: 4, maxEntries: 9 });
    countDepths(fd, 'u32', 8);
    const source = kernelMap({
      id: mapInfo(bpf, fd).id,
      layout: queueDepthLayout(),
      shape: { sum: 'after-last' },
      ...options,
    });
    const { histograms, counterBits } = await source.read();
    await source.close();
    expect(counterBits).toBe(32);
    expect(slotTotals(histograms[0]!)).toEqual(DEPTHS);
    const expected = DEPTHS.flatMap((count, slot) =>
      Array.from({ length: count }, (_, i) => VALUES[slot]![i % VALUES[slot]!.length]!),
    );
    expect(histograms[0]!.sums!.reduce((a, b) => a + b)).toBe(expected.reduce((a, b) => a + b));
  });
});

kernelTest.each([
  queueDepthLayout(),
  libbpfToolsLayout(),
  bccLayout(),
  inspektorGadgetLayout(),
  bpftraceHistLayout(),
  logLinear8Layout(),
  exporterExp2Layout({ max: 27 }),
])('both sides of each bound of the layout $name are counted in the right slot', async (layout) => {
  const first = layout.firstIndex;
  const fd = newMap({ maxEntries: first + layout.slots.slotCount });
  const program = loadProgram(bpf, countingProgram({ mapFd: fd, layout }), PREFIX);
  open.push(program);
  const expected = new Array<number>(layout.slots.slotCount).fill(0);
  // Values are signed when the layout has a slot for negative ones.
  const end = 2n ** (layout.slots.upper(0) < 0 ? 63n : 64n);
  for (let slot = 0; slot < layout.slots.slotCount - 1; slot++) {
    // This is exact above 2^53, where the upper bound is not a double.
    const next = BigInt(layout.slots.lower(slot + 1));
    for (const [value, where] of [
      [next - 1n, slot],
      [next, slot + 1],
    ] as const) {
      if (value >= end) continue;
      expect(testRun(bpf, program, [value])).toBe(first + where);
      expected[where]!++;
    }
  }
  const source = kernelMap({ id: mapInfo(bpf, fd).id, layout });
  const { histograms } = await source.read();
  await source.close();
  expect(slotTotals(histograms[0]!)).toEqual(expected);
});

kernelTest('keys of a fixed layout have gaps, and the sum follows the last key', async () => {
  const layout = exporterFixedLayout([10, 100, 1000]);
  const map = countedMap(bpf, {
    type: 'hash',
    keySize: 8,
    valueSize: 8,
    maxEntries: 16,
    name: `${PREFIX}_fix`,
  });
  open.push(map.fd);
  const key = (index: number) => new Uint8Array(new BigUint64Array([BigInt(index)]).buffer);
  map.add(key(10), 3);
  map.add(key(1000), 4);
  map.add(key(1001), 4030);
  const source = kernelMap({ id: mapInfo(bpf, map.fd).id, layout, shape: { sum: 'after-last' } });
  const { histograms, cpuCount } = await source.read();
  await source.close();
  expect(cpuCount).toBe(1);
  expect(slotOfIndex(layout, 1000)).toBe(2);
  expect(histograms.map((histogram) => [slotTotals(histogram), histogram.sums])).toEqual([
    [[3, 0, 4], Float64Array.of(4030)],
  ]);
});

kernelTest('counts at an index without a slot are an error, not a loss', async () => {
  const fd = newMap({ maxEntries: 10 });
  const source = kernelMap({ id: mapInfo(bpf, fd).id, layout: queueDepthLayout() });
  expect((await source.read()).histograms).toHaveLength(1);
  updateElement(bpf, fd, indexKey(9), perCpuValue(...new Array<number>(cpus).fill(1)));
  await expect(async () => source.read()).rejects.toMatchObject({
    code: 'ERR_KERNEL',
    message: expect.stringMatching(
      /counts at index 9, for which the layout queue-depth of 8 slots has no slot/,
    ),
  });
  await source.close();
});

kernelTest('a counter that is too large for a count is an error', async () => {
  const fd = newMap();
  updateElement(bpf, fd, indexKey(3), perCpuValue(...new Array<bigint>(cpus).fill(2n ** 53n)));
  const source = kernelMap({ id: mapInfo(bpf, fd).id, layout: queueDepthLayout() });
  await expect(async () => source.read()).rejects.toMatchObject({
    code: 'ERR_KERNEL',
    message: expect.stringContaining('2^53'),
  });
  updateElement(bpf, fd, indexKey(3), perCpuValue(...new Array<bigint>(cpus).fill(2n ** 53n - 1n)));
  expect((await source.read()).histograms[0]!.counts[3]).toBe(2 ** 53 - 1);
  await source.close();
});

kernelTest.each([
  ['each value is a counter', { valueSize: 8, maxEntries: 42 }],
  ['a value has all counters', { valueSize: 42 * 8, maxEntries: 1 }],
] as const)('a sum may be larger than any count, when %s', async (_, { valueSize, maxEntries }) => {
  const map = countedMap(bpf, { type: 'array', keySize: 4, valueSize, maxEntries, name: `${PREFIX}_sum` });
  open.push(map.fd);
  const add = (index: number, amount: number) =>
    maxEntries === 1
      ? map.add(indexKey(0), amount, { offset: index * 8, width: 8 })
      : map.add(indexKey(index), amount);
  // 200,000 values of 2^36 + 1 to 2^37 have a sum above 2^53.
  add(37, 200_000);
  add(41, 200_000 * 2 ** 37);
  const source = kernelMap({
    id: mapInfo(bpf, map.fd).id,
    layout: exporterExp2Layout({ max: 40 }),
    shape: { sum: 'after-last', ...(maxEntries === 1 && { counts: { type: 'u64', length: 42 } }) },
  });
  const { histograms } = await source.read();
  await source.close();
  expect(histograms[0]!.counts[37]).toBe(200_000);
  expect(histograms[0]!.sums).toEqual(Float64Array.of(200_000 * 2 ** 37));
});

kernelTest('a layout with more slots than the array is refused', async () => {
  const fd = newMap({ maxEntries: 7 });
  const source = kernelMap({ id: mapInfo(bpf, fd).id, layout: queueDepthLayout() });
  await expect(async () => source.read()).rejects.toMatchObject({
    code: 'ERR_KERNEL',
    message: expect.stringContaining('from 0 to 6'),
  });
  await source.close();
});

kernelTest('a map that takes more than maxBytes is refused', async () => {
  const fd = newMap({ maxEntries: 100_000 });
  const source = kernelMap({ id: mapInfo(bpf, fd).id, layout: queueDepthLayout(), maxBytes: 1_000_000 });
  await expect(async () => source.read()).rejects.toMatchObject({ code: 'ERR_TOO_LARGE' });
  await source.close();
});

kernelTest(
  'an ambiguous name is refused with the ids of its maps, and an unknown name is refused',
  async () => {
    const name = `${PREFIX}_twins_long_name`;
    const ids = [newMap({ name }), newMap({ name })].map((fd) => mapInfo(bpf, fd).id);
    const source = kernelMap({ name, layout: queueDepthLayout() });
    await expect(async () => source.read()).rejects.toMatchObject({
      code: 'ERR_KERNEL',
      message: expect.stringContaining(`by its id (${ids.join(', ')})`),
    });
    const absent = kernelMap({ name: 'no_such_map', layout: queueDepthLayout() });
    await expect(async () => absent.read()).rejects.toThrow('no map is called "no_such_map"');
  },
);

bpffsTest('the pin of a program is refused', async () => {
  const program = loadProgram(bpf, countingProgram({ mapFd: newMap(), layout: queueDepthLayout() }));
  open.push(program);
  await pinned(program, async (path) => {
    const source = kernelMap({ path, layout: queueDepthLayout() });
    await expect(async () => source.read()).rejects.toThrow(
      'must be the pin of a map, and is the pin of a prog',
    );
  });
});

bpffsTest('a map with a new pin keeps its generation and its counts', async () => {
  const fd = newMap();
  const source = await pinned(fd, async (path) => {
    const source = kernelMap({ path, layout: queueDepthLayout() });
    await source.read();
    return source;
  });
  await expect(async () => source.read()).rejects.toMatchObject({ cause: { code: 'ENOENT' } });
  await pinned(fd, async () => {
    expect((await source.read()).generation).toBe(`map ${mapInfo(bpf, fd).id}`);
  });
  await source.close();
});

describe('a hash of 100,000 entries', () => {
  const ENTRIES = 100_000;
  const SLOTS = 25;
  const shape = parseMapShape('key { u32 dev; u32 slot; } value { u64 count; }');
  const fill = () => {
    const fd = createMap(bpf, {
      ...{ type: 'hash', keySize: 8, valueSize: 8, maxEntries: ENTRIES, name: `${PREFIX}_big` },
    });
    open.push(fd);
    const value = new Uint8Array(BigUint64Array.of(3n).buffer);
    for (let entry = 0; entry < ENTRIES; entry++) {
      const key = Uint32Array.of(Math.floor(entry / SLOTS), entry % SLOTS);
      updateElement(bpf, fd, new Uint8Array(key.buffer), value);
    }
    return kernelMap({ id: mapInfo(bpf, fd).id, layout: libbpfToolsLayout(SLOTS), shape });
  };

  kernelTest('is read whole, in turns between which other work runs', async () => {
    const source = fill();
    await source.read();
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    const { histograms } = await source.read();
    clearInterval(timer);
    expect(turns).toBeGreaterThan(5);
    expect(histograms).toHaveLength(ENTRIES / SLOTS);
    for (const { counts } of histograms) expect(counts).toEqual(new Float64Array(SLOTS).fill(3));
    await source.close();
  });

  kernelTest('is read no further when its source is closed', async () => {
    const source = fill();
    await source.read();
    const reading = source.read();
    await source.close();
    await expect(reading).rejects.toThrow('is closed: make another source for it');
  });
});

test.each([{}, { path: '/a', id: 1 }, { id: 0 }, { id: 1.5 }])('%p does not choose a map', (which) => {
  expect(() => kernelMap({ layout: queueDepthLayout(), ...which })).toThrow(
    expect.objectContaining({ code: 'ERR_INVALID_OPTION' }),
  );
});

test('the error for a file that is not a pin says so', async () => {
  if (noKernel !== undefined) return;
  const file = join(tmpdir(), `hdrscope-no-pin-${process.pid}`);
  writeFileSync(file, '');
  const source = kernelMap({ path: file, layout: queueDepthLayout() });
  await expect(async () => source.read()).rejects.toThrow('is not in a bpffs');
  unlinkSync(file);
});

bpftoolTest('bpftool reads the same counts', async () => {
  const fd = newMap();
  countDepths(fd);
  await pinned(fd, (path) => {
    const { stdout } = spawnSync('bpftool', ['-j', 'map', 'dump', 'pinned', path], { encoding: 'utf8' });
    const entries: { values: { value: string[] }[] }[] = JSON.parse(stdout);
    const totals = entries.map(({ values }) =>
      values.reduce((total, { value }) => total + Buffer.from(value.map(Number)).readBigUInt64LE(), 0n),
    );
    expect(totals).toEqual(DEPTHS.map(BigInt));
  });
});

describe('a user without any capability', () => {
  const built = noMount === undefined ? buildEbpf() : undefined;
  afterAll(() => built?.remove());

  /** Reads a pin as the user nobody, and returns the output. */
  function readAsNobody(path: string, shape: object = {}): string {
    const script = built!.script(
      'reader',
      `import { kernelMap, queueDepthLayout } from '@hdrscope/ebpf';
       const source = kernelMap({ path: process.argv[2], layout: queueDepthLayout(), shape: JSON.parse(process.argv[3]) });
       try {
         const { histograms } = await source.read();
         console.log(JSON.stringify(histograms.map(({ attributes, counts }) => [attributes, [...counts]])));
       } catch (error) {
         console.log(error.code, error.message);
       }
       await source.close();`,
    );
    const { stdout, stderr } = spawnNodeAsNobody([script, path, JSON.stringify(shape)]);
    if (stdout === '') throw new Error(stderr);
    return stdout;
  }

  nobodyTest('reads a pin of mode 0444', async () => {
    const fd = newMap();
    countDepths(fd);
    await pinned(fd, (path) => {
      chmodSync(path, 0o444);
      const [[attributes, counts]] = JSON.parse(readAsNobody(path));
      expect(attributes).toEqual({});
      expect(
        DEPTHS.map((_, slot) =>
          counts.reduce((t: number, c: number, i: number) => t + (i % 8 === slot ? c : 0), 0),
        ),
      ).toEqual(DEPTHS);
    });
  });

  nobodyTest('gets an error that says how the owner can let it read', async () => {
    await pinned(newMap(), (path) => {
      chmodSync(path, 0o600);
      expect(readAsNobody(path)).toMatch(
        /^ERR_KERNEL bpf\(OBJ_GET\) refused \S+: EACCES, .*mode 0600 .*uid 0: `chmod 0444 \S+`/,
      );
    });
  });

  nobodyTest('reads keys by a description of their fields', async () => {
    const map = countedMap(bpf, { type: 'hash', keySize: 20, valueSize: 8, maxEntries: 16, name: PREFIX });
    open.push(map.fd);
    const key = new Uint8Array(20);
    key.set(Buffer.from('fn_monstore'));
    key[16] = 2;
    map.add(key, 5);
    await pinned(map.fd, (path) => {
      chmodSync(path, 0o444);
      expect(readAsNobody(path)).toMatch(/^ERR_KERNEL .*keys have 20 bytes.*describe its fields/);
      const shape = {
        key: [
          { name: 'comm', type: 'char[16]', offset: 0 },
          { name: 'bucket', type: 'u32', offset: 16 },
        ],
      };
      expect(JSON.parse(readAsNobody(path, shape))).toEqual([
        [{ comm: 'fn_monstore' }, [0, 0, 5, 0, 0, 0, 0, 0]],
      ]);
    });
  });
});
