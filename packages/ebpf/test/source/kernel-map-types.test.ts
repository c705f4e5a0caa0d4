import { createMap, mapInfo, type NewMap } from '../../src/bpf/maps.ts';
import { type KernelMapOptions, kernelMap, libbpfToolsLayout, queueDepthLayout } from '../../src/index.ts';
import { slotTotals } from '../support/contract.ts';
import { indexKey, kernelSession } from '../support/kernel.ts';
import { BtfBuilder, loadBtf } from '../support/kernel-btf.ts';
import { type CountedMap, countedMap } from '../support/kernel-counted.ts';

const PREFIX = 'hdr_types';
const { kernelTest, bpf, open } = await kernelSession(PREFIX);

/** A map whose keys and values have types, as compilers write them. */
function typedMap(
  map: Omit<NewMap, 'name' | 'types'>,
  types: (btf: BtfBuilder) => { readonly key: number; readonly value: number },
): CountedMap {
  const btf = new BtfBuilder();
  const { key, value } = types(btf);
  const btfFd = loadBtf(bpf, btf.build());
  open.push(btfFd);
  const counted = countedMap(bpf, {
    ...map,
    name: PREFIX,
    types: { btfFd, keyTypeId: key, valueTypeId: value },
  });
  open.push(counted.fd);
  return counted;
}

async function read({ fd }: CountedMap, options: Partial<KernelMapOptions> = {}) {
  const source = kernelMap({ id: mapInfo(bpf, fd).id, layout: queueDepthLayout(), ...options });
  const frame = await source.read();
  await source.close();
  return frame;
}

/** A key with a name and integers of 32 bits. */
function latencyKey(comm: string, ...rest: readonly number[]): Uint8Array {
  const key = new Uint8Array(16 + 4 * rest.length);
  key.set(Buffer.from(comm));
  for (const [i, value] of rest.entries()) key.set(indexKey(value), 16 + 4 * i);
  return key;
}

/** `struct { char comm[16]; u32 cpu; u32 bucket; }` */
function latencyKeyType(btf: BtfBuilder, names: readonly string[] = ['cpu', 'bucket']): number {
  const u32 = btf.int(4);
  const comm = btf.array(btf.int(1, { isChar: true }), 16);
  return btf.struct(16 + 4 * names.length, [
    { name: 'comm', type: comm, bitOffset: 0 },
    ...names.map((name, i) => ({ name, type: u32, bitOffset: 128 + 32 * i })),
  ]);
}

kernelTest.each(['hash', 'percpu_hash', 'lru_hash', 'lru_percpu_hash'] as const)(
  'key fields of a map of type %s become attributes, except the slot',
  async (type) => {
    const map = typedMap({ type, keySize: 24, valueSize: 8, maxEntries: 64 }, (btf) => ({
      key: latencyKeyType(btf),
      value: btf.int(8),
    }));
    map.add(latencyKey('fn_monstore', 1, 7), 3);
    map.add(latencyKey('fn_monstore', 1, 2), 4);
    map.add(latencyKey('kworker/u4:1', 0, 7), 5);
    const { histograms } = await read(map);
    expect(Object.fromEntries(histograms.map((h) => [JSON.stringify(h.attributes), slotTotals(h)]))).toEqual({
      '{"comm":"fn_monstore","cpu":1}': [0, 0, 4, 0, 0, 0, 0, 3],
      '{"comm":"kworker/u4:1","cpu":0}': [0, 0, 0, 0, 0, 0, 0, 5],
    });
  },
);

kernelTest('bytes after the NUL of a name do not make another histogram', async () => {
  const map = typedMap({ type: 'hash', keySize: 20, valueSize: 4, maxEntries: 64 }, (btf) => ({
    key: latencyKeyType(btf, ['slot']),
    value: btf.int(4),
  }));
  map.add(latencyKey('a\0old', 1), 3);
  map.add(latencyKey('a\0new', 1), 4);
  const { histograms, counterBits } = await read(map);
  expect(counterBits).toBe(32);
  expect(histograms.map((h) => [h.attributes, slotTotals(h)[1]])).toEqual([[{ comm: 'a' }, 7]]);
});

kernelTest('`shape` names the slot when its name is unusual', async () => {
  const map = typedMap({ type: 'hash', keySize: 24, valueSize: 8, maxEntries: 64 }, (btf) => ({
    key: latencyKeyType(btf, ['depth', 'cpu']),
    value: btf.int(8),
  }));
  map.add(latencyKey('a', 2, 1), 3);
  const { histograms } = await read(map, { shape: { slot: 'depth' } });
  expect(histograms.map((h) => [h.attributes, slotTotals(h)[2]])).toEqual([[{ comm: 'a', cpu: 1 }, 3]]);
  await expect(read(map, { shape: { slot: 'width' } })).rejects.toMatchObject({
    code: 'ERR_KERNEL',
    message: expect.stringContaining('no field width, only: comm, depth, cpu'),
  });
});

/** As in libbpf-tools: `struct hist { __u32 slots[26]; char comm[16]; }` */
function histType(btf: BtfBuilder): number {
  return btf.struct(26 * 4 + 16, [
    { name: 'slots', type: btf.array(btf.typedef('__u32', btf.int(4)), 26), bitOffset: 0 },
    { name: 'comm', type: btf.array(btf.int(1, { isChar: true }), 16), bitOffset: 26 * 32 },
  ]);
}

kernelTest('values that hold all slots are histograms, as in libbpf-tools', async () => {
  const map = typedMap({ type: 'hash', keySize: 4, valueSize: 120, maxEntries: 64 }, (btf) => ({
    key: btf.typedef('u32', btf.int(4)),
    value: histType(btf),
  }));
  map.write(indexKey(4242), 'ceph-osd', 104);
  map.add(indexKey(4242), 6, { offset: 4 * 25, width: 4 });
  map.add(indexKey(1), 2, { offset: 0, width: 4 });
  const { histograms, counterBits } = await read(map, { layout: libbpfToolsLayout() });
  expect(counterBits).toBe(32);
  const totals = Object.fromEntries(histograms.map((h) => [Number(h.attributes.key), slotTotals(h)]));
  expect([totals[4242]![25], totals[1]![0]]).toEqual([6, 2]);
  // The name of the task is an attribute, unless `shape` has other ones.
  const attributesOf = (all: typeof histograms) => all.map(({ attributes }) => attributes);
  expect(attributesOf(histograms)).toContainEqual({ key: 4242, comm: 'ceph-osd' });
  const bare = await read(map, { layout: libbpfToolsLayout(), shape: { valueAttributes: [] } });
  expect(attributesOf(bare.histograms)).toContainEqual({ key: 4242 });
});

kernelTest.each(['percpu_array', 'array', 'percpu_hash'] as const)(
  'the sum beside the slots is found by its name in a map of type %s',
  async (type) => {
    const map = typedMap({ type, keySize: 4, valueSize: 72, maxEntries: 1 }, (btf) => {
      const u64 = btf.int(8);
      const members = [
        { name: 'sum', type: u64, bitOffset: 0 },
        { name: 'slots', type: btf.array(u64, 8), bitOffset: 64 },
      ];
      return { key: btf.int(4), value: btf.struct(72, members) };
    });
    for (let i = 0; i < 4; i++) {
      map.add(indexKey(0), 75, { offset: 0 });
      map.add(indexKey(0), 10 + i, { offset: 8 + 8 * 3 });
    }
    const { histograms } = await read(map);
    expect(histograms).toHaveLength(1);
    expect(slotTotals(histograms[0]!)[3]).toBe(46);
    expect(histograms[0]!.sums!.reduce((a, b) => a + b)).toBe(300);
    expect(histograms[0]!.attributes).toEqual(type === 'percpu_hash' ? { key: 0 } : {});
  },
);

kernelTest('an array of histograms leaves out histograms without counts', async () => {
  const map = typedMap({ type: 'percpu_array', keySize: 4, valueSize: 64, maxEntries: 100 }, (btf) => {
    const u64 = btf.int(8);
    return {
      key: btf.int(4),
      value: btf.struct(64, [{ name: 'slots', type: btf.array(u64, 8), bitOffset: 0 }]),
    };
  });
  map.add(indexKey(3), 1, { offset: 0 });
  map.add(indexKey(42), 1, { offset: 56 });
  const { histograms } = await read(map);
  expect(histograms.map((h) => [h.attributes, slotTotals(h)])).toEqual([
    [{ key: 3 }, [1, 0, 0, 0, 0, 0, 0, 0]],
    [{ key: 42 }, [0, 0, 0, 0, 0, 0, 0, 1]],
  ]);
});

kernelTest('without types, integer keys are slots, as with hist() of bpftrace', async () => {
  const fd = createMap(bpf, { type: 'percpu_hash', keySize: 8, valueSize: 8, maxEntries: 16, name: PREFIX });
  open.push(fd);
  const source = kernelMap({ id: mapInfo(bpf, fd).id, layout: queueDepthLayout() });
  const { histograms } = await source.read();
  expect(histograms.map((h) => [h.attributes, slotTotals(h)])).toEqual([[{}, [0, 0, 0, 0, 0, 0, 0, 0]]]);
});

kernelTest('without types, values as long as the layout hold all slots', async () => {
  const map = countedMap(bpf, { type: 'array', keySize: 4, valueSize: 32, maxEntries: 1, name: PREFIX });
  open.push(map.fd);
  map.add(indexKey(0), 9, { offset: 4 * 6, width: 4 });
  const { histograms } = await read(map);
  expect(slotTotals(histograms[0]!)).toEqual([0, 0, 0, 0, 0, 0, 9, 0]);
});

kernelTest('`shape` must describe a value without types and usual size', async () => {
  const map = countedMap(bpf, { type: 'array', keySize: 4, valueSize: 27, maxEntries: 1, name: PREFIX });
  open.push(map.fd);
  await expect(read(map)).rejects.toMatchObject({
    code: 'ERR_KERNEL',
    message: expect.stringMatching(/values have 27 bytes.*describe its fields/),
  });
  const counts = { type: 'u64', length: 8, offset: 3 } as const;
  await expect(read(map, { shape: { counts } })).rejects.toMatchObject({
    message: expect.stringContaining('do not hold the counts'),
  });
});

kernelTest('unaligned counters are read', async () => {
  const map = countedMap(bpf, { type: 'hash', keySize: 4, valueSize: 35, maxEntries: 4, name: PREFIX });
  open.push(map.fd);
  map.add(indexKey(5), 70_000, { offset: 3 + 4 * 2, width: 4 });
  const shape = {
    key: [{ name: 'pid', type: 'u32', offset: 0 }],
    counts: { type: 'u32', length: 8, offset: 3 },
  } as const;
  const { histograms } = await read(map, { shape });
  expect(histograms.map((h) => [h.attributes, slotTotals(h)[2]])).toEqual([[{ pid: 5 }, 70_000]]);
});

kernelTest.each([
  ['array', 4, 1],
  ['percpu_array', 8, 1],
  ['hash', 4, 0],
  ['hash', 8, 3],
] as const)('a negative count in a %s of signed integers of %i bytes is refused', async (type, size, pad) => {
  const valueSize = 8 * size + pad;
  const map = typedMap({ type, keySize: 4, valueSize, maxEntries: 1 }, (btf) => {
    const slots = btf.array(btf.int(size, { isSigned: true }), 8);
    return { key: btf.int(4), value: btf.struct(valueSize, [{ name: 'slots', type: slots, bitOffset: 0 }]) };
  });
  map.add(indexKey(0), 7, { offset: 2 * size, width: size });
  expect(slotTotals((await read(map)).histograms[0]!)[2]).toBe(7);
  map.add(indexKey(0), -4, { offset: 5 * size, width: size });
  await expect(read(map)).rejects.toMatchObject({
    code: 'ERR_KERNEL',
    message: expect.stringMatching(/^counts of map \d+ \(hdr_types\) must not be negative, got -4:/),
  });
});

describe('an array of structs in the global variables of a program', () => {
  /** As in softirqs of libbpf-tools: `u64 counts[3]; struct hist hists[3];` in `.bss`. */
  function variables(more = 0): CountedMap {
    const btf = new BtfBuilder();
    const u64 = btf.int(8);
    const hists = btf.array(histType(btf), 3, u64);
    const own = Array.from({ length: 1 + more }, (_, i) => btf.variable(`hists${i}`, hists));
    const value = btf.section(
      '.bss',
      [btf.variable('counts', btf.array(u64, 3)), ...own],
      [24, ...own.map(() => 360)],
    );
    const btfFd = loadBtf(bpf, btf.build());
    open.push(btfFd);
    const types = { btfFd, keyTypeId: 0, valueTypeId: value };
    const size = { keySize: 4, valueSize: 24 + 360 * (1 + more), maxEntries: 1 };
    const map = countedMap(bpf, { type: 'array', ...size, name: `${PREFIX}.bss`, types });
    open.push(map.fd);
    map.add(indexKey(0), 99, { offset: 0 });
    map.add(indexKey(0), 5, { offset: 24 + 4 * 7, width: 4 });
    map.add(indexKey(0), 6, { offset: 24 + 240 + 4 * 25, width: 4 });
    map.write(indexKey(0), 'timer', 24 + 240 + 104);
    return map;
  }

  kernelTest('is a histogram for each element, with its index as an attribute', async () => {
    const { histograms } = await read(variables(), { layout: libbpfToolsLayout() });
    const found = histograms.map((h) => [
      h.attributes,
      slotTotals(h).flatMap((n, slot) => (n > 0 ? [slot, n] : [])),
    ]);
    expect(found).toEqual([
      [{ key: 0, comm: '' }, [7, 5]],
      [{ key: 2, comm: 'timer' }, [25, 6]],
    ]);
  });

  kernelTest('states no layout, and is not read where there are two of them', async () => {
    const asked = kernelMap({ id: mapInfo(bpf, variables().fd).id });
    await expect(Promise.resolve().then(() => asked.read())).rejects.toThrow(
      'its numbers fit libbpf-tools:26',
    );
    await asked.close();
    await expect(read(variables(1), { layout: libbpfToolsLayout() })).rejects.toThrow(/counts/);
  });
});

kernelTest('a sum at the index of a slot is refused', async () => {
  const map = countedMap(bpf, { type: 'array', keySize: 4, valueSize: 8, maxEntries: 8, name: PREFIX });
  open.push(map.fd);
  await expect(read(map, { shape: { sum: 7 } })).rejects.toMatchObject({ code: 'ERR_INVALID_OPTION' });
});
