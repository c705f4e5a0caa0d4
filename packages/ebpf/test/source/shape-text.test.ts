import { libbpfToolsLayout, parseMapShape } from '../../src/index.ts';
import { resolveShape } from '../../src/source/kernel-map-shape.ts';

const fieldsOf = (fields: readonly { name: string; type: string; offset: number; length?: number }[] = []) =>
  fields.map(({ name, type, offset, length }) => `${name} ${type}${length ? `[${length}]` : ''} ${offset}`);

test('aligns fields as C does', () => {
  const shape = parseMapShape('key { u8 op; char comm[16]; __u32 cpu; uint64_t slot } value { u64 latency }');
  expect(fieldsOf(shape.key)).toEqual(['op u8 0', 'comm char[16] 1', 'cpu u32 20', 'slot u64 24']);
  expect([shape.keySize, shape.valueSize]).toEqual([32, 8]);
});

test('describes values with slots and other members', () => {
  const shape = parseMapShape(
    'value { unsigned long long latency, long count; __u32 slots[27]; u8 mac[6]; bool ok; }',
  );
  expect(fieldsOf(shape.value)).toEqual([
    ...['latency u64 0', 'count s64 8', 'slots u32[27] 16', 'mac bytes[6] 124', 'ok bool 130'],
  ]);
  expect([shape.key, shape.valueSize]).toEqual([undefined, 136]);
});

test.each([
  ['', 'the shape must be C structs'],
  ['u32 slots[26]', 'the shape must be C structs'],
  ['value { }', 'at least one field'],
  ['value { float x; }', 'a type and a name'],
  ['value { u32 slots[0]; }', 'a type and a name'],
  ['value { u32 *p; }', 'a type and a name'],
  ['value { struct hist h; }', 'a type and a name'],
  ['value { u32 }', 'a type and a name'],
  [`value { ${'u32 a; '.repeat(5000)} }`, 'the shape must be C structs'],
])('%j is refused', (text, message) => {
  expect(() => parseMapShape(text)).toThrow(
    expect.objectContaining({ code: 'ERR_INVALID_OPTION', message: expect.stringContaining(message) }),
  );
});

test('a single field that is no counter is not taken for the counts', () => {
  const info = {
    type: 'hash' as const,
    ...{ id: 1, name: 'h', maxEntries: 8, btfId: 0, keyTypeId: 0, valueTypeId: 0, keySize: 8, valueSize: 8 },
  };
  const resolve = (value: string) =>
    resolveShape(info, parseMapShape(`key { u64 slot; } value { ${value} }`), libbpfToolsLayout(8));
  expect(resolve('u64 any;').counts).toEqual({ type: 'u64', offset: 0, length: 1 });
  expect(() => resolve('char comm[8];')).toThrow('no field of its values has a usual name of counts');
});
