import { testUnless } from '@hdrscope/testing';
import { parseBtf } from '../../src/bpf/btf.ts';
import { createMap, findMapByName, mapInfo, mapNameInBtf } from '../../src/bpf/maps.ts';
import { loadBpf } from '../../src/bpf/syscall.ts';
import { kernelMap, queueDepthLayout } from '../../src/index.ts';
import { lackOfKernel } from '../support/kernel.ts';
import { BtfBuilder, loadBtf } from '../support/kernel-btf.ts';

/** The definitions of maps with the same key type, as a compiler writes them. */
function program(maps: readonly (readonly [name: string, valueBits: 32 | 64, entries: number])[]) {
  const btf = new BtfBuilder();
  const u32 = btf.int(4);
  const u64 = btf.int(8);
  const variables = maps.map(([name, bits, entries]) => {
    const fields = [
      { name: 'key', type: btf.pointer(u32), bitOffset: 0 },
      { name: 'value', type: btf.pointer(bits === 64 ? u64 : u32), bitOffset: 64 },
      { name: 'max_entries', type: btf.pointer(btf.array(u32, entries)), bitOffset: 128 },
    ];
    return btf.variable(name, btf.struct(24, fields));
  });
  btf.section('.maps', variables);
  btf.section('.bss', [btf.variable('a_map_with_a_long_name_of_bss', u32)]);
  return { data: btf.build(), u32, u64 };
}

const LONG = 'a_map_with_a_long_name';

test('the types of a program have the whole names of its maps', () => {
  const { data, u32, u64 } = program([
    ['queue', 64, 8],
    [`${LONG}_1`, 64, 8],
    [`${LONG}_2`, 32, 8],
    [`${LONG}_3`, 64, 16],
  ]);
  const types = parseBtf(data);
  const nameOf = (valueTypeId: number, maxEntries: number, name = LONG.slice(0, 15)) =>
    mapNameInBtf(types, { name, keyTypeId: u32, valueTypeId, maxEntries });
  expect([nameOf(u64, 8), nameOf(u32, 8), nameOf(u64, 16)]).toEqual([`${LONG}_1`, `${LONG}_2`, `${LONG}_3`]);
  // A loader may set the number of entries.
  expect([nameOf(u32, 99), nameOf(u64, 99)]).toEqual([`${LONG}_2`, undefined]);
  expect([nameOf(u64, 8, 'queue'), nameOf(u64, 8, 'other')]).toEqual(['queue', undefined]);
});

testUnless(await lackOfKernel())(
  'maps whose names begin with the same 15 bytes are found by their whole names',
  async () => {
    const bpf = await loadBpf();
    const unique = `hdr${process.pid}_`.padEnd(15, 'x');
    const { data, u32, u64 } = program([
      [`${unique}_one`, 64, 4],
      [`${unique}_two`, 64, 8],
      [`${unique}_six`, 32, 8],
    ]);
    const btfFd = loadBtf(bpf, data);
    const open = [4, 8].map((maxEntries) => {
      const types = { btfFd, keyTypeId: u32, valueTypeId: u64 };
      return createMap(bpf, { type: 'array', keySize: 4, valueSize: 8, maxEntries, name: unique, types });
    });
    const twin = createMap(bpf, { type: 'array', keySize: 4, valueSize: 8, maxEntries: 8, name: unique });
    const [one, two] = open.map((fd) => mapInfo(bpf, fd).id);
    try {
      expect(findMapByName(bpf, `${unique}_one`)).toBe(one);
      expect(findMapByName(bpf, `${unique}_two`)).toBe(two);
      // The third map has no types, and so no other name.
      expect(findMapByName(bpf, unique)).toBe(mapInfo(bpf, twin).id);
      const source = kernelMap({ name: `${unique}_two`, layout: queueDepthLayout() });
      expect((await source.read()).histograms[0]!.name).toBe(`${unique}_two`);
      await source.close();
    } finally {
      for (const fd of [...open, twin, btfFd]) bpf.close(fd);
    }
  },
);
