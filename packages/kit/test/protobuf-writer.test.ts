import { BinaryWriter } from '@bufbuild/protobuf/wire';
import fc from 'fast-check';
import { ProtobufWriter } from '../src/protobuf-writer.ts';

const text = fc.oneof(
  fc.string({ maxLength: 70 }),
  fc.string({ unit: 'binary', maxLength: 70 }),
  fc.constantFrom(
    '',
    'é',
    '\ud800',
    'a'.repeat(64),
    'a'.repeat(65),
    `${'a'.repeat(63)}ü`,
    'x'.repeat(40_000),
  ),
);
const wide = fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.maxSafeNat().map(BigInt));
const signed = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.maxSafeInteger().map(BigInt),
);
const bits32 = fc.oneof(fc.integer(), fc.constantFrom(0, -1, 127, 128, 2 ** 31 - 1, -(2 ** 31)));
const unsigned = fc.oneof(fc.nat(), fc.constantFrom(0, 127, 128, 16_383, 16_384, 2 ** 31, 2 ** 32 - 1));

/** A call of both writers. */
type Call = readonly [name: 'fork' | 'join'] | readonly [name: string, value: unknown];

const call: fc.Arbitrary<Call> = fc.oneof(
  fc.tuple(fc.constantFrom('uint32', 'fixed32'), unsigned),
  fc.tuple(fc.constantFrom('sint32', 'int32'), bits32),
  fc.tuple(fc.constantFrom('uint64', 'fixed64'), wide),
  fc.tuple(fc.constantFrom('int64', 'sint64'), signed),
  fc.tuple(fc.constant('bool'), fc.boolean()),
  fc.tuple(fc.constant('double'), fc.double()),
  fc.tuple(fc.constant('string'), text),
  fc.tuple(fc.constantFrom('bytes', 'raw'), fc.uint8Array({ maxLength: 300 })),
  fc.constantFrom<Call>(['fork'], ['fork'], ['join']),
);

function write(writer: object, calls: readonly Call[]): Uint8Array {
  const run = writer as Record<string, (value?: unknown) => unknown>;
  let open = 0;
  for (const [name, value] of calls) {
    if (name === 'join' && open === 0) continue;
    open += name === 'fork' ? 1 : name === 'join' ? -1 : 0;
    run[name]!(value);
  }
  for (; open > 0; open--) run.join!();
  return run.finish!() as Uint8Array;
}

test('any calls make the bytes that BinaryWriter of @bufbuild/protobuf makes', () => {
  const writer = new ProtobufWriter();
  fc.assert(
    fc.property(fc.array(call, { maxLength: 40 }), (calls) => {
      expect(Buffer.from(write(writer, calls))).toEqual(Buffer.from(write(new BinaryWriter(), calls)));
    }),
    { numRuns: 1000 },
  );
});

test('numbers of 64 bits are those of bigints', () => {
  const writer = new ProtobufWriter();
  fc.assert(
    fc.property(fc.oneof(fc.maxSafeInteger(), fc.constantFrom(2 ** 32, 2 ** 53 - 1, -(2 ** 32))), (value) => {
      const names = value < 0 ? ['int64', 'sint64'] : ['int64', 'sint64', 'uint64'];
      for (const name of names) {
        expect(write(writer, [[name, value]])).toEqual(write(writer, [[name, BigInt(value)]]));
      }
    }),
  );
});

test('packed integers are those of BinaryWriter, also as the codes of a text', () => {
  const writer = new ProtobufWriter();
  const code = fc.oneof(fc.nat(127), fc.nat(300), fc.nat(0xffff), fc.constantFrom(0xd800, 0xdc00));
  fc.assert(
    fc.property(
      fc.array(fc.oneof({ weight: 9, arbitrary: code }, fc.maxSafeNat()), { maxLength: 200 }),
      (integers) => {
        const peer = new BinaryWriter().uint32(0x0a).fork();
        for (const integer of integers) peer.uint64(integer);
        const expected = Buffer.from(peer.join().uint32(7).finish());
        expect(Buffer.from(writer.uint32(0x0a).packed(integers).uint32(7).finish())).toEqual(expected);
        if (integers.some((integer) => integer > 0xffff)) return;
        const codes = String.fromCharCode(...integers);
        expect(Buffer.from(writer.uint32(0x0a).packed(codes).uint32(7).finish())).toEqual(expected);
      },
    ),
    { numRuns: 300 },
  );
});

test('a length that was announced makes the same bytes', () => {
  const writer = new ProtobufWriter();
  const size = fc.oneof(fc.nat(300), fc.integer({ min: 16_000, max: 17_000 }));
  fc.assert(
    fc.property(size, fc.nat(17_000), (length, announced) => {
      const bytes = new Uint8Array(length).fill(7);
      const expected = Buffer.from(writer.fork().raw(bytes).join().finish());
      const least = Math.min(announced, length);
      expect(Buffer.from(writer.fork(least).raw(bytes).join().finish())).toEqual(expected);
    }),
  );
});

test('a message within messages has its length, however many bytes the length takes', () => {
  const writer = new ProtobufWriter();
  for (const size of [0, 126, 127, 128, 16_383, 16_384, 2_100_000]) {
    const bytes = new Uint8Array(size).fill(7);
    const calls: Call[] = [
      ['fork'],
      ['uint32', 1],
      ['fork'],
      ['raw', bytes],
      ['join'],
      ['uint32', 2],
      ['join'],
    ];
    expect(Buffer.from(write(writer, calls)).equals(write(new BinaryWriter(), calls))).toBe(true);
  }
});

test('after an error in the middle, finish begins anew', () => {
  const writer = new ProtobufWriter();
  expect(() =>
    writer
      .uint32(1)
      .fork()
      .uint64(1.5e20 + 0.5)
      .int64(Number.NaN),
  ).toThrow(RangeError);
  writer.finish();
  expect([...writer.uint32(5).finish()]).toEqual([5]);
});
