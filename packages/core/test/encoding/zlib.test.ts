import fc from 'fast-check';
import * as node from '../../src/encoding/zlib.node.ts';
import * as portable from '../../src/encoding/zlib.portable.ts';
import { concat, toHex } from '../support/bytes.ts';

const LIMIT = 1e6;
const BOMB = node.deflate(new Uint8Array(64e6));

/** Bytes that hardly compress, so that their stream is longer than the pieces it is read in. */
function noise(length: number): Uint8Array {
  let state = length + 1;
  return Uint8Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 24;
  });
}

const contents = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  fc.tuple(fc.nat(255), fc.nat(20_000)).map(([byte, length]) => new Uint8Array(length).fill(byte)),
  fc.nat(9_000).map(noise),
);

const EACH = [
  ['node', node],
  ['portable', portable],
] as const;
const PAIRS = EACH.flatMap(([from, a]) =>
  EACH.map(([to, b]) => [from, to, a.deflate, b.inflate, b.inflateStart] as const),
);

describe.each(PAIRS)('a stream that %s has deflated, %s', (_from, _to, deflate, inflate, inflateStart) => {
  test('inflates', () => {
    fc.assert(
      fc.property(contents, (bytes) => {
        expect(toHex(inflate(deflate(bytes), LIMIT))).toBe(toHex(bytes));
      }),
      { numRuns: 30 },
    );
  });

  test('inflates where a piece ends near the end of the stream', () => {
    for (const pieces of [4096, 8192]) {
      for (let beside = -17; beside <= 1; beside++) {
        const bytes = noise(pieces + beside);
        if (toHex(inflate(deflate(bytes), LIMIT)) !== toHex(bytes))
          expect(bytes.length).toBe('a length that is read');
      }
    }
  });

  test('inflates to the limit and not beyond', () => {
    const deflated = deflate(noise(10_000));
    expect(inflate(deflated, 10_000).length).toBe(10_000);
    expect(() => inflate(deflated, 9999)).toThrow();
  });

  test('inflates to a beginning', () => {
    const bytes = concat(noise(100), new Uint8Array(4e6));
    const start = inflateStart(deflate(bytes));
    expect(toHex(start.subarray(0, 100))).toBe(toHex(bytes.subarray(0, 100)));
    expect(start.length).toBeLessThan(2e6);
  });

  test('refuses a stream that something follows', () => {
    expect(() => inflate(concat(deflate(noise(500)), noise(50)), LIMIT)).toThrow();
  });

  test('refuses at every place where the stream is cut off', () => {
    const deflated = deflate(concat(new Uint8Array(300), noise(100)));
    for (let end = 1; end < deflated.length; end++) {
      expect(() => inflate(deflated.subarray(0, end), LIMIT)).toThrow();
    }
  });

  test('refuses a stream whose check does not match', () => {
    const deflated = Uint8Array.from(deflate(noise(100)));
    deflated[deflated.length - 1] = deflated.at(-1)! ^ 1;
    expect(() => inflate(deflated, LIMIT)).toThrow();
  });
});

describe.each(EACH)('%s', (_name, { deflate, inflate }) => {
  test('writes a zlib stream of the default level', () => {
    expect([...deflate(new Uint8Array(100)).subarray(0, 2)]).toEqual([0x78, 0x9c]);
  });

  test.each([
    ['no zlib stream', Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9)],
    ['a stream with a dictionary', Uint8Array.of(0x78, 0xbb, 1, 2, 3, 4, 5, 6, 7)],
    ['an unknown kind of block', Uint8Array.of(0x78, 0xda, 0b111, 0, 0, 0, 0, 1)],
  ])('refuses %s', (_what, bytes) => {
    expect(() => inflate(bytes, LIMIT)).toThrow();
  });

  test('stops a small stream that inflates to a giant one on its way', () => {
    expect(BOMB.length).toBeLessThan(70_000);
    const before = process.memoryUsage().arrayBuffers;
    expect(() => inflate(BOMB, LIMIT)).toThrow();
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32e6);
  });
});
