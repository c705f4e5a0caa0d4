import { readFileSync } from 'node:fs';
import { lackOfFile, testUnless } from '@hdrscope/testing';
import { parseBtf, resolveBtf } from '../../src/bpf/btf.ts';
import { type Field, fieldsOfBtf, readField } from '../../src/bpf/fields.ts';
import { BtfBuilder } from '../support/kernel-btf.ts';

/** Reads the fields of a struct from its bytes. */
function read(btf: BtfBuilder, type: number, bytes: Uint8Array): Record<string, unknown> {
  const fields = fieldsOfBtf(parseBtf(btf.build()), type, 'value');
  return Object.fromEntries(fields.map((field) => [field.name, readField(field, bytes)]));
}

const hex = (text: string): Uint8Array => new Uint8Array(Buffer.from(text.replaceAll(' ', ''), 'hex'));

test('integers are read by their size and sign, and as text when a number would lose digits', () => {
  const btf = new BtfBuilder();
  const members = [
    { name: 'byte', type: btf.int(1), bitOffset: 0 },
    { name: 'flag', type: btf.int(1, { isBool: true }), bitOffset: 8 },
    { name: 'short', type: btf.int(2, { isSigned: true }), bitOffset: 16 },
    { name: 'long', type: btf.int(4), bitOffset: 32 },
    { name: 'wide', type: btf.int(8), bitOffset: 64 },
    { name: 'small', type: btf.int(8, { isSigned: true }), bitOffset: 128 },
  ];
  const type = btf.typedef('key_t', btf.const(btf.volatile(btf.struct(24, members))));
  expect(read(btf, type, hex('ff 01 feff ffffffff 0100000000002000 ffffffffffffffff'))).toEqual({
    byte: 255,
    flag: true,
    short: -2,
    long: 4_294_967_295,
    wide: '9007199254740993',
    small: -1,
  });
});

test('texts end at their first NUL, or else with their array', () => {
  const btf = new BtfBuilder();
  const char = btf.int(1, { isSigned: true, isChar: true });
  const type = btf.struct(12, [
    { name: 'comm', type: btf.array(char, 8), bitOffset: 0 },
    { name: 'full', type: btf.array(btf.typedef('char_t', char), 4), bitOffset: 64 },
  ]);
  expect(read(btf, type, new Uint8Array(Buffer.from('ceph\0xyzfull')))).toEqual({
    comm: 'ceph',
    full: 'full',
  });
});

test('an enum gives the name of its value, or else the number', () => {
  const btf = new BtfBuilder();
  const small = btf.enum(4, { READ: 0, WRITE: 1, FAILED: -1 }, true);
  const large = btf.enum64({ HUGE: 2n ** 40n, BELOW: -5n }, true);
  const type = btf.struct(32, [
    { name: 'op', type: small, bitOffset: 0 },
    { name: 'none', type: small, bitOffset: 32 },
    { name: 'failed', type: small, bitOffset: 64 },
    { name: 'huge', type: large, bitOffset: 128 },
    { name: 'below', type: large, bitOffset: 192 },
  ]);
  const bytes = hex('01000000 07000000 ffffffff 00000000 0000000000010000 fbffffffffffffff');
  expect(read(btf, type, bytes)).toEqual({
    op: 'WRITE',
    none: 7,
    failed: 'FAILED',
    huge: 'HUGE',
    below: 'BELOW',
  });
});

test('fields of nested structs are named by path, and those of anonymous structs by name', () => {
  const btf = new BtfBuilder();
  const u32 = btf.int(4);
  const inner = btf.struct(8, [
    { name: 'major', type: u32, bitOffset: 0 },
    { name: 'minor', type: u32, bitOffset: 32 },
  ]);
  const type = btf.struct(20, [
    { name: 'dev', type: inner, bitOffset: 0 },
    { name: '', type: inner, bitOffset: 64 },
    { name: '_pad1', type: u32, bitOffset: 128 },
  ]);
  const bytes = hex('01000000 02000000 03000000 04000000 00000000');
  expect(read(btf, type, bytes)).toEqual({ 'dev.major': 1, 'dev.minor': 2, major: 3, minor: 4 });
});

test('bit-fields are read by their own bits', () => {
  const btf = new BtfBuilder();
  const u32 = btf.int(4);
  const type = btf.struct(8, [
    { name: 'low', type: u32, bitOffset: 0, bitSize: 3 },
    { name: 'middle', type: btf.int(4, { isSigned: true }), bitOffset: 3, bitSize: 10 },
    { name: 'whole', type: u32, bitOffset: 32, bitSize: 0 },
  ]);
  // 0b101 in the lowest 3 bits, −2 in the 10 above them.
  const bits = 0b101 | ((-2 & 0x3ff) << 3);
  const bytes = new Uint8Array(Uint32Array.from([bits, 9]).buffer);
  expect(read(btf, type, bytes)).toEqual({ low: 5, middle: -2, whole: 9 });
});

test('a type of which only the size is known is shown in hexadecimal', () => {
  const btf = new BtfBuilder();
  const u32 = btf.int(4);
  const union = btf.union(4, [{ name: 'a', type: u32, bitOffset: 0 }]);
  const type = btf.struct(8, [{ name: 'either', type: union, bitOffset: 0 }]);
  expect(read(btf, type, hex('deadbeef 00000000'))).toEqual({ either: 'deadbeef' });
});

test('an array of integers has its length', () => {
  const btf = new BtfBuilder();
  const type = btf.struct(24, [
    { name: 'slots', type: btf.array(btf.int(4), 4), bitOffset: 0 },
    { name: 'sum', type: btf.int(8), bitOffset: 128 },
  ]);
  expect(fieldsOfBtf(parseBtf(btf.build()), type, 'value')).toEqual([
    { name: 'slots', type: 'u32', offset: 0, length: 4 },
    { name: 'sum', type: 'u64', offset: 16 },
  ]);
});

test.each([
  ['nothing', new Uint8Array(0)],
  ['something else', new Uint8Array(64)],
  ['a part', new BtfBuilder().build().subarray(0, 23)],
])('%s is refused as BTF', (_, bytes) => {
  expect(() => parseBtf(bytes)).toThrow(expect.objectContaining({ code: 'ERR_KERNEL' }));
});

test('BTF that is cut off anywhere is refused', () => {
  const btf = new BtfBuilder();
  btf.struct(4, [{ name: 'a', type: btf.int(4), bitOffset: 0 }]);
  const whole = btf.build();
  for (let length = 0; length < 24 + 16 + 24; length++) {
    expect(() => parseBtf(whole.subarray(0, length))).toThrow(
      expect.objectContaining({ code: 'ERR_KERNEL' }),
    );
  }
});

test('a type that is a circle of aliases, or does not exist, is refused', () => {
  const btf = new BtfBuilder();
  btf.typedef('a', 2);
  btf.typedef('b', 1);
  const types = parseBtf(btf.build());
  for (const id of [1, 2, 3]) {
    expect(() => resolveBtf(types, id)).toThrow(expect.objectContaining({ code: 'ERR_KERNEL' }));
  }
});

test('a field of an unknown type is an invalid option', () => {
  const field = { name: 'a', type: 'u24', offset: 0 } as unknown as Field;
  expect(() => readField(field, new Uint8Array(8))).toThrow(
    expect.objectContaining({ code: 'ERR_INVALID_OPTION', message: expect.stringContaining('"u24"') }),
  );
});

const VMLINUX = '/sys/kernel/btf/vmlinux';

testUnless(lackOfFile(VMLINUX))('the types of a whole kernel are parsed', () => {
  const types = parseBtf(readFileSync(VMLINUX));
  expect(types.length).toBeGreaterThan(10_000);
  const structs = types.filter((type) => type.kind === 'struct');
  // `task_struct` has the name of its process in 16 bytes.
  const task = structs.find(({ members }) => members.some(({ name }) => name === 'nr_cpus_allowed'))!;
  const comm = task.members.find(({ name }) => name === 'comm')!;
  expect(resolveBtf(types, comm.type)).toMatchObject({ kind: 'array', length: 16 });
});
