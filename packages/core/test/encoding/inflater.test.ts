import { constants, deflateRawSync, inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { Inflater } from '../../src/encoding/inflater.ts';
import { concat, toHex } from '../support/bytes.ts';

const inflater = new Inflater();

/** Inflates a stream in pieces of some length. `undefined` when it does not end. */
function inflate(stream: Uint8Array, pieceBytes = stream.length): Uint8Array | undefined {
  inflater.begin();
  const texts: Uint8Array[] = [];
  for (let at = 0; at < stream.length && !inflater.isDone; at += pieceBytes) {
    inflater.push(stream.subarray(at, at + pieceBytes));
    texts.push(inflater.take());
  }
  return inflater.isDone ? concat(...texts) : undefined;
}

/** Whether zlib takes a stream: its content, or `undefined`. */
function inflateByZlib(stream: Uint8Array): Uint8Array | undefined {
  try {
    return inflateRawSync(stream);
  } catch {
    return undefined;
  }
}

const { Z_DEFAULT_STRATEGY, Z_FIXED, Z_HUFFMAN_ONLY, Z_RLE } = constants;
const contents = fc.oneof(
  fc.uint8Array({ maxLength: 2000 }),
  fc.string({ maxLength: 50 }).map((text) => Buffer.from(text.repeat(1500))),
  fc.array(fc.constantFrom(...'abcdefgh\n'), { maxLength: 5000 }).map((all) => Buffer.from(all.join(''))),
);
const streams = fc
  .record({
    content: contents,
    level: fc.constantFrom(0, 1, 6, 9),
    strategy: fc.constantFrom(Z_DEFAULT_STRATEGY, Z_FIXED, Z_HUFFMAN_ONLY, Z_RLE),
  })
  .map(({ content, ...options }) => ({ content, stream: deflateRawSync(content, options) }));

test('a stream of any kind of blocks has the content that zlib deflated, in pieces of any length', () => {
  fc.assert(
    fc.property(streams, fc.integer({ min: 1, max: 3000 }), ({ content, stream }, pieceBytes) => {
      expect(toHex(inflate(stream, pieceBytes)!)).toBe(toHex(content));
    }),
  );
});

test('a stream longer than its window has its content', () => {
  const lines = Array.from({ length: 40_000 }, (_, at) => `line ${at}, and ${(at * at) % 977}\n`).join('');
  const content = Buffer.from(lines);
  for (const pieceBytes of [100, 16_384, 2 ** 24])
    expect(Buffer.compare(inflate(deflateRawSync(content), pieceBytes)!, content)).toBe(0);
});

test('a stream with the longest codes has its content', () => {
  // Symbols of which each comes half as often as the one before have codes of one bit more each.
  let state = 1;
  const random = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const rank = (): number => Math.floor(-Math.log2(1 - random()));
  const content = new Uint8Array(2e6);
  for (let at = 0; at < content.length; ) {
    const [length, distance] = [2 ** Math.min(8, rank()) + rank(), 2 ** Math.min(14, rank()) + rank()];
    if (random() < 0.5 && distance <= at) {
      for (let left = length; left > 0 && at < content.length; left--, at++)
        content[at] = content[at - distance]!;
    } else content[at++] = rank();
  }
  for (const level of [1, 6, 9])
    expect(Buffer.compare(inflate(deflateRawSync(content, { level }), 16_384)!, content)).toBe(0);
});

test('a stream with wrong bytes has the content that zlib finds, or none', () => {
  const wrong = fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { minLength: 1, maxLength: 3 });
  let [taken, refused] = [0, 0];
  fc.assert(
    fc.property(streams, wrong, fc.integer({ min: 1, max: 400 }), ({ stream }, places, pieceBytes) => {
      const bytes = Uint8Array.from(stream);
      for (const [at, byte] of places) if (at < bytes.length) bytes[at] = byte;
      let found: Uint8Array | undefined;
      try {
        found = inflate(bytes, pieceBytes);
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
      }
      const expected = inflateByZlib(bytes);
      if (expected === undefined) refused++;
      else taken++;
      expect(found && toHex(found)).toBe(expected && toHex(expected));
    }),
    { numRuns: 500 },
  );
  expect(taken).toBeGreaterThan(10);
  expect(refused).toBeGreaterThan(10);
});

test('random bytes have the content that zlib finds, or none', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 200 }), (bytes) => {
      let found: Uint8Array | undefined;
      try {
        found = inflate(bytes);
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
      }
      const expected = inflateByZlib(bytes);
      expect(found && toHex(found)).toBe(expected && toHex(expected));
    }),
    { numRuns: 1000 },
  );
});

test('what follows a stream is left', () => {
  fc.assert(
    fc.property(streams, fc.uint8Array({ maxLength: 20 }), ({ stream }, after) => {
      inflater.begin();
      inflater.push(concat(stream, after));
      expect([inflater.isDone, toHex(inflater.rest)]).toEqual([true, toHex(after)]);
    }),
  );
});
