import { unlinkSync } from 'node:fs';
import { testUnless } from '@hdrscope/testing';
import type { Field } from '../../src/bpf/fields.ts';
import { type NewMap, pin } from '../../src/bpf/maps.ts';
import { type Bpf, loadBpf } from '../../src/bpf/syscall.ts';
import { type KernelMapOptions, kernelMap, queueDepthLayout } from '../../src/index.ts';
import { type ControlledSource, describeKernelSource } from '../support/contract.ts';
import { expectNoMaps, indexKey, lackOfKernel, lackOfMount, mountBpffs } from '../support/kernel.ts';
import { type CountedMap, countedMap } from '../support/kernel-counted.ts';

const PREFIX = 'hdr_contract';
const noKernel = await lackOfKernel();
const kernelTest = testUnless(noKernel);
const bpffsTest = testUnless(noKernel ?? (await lackOfMount()));
const layout = queueDepthLayout();
const COMM: Field = { name: 'comm', type: 'char[16]', offset: 0 };

let bpf: Bpf;

beforeAll(async () => {
  bpf = await loadBpf().catch(() => undefined as unknown as Bpf);
});

/** A form in which maps hold histograms. */
interface Form {
  readonly map: NewMap;
  readonly options: Omit<KernelMapOptions, 'layout'>;
  count(map: CountedMap, slot: number, times: number, who: 'first' | 'second'): void;
  addToSum?(map: CountedMap, amount: number): void;
  readonly attributes?: Record<'first' | 'second', Record<string, string | number>>;
}

const FORMS: Record<string, Form> = {
  'an array for each CPU with its sum after the last slot': {
    map: { type: 'percpu_array', keySize: 4, valueSize: 8, maxEntries: 9, name: `${PREFIX}_a` },
    options: { shape: { sum: 'after-last' } },
    count: (map, slot, times) => map.add(indexKey(slot), times),
    addToSum: (map, amount) => map.add(indexKey(8), amount),
  },
  'a hash with names and slots in its keys': {
    map: { type: 'percpu_hash', keySize: 20, valueSize: 4, maxEntries: 64, name: `${PREFIX}_b` },
    options: { shape: { key: [COMM, { name: 'bucket', type: 'u32', offset: 16 }] } },
    count: (map, slot, times, who) => map.add(keyOf(who, slot), times),
    attributes: { first: { comm: 'first' }, second: { comm: 'second' } },
  },
  'a hash whose values are histograms': {
    map: { type: 'hash', keySize: 4, valueSize: 8 * 4 + 8, maxEntries: 64, name: `${PREFIX}_c` },
    options: {
      shape: {
        key: [{ name: 'pid', type: 'u32', offset: 0 }],
        counts: { type: 'u32', length: 8 },
        sum: { name: 'sum', type: 'u64', offset: 32 },
      },
    },
    count: (map, slot, times, who) =>
      map.add(indexKey(who === 'first' ? 7 : 8), times, { offset: slot * 4, width: 4 }),
    addToSum: (map, amount) => map.add(indexKey(7), amount, { offset: 32 }),
    attributes: { first: { pid: 7 }, second: { pid: 8 } },
  },
};

function keyOf(comm: string, slot: number): Uint8Array {
  const key = new Uint8Array(20);
  key.set(Buffer.from(comm));
  key.set(indexKey(slot), 16);
  return key;
}

function byPin({ map: newMap, options, count, addToSum, attributes }: Form): ControlledSource {
  const bpffs = mountBpffs();
  const path = bpffs.path('counted');
  let map = countedMap(bpf, newMap);
  pin(bpf, map.fd, path);
  const lose = () => {
    map.close();
    unlinkSync(path);
  };
  const restore = () => {
    map = countedMap(bpf, newMap);
    pin(bpf, map.fd, path);
  };
  return {
    source: kernelMap({ ...options, path, layout }),
    count: (...args) => count(map, ...args),
    ...(addToSum && { addToSum: (amount: number) => addToSum(map, amount) }),
    ...(attributes && { attributesOf: (who: 'first' | 'second') => attributes[who] }),
    lose,
    restore,
    replace: () => {
      lose();
      restore();
    },
    dispose: () => {
      map.close();
      bpffs.unmount();
    },
  };
}

function byName({ map: newMap, options, count }: Form): ControlledSource {
  let map = countedMap(bpf, newMap);
  const restore = () => {
    map = countedMap(bpf, newMap);
  };
  return {
    source: kernelMap({ ...options, name: newMap.name!, layout }),
    count: (...args) => count(map, ...args),
    lose: () => map.close(),
    restore,
    replace: () => {
      map.close();
      restore();
    },
    dispose: () => map.close(),
  };
}

for (const [name, form] of Object.entries(FORMS)) {
  for (const batch of [true, false]) {
    const title = `${name}, ${batch ? 'in one call' : 'entry by entry'}`;
    describeKernelSource(title, bpffsTest, () => byPin({ ...form, options: { ...form.options, batch } }));
  }
}

describeKernelSource('an array found by its name', kernelTest, () => {
  const { addToSum, ...form } = FORMS['an array for each CPU with its sum after the last slot']!;
  const map = { ...form.map, maxEntries: 8, name: `${PREFIX}_n` };
  return byName({ ...form, map, options: {} });
});

afterAll(async () => {
  if (noKernel === undefined) await expectNoMaps(bpf, PREFIX);
});
