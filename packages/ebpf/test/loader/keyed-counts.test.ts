import { testUnless } from '@hdrscope/testing';
import { createMap, deleteElement, mapInfo, updateElement } from '../../src/bpf/maps.ts';
import { type Bpf, loadBpf } from '../../src/bpf/syscall.ts';
import { explicitKernelLayout, type KernelHistogram } from '../../src/index.ts';
import type { LoadedProgram } from '../../src/loader/index.ts';
import { KeyedCounts } from '../../src/loader/keyed-counts.ts';
import { indexKey, lackOfKernel } from '../support/kernel.ts';

const kernelTest = testUnless(await lackOfKernel());

/** Two slots and a sum. */
const layout = explicitKernelLayout([10]);
const TIMES = { name: 'times', layout, map: 'unused', hasSum: true, at: 0, metric: {} };
const MAX_KEYS = 8;

let bpf: Bpf;
let fd: number;
let counts: KeyedCounts;

beforeEach(async () => {
  bpf = await loadBpf();
  fd = createMap(bpf, {
    type: 'hash',
    keySize: 4,
    valueSize: 24,
    maxEntries: MAX_KEYS,
    name: 'hdrscope_keys',
  });
  const maps = new Map([['by_key', { name: 'by_key', fd, id: mapInfo(bpf, fd).id }]]);
  counts = new KeyedCounts({ maps } as unknown as LoadedProgram, [TIMES], {
    // Keys that differ by 100 have the same attributes.
    keys: () => (key) => ({ key: key[0]! % 100 }),
    maxKeys: MAX_KEYS,
  });
});

afterEach(() => bpf?.close(fd));

/** Sets the entry of a key, as the program would count it. */
function count(key: number, ...words: readonly [below: number, above: number, sum: number]): void {
  updateElement(bpf, fd, indexKey(key), new Uint8Array(BigUint64Array.from(words.map(BigInt)).buffer));
}

/** Reads the entries. The program has counted these values in all, on two CPUs. */
function read(below: number, above: number, sum: number): Record<string, readonly number[]> {
  const together: KernelHistogram = {
    name: 'times',
    attributes: {},
    layout,
    counts: Float64Array.of(below, 0, 0, above),
    sums: Float64Array.of(0, sum),
  };
  return Object.fromEntries(
    counts
      .read(bpf, [together])
      .map(({ attributes, counts, sums }) => [JSON.stringify(attributes), [...counts, ...sums!]]),
  );
}

const OTHERS = '{"otel.metric.overflow":true}';

kernelTest('keys with the same attributes are one histogram, also after one of them is gone', () => {
  count(1, 1, 2, 30);
  count(101, 3, 0, 6);
  count(2, 1, 0, 1);
  expect(read(5, 2, 37)).toEqual({ '{"key":1}': [4, 2, 36], '{"key":2}': [1, 0, 1] });

  count(101, 4, 0, 7);
  expect(read(6, 2, 38)).toEqual({ '{"key":1}': [5, 2, 37], '{"key":2}': [1, 0, 1] });
  deleteElement(bpf, fd, indexKey(101));
  count(1, 2, 2, 31);
  expect(read(7, 2, 39)).toEqual({ '{"key":1}': [6, 2, 38], '{"key":2}': [1, 0, 1] });
});

kernelTest('an entry that somebody else has removed is no error when it would make room', () => {
  for (const key of [1, 2, 3]) count(key, 1, 0, 1);
  read(3, 0, 3);
  for (const key of [4, 5, 6]) count(key, 1, 0, 1);
  read(6, 0, 6);
  deleteElement(bpf, fd, indexKey(1));
  count(7, 1, 0, 1);
  expect(Object.keys(read(7, 0, 7)).sort()).toEqual([4, 5, 6, 7].map((key) => `{"key":${key}}`));
});

kernelTest('what no entry has is one more histogram, which never falls', () => {
  count(1, 1, 0, 5);
  expect(read(3, 1, 50)).toEqual({ '{"key":1}': [1, 0, 5], [OTHERS]: [2, 1, 45] });

  // The entry is ahead of the counts of all keys, which were read before it.
  count(1, 2, 0, 12);
  expect(read(3, 1, 50)).toEqual({ '{"key":1}': [2, 0, 12], [OTHERS]: [2, 1, 45] });
  expect(read(4, 1, 57)).toEqual({ '{"key":1}': [2, 0, 12], [OTHERS]: [2, 1, 45] });
});

kernelTest('keys that have not counted for the longest time make room, and nothing is lost in all', () => {
  for (const key of [1, 2, 3]) count(key, 1, 0, 1);
  read(3, 0, 3);
  count(4, 1, 0, 1);
  read(4, 0, 4);
  for (const key of [5, 6, 7]) count(key, 1, 0, 1);
  // Seven of eight entries were used, and half of the room is free now.
  expect(Object.keys(read(7, 0, 7)).sort()).toEqual([4, 5, 6, 7].map((key) => `{"key":${key}}`));
  for (const key of [1, 2, 3]) expect(() => deleteElement(bpf, fd, indexKey(key))).toThrow('ENOENT');

  // A key that comes again begins at 0.
  count(1, 1, 0, 3);
  expect(read(8, 0, 10)).toMatchObject({ '{"key":1}': [1, 0, 3], '{"key":4}': [1, 0, 1] });
});

kernelTest('values that were counted in an entry after its last reading count among the others', () => {
  for (const key of [1, 2, 3, 4, 5, 6, 7]) count(key, 1, 0, 1);
  read(7, 0, 7);
  for (const key of [1, 2, 3, 4, 5, 6]) count(key, 2, 0, 2);
  read(13, 0, 13);
  // Key 7 was removed. The program had counted a value in it, and the counts of all keys show that.
  expect(read(14, 0, 15)).toMatchObject({ '{"key":1}': [2, 0, 2], [OTHERS]: [1, 0, 2] });
});

kernelTest('a full hash whose keys all count keeps them', () => {
  for (let round = 1; round <= 3; round++) {
    for (let key = 1; key <= MAX_KEYS; key++) count(key, round, 0, round);
    expect(() => count(9, 1, 0, 1)).toThrow('E2BIG');
    const shown = read(MAX_KEYS * round + round, 0, MAX_KEYS * round + round);
    expect(Object.keys(shown)).toHaveLength(MAX_KEYS + 1);
    expect(shown[OTHERS]).toEqual([round, 0, round]);
  }
});
