import * as node from '../../src/encoding/zlib.node.ts';
import * as portable from '../../src/encoding/zlib.portable.ts';
import { Histogram } from '../../src/histogram/histogram.ts';
import { compressedOf, concat } from '../support/bytes.ts';
import { fixedWords, SMALL_SLOTS, type WordSize } from '../support/fixed-words-bytes.ts';
import { recorded, slotsOf } from '../support/recorded.ts';
import { expectRefused } from '../support/refused.ts';
import { LARGEST_BIGINT } from '../support/values.ts';

const COMPRESSED = { 0: 0x1c849309, 1: 0x1c849302 } as const;
const LARGEST_OF: readonly (readonly [WordSize, bigint])[] = [
  [2, 2n ** 15n - 1n],
  [4, 2n ** 31n - 1n],
  [8, 2n ** 53n - 6n],
];
const padded = (counts: readonly bigint[]): bigint[] =>
  Array.from({ length: SMALL_SLOTS }, (_, slot) => counts[slot] ?? 0n);
const refused = (bytes: Uint8Array): void => {
  for (const storage of ['dense', 'sparse'] as const) {
    expectRefused(() => Histogram.decode(bytes, { storage }), 'ERR_DECODE');
  }
};

describe.each([0, 1] as const)('version %d', (version) => {
  test.each(LARGEST_OF)('with %d bytes a count is read, raw and compressed', (wordSize, largest) => {
    const raw = fixedWords({ version, wordSize, counts: padded([3n, 0n, 2n, largest]) });
    const compressed = compressedOf(COMPRESSED[version] | (wordSize << 4), node.deflate(raw));
    for (const encoded of [raw, compressed, Buffer.from(compressed).toString('base64')]) {
      expect(slotsOf(Histogram.decode(encoded))).toEqual([
        [0, 3],
        [2, 2],
        [3, Number(largest)],
      ]);
    }
  });

  test.each(LARGEST_OF)('with a negative count in %d bytes is refused', (wordSize) => {
    refused(fixedWords({ version, wordSize, counts: padded([1n, -1n]) }));
    refused(fixedWords({ version, wordSize, counts: padded([-(2n ** BigInt(8 * wordSize - 1))]) }));
  });

  test('with a count or a total above 2^53 - 1 is refused', () => {
    for (const counts of [[2n ** 53n], [2n ** 53n + 1n], [LARGEST_BIGINT], [2n ** 52n, 2n ** 52n]]) {
      refused(fixedWords({ version, counts: padded(counts) }));
    }
  });

  test('with words of another size is refused', () => {
    for (const wordSize of [0, 1, 3, 6, 9, 15])
      refused(fixedWords({ version, wordSize, counts: padded([]) }));
  });

  test('cut off anywhere is refused', () => {
    const raw = fixedWords({ version, wordSize: 2, counts: padded([1n]) });
    for (let end = 0; end < raw.length; end++) refused(raw.subarray(0, end));
  });

  test('inside the wrapping of another version is refused', () => {
    const raw = fixedWords({ version, counts: padded([1n]) });
    for (const cookie of [0x1c849314, COMPRESSED[version === 0 ? 1 : 0] | 0x80]) {
      refused(compressedOf(cookie, node.deflate(raw)));
    }
  });
});

test('version 1 may end after its last count, but not inside a count', () => {
  expect(slotsOf(Histogram.decode(fixedWords({ version: 1, counts: [0n, 7n] })))).toEqual([[1, 7]]);
  refused(fixedWords({ version: 1, counts: [0n, 7n], payloadLength: 15 }));
  refused(fixedWords({ version: 1, counts: [1n], payloadLength: -1 }));
});

test('version 1 is refused with more counts than slots, be they empty', () => {
  refused(fixedWords({ version: 1, counts: [...padded([]), 0n] }));
});

test('version 1 is read in the order of values however it was shifted, and written so again', () => {
  const histogram = Histogram.decode(fixedWords({ version: 1, counts: [1n, 2n], normalizingOffset: 16 }));
  expect(slotsOf(histogram)).toEqual([
    [0, 1],
    [1, 2],
  ]);
  expect(new DataView(histogram.encode().buffer).getInt32(8)).toBe(16);
});

test('version 0 may end early in a stream only, and raw be followed by other bytes', () => {
  const short = fixedWords({ version: 0, counts: [0n, 7n] });
  refused(short);
  const compressed = compressedOf(COMPRESSED[0] | 0x80, node.deflate(short));
  expect(slotsOf(Histogram.decode(compressed))).toEqual([[1, 7]]);
  const whole = fixedWords({ version: 0, counts: padded([4n]) });
  expect(slotsOf(Histogram.decode(concat(whole, Uint8Array.of(1, 2, 3))))).toEqual([[0, 4]]);
});

describe('highestTrackableValue widens the decoded range', () => {
  const encoded = recorded([[42, 1]], { highestTrackableValue: 1000 }).encode();

  test('where it is above the range, and leaves it where it is not', () => {
    for (const [given, highest] of [
      [1_000_000, 1_000_000n],
      [LARGEST_BIGINT, LARGEST_BIGINT],
      [10, 1000n],
    ] as const) {
      const histogram = Histogram.decode(encoded, { highestTrackableValue: given });
      expect(histogram.layout.highestTrackableBigInt).toBe(highest);
      expect([histogram.totalCount, histogram.max]).toEqual([1, 42]);
    }
  });

  test('and is refused when it is not a value', () => {
    for (const highestTrackableValue of [-1, 0.5, Number.NaN, 2 ** 53, 2n ** 63n]) {
      expectRefused(() => Histogram.decode(encoded, { highestTrackableValue }), 'ERR_INVALID_OPTION');
    }
  });
});

describe('a level of compression', () => {
  const histogram = recorded(Array.from({ length: 500 }, (_, i) => [i * i, 1 + (i % 7)]));

  test.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])('of %d is read again', (level) => {
    expect(Histogram.decode(histogram.encodeCompressed({ level })).equals(histogram)).toBe(true);
    expect(Histogram.decode(histogram.toBase64({ level })).equals(histogram)).toBe(true);
    const raw = histogram.encode();
    expect(node.inflate(portable.deflate(raw, level), raw.length)).toHaveLength(raw.length);
  });

  test('makes it smaller, and is 6 if not given', () => {
    const sizes = [0, 9].map((level) => histogram.encodeCompressed({ level }).length);
    expect(sizes[1]!).toBeLessThan(sizes[0]!);
    expect(histogram.toBase64()).toBe(histogram.toBase64({ level: 6 }));
  });

  test('outside 0 to 9 is refused', () => {
    for (const level of [-1, 10, 1.5, Number.NaN]) {
      expectRefused(() => histogram.encodeCompressed({ level }), 'ERR_INVALID_OPTION');
      expectRefused(() => histogram.toBase64({ level }), 'ERR_INVALID_OPTION');
    }
  });
});

test('one value far up is encoded without room for the slots below it', () => {
  const histogram = recorded([[Number.MAX_SAFE_INTEGER, 1]], { significantDigits: 5, storage: 'sparse' });
  const before = process.memoryUsage().arrayBuffers;
  const encoded = histogram.encode();
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(100_000);
  expect([encoded.length, encoded.buffer.byteLength]).toEqual([45, 45]);
});
