import { readFileSync } from 'node:fs';
import { HdrscopeError } from '@hdrscope/core';
import { lackOfFile, testUnless } from '@hdrscope/testing';
import { caseCount } from '@hdrscope/testing/case-count';
import { costOf } from '@hdrscope/testing/cost';
import { refusalOf } from '@hdrscope/testing/refusals';
import fc from 'fast-check';
import { parseBtf } from '../../src/bpf/btf.ts';
import { fieldsOfBtf } from '../../src/bpf/fields.ts';
import type { MapInfo } from '../../src/bpf/maps.ts';
import { queueDepthLayout } from '../../src/index.ts';
import { resolveShape } from '../../src/source/kernel-map-shape.ts';
import { BtfBuilder } from '../support/kernel-btf.ts';

const LAYOUT = queueDepthLayout();

/** Whether an action ends with a result or with an error of this package. */
function isHandled(action: () => unknown): void {
  try {
    action();
  } catch (error) {
    if (!(error instanceof HdrscopeError)) throw error;
  }
}

/** The types of a map with every kind of field, and the ids of its key and value. */
function mapTypes() {
  const btf = new BtfBuilder();
  const [u32, u64] = [btf.int(4), btf.int(8)];
  const char = btf.int(1, { isChar: true });
  const operation = btf.enum(4, { READ: 0, WRITE: 1 });
  const wide = btf.enum64({ HUGE: 2n ** 40n }, true);
  const inner = btf.struct(8, [
    { name: 'major', type: u32, bitOffset: 0, bitSize: 12 },
    { name: 'minor', type: u32, bitOffset: 12, bitSize: 20 },
  ]);
  const union = btf.union(8, [{ name: 'a', type: u64, bitOffset: 0 }]);
  const key = btf.typedef(
    'key_t',
    btf.const(
      btf.struct(48, [
        { name: 'op', type: operation, bitOffset: 0 },
        { name: 'dev', type: inner, bitOffset: 32 },
        { name: 'comm', type: btf.array(char, 16), bitOffset: 128 },
        { name: 'wide', type: wide, bitOffset: 256 },
        { name: 'slot', type: u64, bitOffset: 320 },
      ]),
    ),
  );
  const value = btf.struct(96, [
    { name: 'slots', type: btf.array(btf.volatile(u64), 8), bitOffset: 0 },
    { name: 'sum', type: u64, bitOffset: 512 },
    { name: 'u', type: union, bitOffset: 576 },
    { name: 'p', type: btf.pointer(u64), bitOffset: 640 },
    { name: 'grid', type: btf.array(btf.array(u32, 1), 2), bitOffset: 704 },
  ]);
  return { data: btf.build(), key, value };
}

const { data: REAL, key: KEY, value: VALUE } = mapTypes();
const INFO: MapInfo = {
  ...{ type: 'hash', id: 7, keySize: 48, valueSize: 96, maxEntries: 10, name: 'm', btfId: 1 },
  ...{ keyTypeId: KEY, valueTypeId: VALUE },
};

function use(data: Uint8Array): void {
  const types = parseBtf(data);
  for (let id = 0; id < types.length; id++) isHandled(() => fieldsOfBtf(types, id, 'x'));
  resolveShape(INFO, {}, LAYOUT, types);
}

test('the types without a mutation are read', () => {
  expect(() => use(REAL)).not.toThrow();
});

test('mutated BTF is read or refused', () => {
  const word = fc.constantFrom(
    0,
    1,
    2,
    3,
    7,
    12,
    23,
    24,
    0xffff,
    0x0100_0000,
    0x0400_ffff,
    0x7fff_ffff,
    0xffff_ffff,
  );
  const place = fc.nat(REAL.length / 4 - 1);
  const edit = fc.tuple(place, fc.oneof(word, fc.nat(30), fc.nat(0xffff_ffff)));
  fc.assert(
    fc.property(fc.array(edit, { minLength: 1, maxLength: 4 }), fc.nat(40), (edits, cut) => {
      const data = REAL.slice(0, REAL.length - (cut > 20 ? cut - 20 : 0));
      const view = new DataView(data.buffer);
      for (const [at, value] of edits) if (4 * at + 4 <= data.length) view.setUint32(4 * at, value, true);
      isHandled(() => use(data));
    }),
    { numRuns: caseCount(1000, 5000), seed: 17 },
  );
});

test('bytes that are not BTF are refused', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.boolean(), (bytes, hasMagic) => {
      if (hasMagic) bytes.set([0x9f, 0xeb, 1, 0, 24].slice(0, bytes.length));
      isHandled(() => use(bytes));
    }),
    { numRuns: caseCount(500, 3000), seed: 17 },
  );
});

const circles: readonly (readonly [string, (btf: BtfBuilder) => number])[] = [
  ['a typedef of itself', (btf) => btf.typedef('t', 1)],
  ['an array of itself', (btf) => btf.array(1, 2)],
  ['a struct that contains itself', (btf) => btf.struct(8, [{ name: 'a', type: 1, bitOffset: 0 }])],
  [
    'a struct that contains itself a thousand times',
    (btf) =>
      btf.struct(
        8,
        Array.from({ length: 1000 }, () => ({ name: '', type: 1, bitOffset: 0 })),
      ),
  ],
  [
    'structs that double 60 times',
    (btf) => {
      let type = btf.int(4);
      const twice = () => ['a', 'b'].map((name) => ({ name, type, bitOffset: 0 }));
      for (let i = 0; i < 60; i++) type = btf.struct(8, twice());
      return type;
    },
  ],
  [
    'a chain of 100,000 typedefs',
    (btf) => {
      let type = btf.int(4);
      for (let i = 0; i < 100_000; i++) type = btf.const(type);
      return type;
    },
  ],
  [
    'arrays in 100,000 arrays',
    (btf) => {
      let type = btf.int(4);
      for (let i = 0; i < 100_000; i++) type = btf.array(type, 1);
      return type;
    },
  ],
];

test.each(circles)('%s is refused at once', (_, make) => {
  const btf = new BtfBuilder();
  const id = make(btf);
  const data = btf.build();
  const { cpuMs } = costOf(() => {
    const error = refusalOf(() => fieldsOfBtf(parseBtf(data), id, 'x'));
    expect(['ERR_KERNEL', 'ERR_TOO_LARGE']).toContain(error.code);
  });
  expect(cpuMs).toBeLessThan(2000);
});

test('names that do not end take no more time than their length', () => {
  const btf = new BtfBuilder();
  for (let i = 0; i < 50_000; i++) btf.typedef('t', 1);
  const real = btf.build();
  const strings = new DataView(real.buffer).getUint32(16, true) + 24;
  const data = new Uint8Array(strings + 4_000_000).fill(97);
  data.set(real.subarray(0, strings));
  const { cpuMs } = costOf(() => refusalOf(() => parseBtf(data), 'ERR_KERNEL'));
  expect(cpuMs).toBeLessThan(500);
});

test('more bytes or types than the kernel takes are refused', () => {
  refusalOf(() => parseBtf(new Uint8Array(2 ** 24 + 1)), 'ERR_TOO_LARGE');
  const data = new Uint8Array(24 + 12 * (2 ** 20 + 1) + 1);
  const view = new DataView(data.buffer);
  view.setUint32(0, 0xeb9f, true);
  view.setUint32(4, 24, true);
  view.setUint32(12, data.length - 25, true);
  view.setUint32(16, data.length - 25, true);
  for (let at = 24; at < data.length - 12; at += 12) view.setUint32(at + 4, 2 << 24, true);
  refusalOf(() => parseBtf(data), 'ERR_TOO_LARGE');
});

const VMLINUX = '/sys/kernel/btf/vmlinux';
const withKernel = testUnless(lackOfFile(VMLINUX));

withKernel(
  'mutated BTF of the kernel is read or refused',
  () => {
    const real = readFileSync(VMLINUX);
    const size = parseBtf(real).length;
    for (let seed = 1; seed <= 6; seed++) {
      const data = new Uint8Array(real);
      const view = new DataView(data.buffer);
      for (let i = 0; i < 50; i++) {
        const at = 24 + 4 * ((seed * 7_368_787 + i * 2_654_435_761) % 1_000_000);
        view.setUint32(
          at,
          i % 2 === 0 ? 1 + ((i * seed) % 50) : view.getUint32(at, true) ^ (1 << (i % 32)),
          true,
        );
      }
      isHandled(() => {
        const types = parseBtf(data);
        for (let id = 0; id < size; id += 97) isHandled(() => fieldsOfBtf(types, id, 'x'));
      });
    }
  },
  60_000,
);
