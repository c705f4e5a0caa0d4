import { caseCount } from '@hdrscope/testing/case-count';
import fc from 'fast-check';
import type { Storage } from '../../src/counts/readonly-counts.ts';
import { deflate } from '../../src/encoding/zlib.node.ts';
import { Histogram } from '../../src/histogram/histogram.ts';
import { concat, fromHex, toHex } from '../support/bytes.ts';
import { decodeAnything } from '../support/hostile.ts';
import { HOUR_US, recorded, slotsOf } from '../support/recorded.ts';
import { expectRefused, refusalOf, stateOf } from '../support/refused.ts';
import { describeEachStorage } from '../support/storages.ts';
import { compressedV2, rawV2, zigZag } from '../support/v2-bytes.ts';
import { LARGEST, LARGEST_BIGINT, type Recording } from '../support/values.ts';

const HOUR_HEADER = '00000000000000030000000000000001' + '00000000d693a400' + '3ff0000000000000';

/** Recordings, and the raw bytes that Java HdrHistogram writes for them. */
const JAVA: readonly (readonly [what: string, recording: Recording, options: object, hex: string])[] = [
  [
    'nothing, growing',
    [],
    {},
    '1c849313000000010000000000000003000000000000000100000000000000023ff000000000000000',
  ],
  ['42', [[42, 1]], { highestTrackableValue: HOUR_US }, `1c84931300000002${HOUR_HEADER}5302`],
  [
    '0, 1, 100,000 three times and the highest',
    [
      [0, 1],
      [1, 1],
      [100_000, 3],
      [HOUR_US, 1],
    ],
    { highestTrackableValue: HOUR_US },
    `1c84931300000009${HOUR_HEADER}0202af7806b1f20102`,
  ],
  [
    '1 and 100,001, grown',
    [
      [1, 1],
      [100_001, 1],
    ],
    {},
    '1c8493130000000500000000000000030000000000000001000000000001ffff3ff00000000000000002af7802',
  ],
  [
    'a unit of 512, configured as 1000',
    [
      [1000, 1],
      [123_456_789, 1],
    ],
    { lowestDiscernibleValue: 1000, highestTrackableValue: 3_600_000_000_000 },
    '1c84931300000006000000000000000300000000000003e80000034630b8a0003ff00000000000000002b18d0102',
  ],
  [
    '1 to 10 with 0 digits',
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((value) => [value, 1] as const),
    { highestTrackableValue: 1000, significantDigits: 0 },
    '1c849313000000050000000000000000000000000000000100000000000003e83ff00000000000000002040806',
  ],
];

// Counts around the bounds of one, two and more bytes, of a word with and without its top bit, and of a double.
const EDGES = [
  ...[0, 1, 63, 64, 127, 128, 8191, 8192, 2 ** 14, 2 ** 20, 2 ** 28, 2 ** 31 - 1, 2 ** 31, 2 ** 31 + 1],
  ...[2 ** 32 - 2, 2 ** 32 - 1, 2 ** 32, 2 ** 32 + 1, LARGEST - 1, LARGEST],
];

/** Counts of neighbouring slots: all of about one size, empty ones, or a mixture. */
const neighbours: fc.Arbitrary<number[]> = fc.oneof(
  fc.array(fc.integer({ min: 1, max: 70 }), { maxLength: 50 }),
  fc.array(fc.integer({ min: 60, max: 8200 }), { maxLength: 50 }),
  fc.array(fc.constantFrom(...EDGES.filter((edge) => edge < 2 ** 50)), { maxLength: 10 }),
  fc.constantFrom(1, 2, 3, 4, 5, 64, 1023, 1024, 1025).map((empty) => new Array<number>(empty).fill(0)),
);

/** A histogram with these counts in its first slots. Its slots are one unit wide. */
function holding(counts: readonly number[], storage: Storage): Histogram {
  const recording = counts.map((count, value) => [value, count] as const);
  // As few slots as hold them: a histogram of 5 digits has 2^18 slots to allocate and to clear.
  const significantDigits = counts.length <= 2 ** 11 ? 3 : 5;
  return recorded(
    recording.filter(([, count]) => count > 0),
    { significantDigits, highestTrackableValue: 2 ** (significantDigits === 3 ? 11 : 18) - 1, storage },
  );
}

/** The payload of these counts, computed with bigints. */
function payloadOf(counts: readonly number[]): number[] {
  const bytes: number[] = [];
  let empty = 0;
  for (const count of counts) {
    if (count === 0) {
      empty++;
      continue;
    }
    if (empty > 0) bytes.push(...zigZag(BigInt(empty === 1 ? 0 : -empty)));
    bytes.push(...zigZag(BigInt(count)));
    empty = 0;
  }
  return bytes.length === 0 ? [0] : bytes;
}

describeEachStorage('the V2 encoding', (storage) => {
  test.each(JAVA)('of %s is Java’s, byte for byte', (_what, recording, options, hex) => {
    const histogram = recorded(recording, { ...options, storage });
    expect(toHex(histogram.encode())).toBe(hex);
    expect(stateOf(Histogram.decode(fromHex(hex), { storage }))).toEqual({
      ...stateOf(histogram),
      autoResize: true,
    });
  });

  test('writes a run of one empty slot as 0, of more as their number', () => {
    const payloadOfSlots = (...slots: number[]): string =>
      toHex(
        recorded(
          slots.map((slot) => [slot, 1]),
          { storage },
        )
          .encode()
          .subarray(40),
      );
    expect(payloadOfSlots(0, 1)).toBe('0202');
    expect(payloadOfSlots(1)).toBe('0002');
    expect(payloadOfSlots(2)).toBe('0302');
    expect(payloadOfSlots(0, 2, 5)).toBe('0200020302');
  });

  test('is the encodings of its counts one after the other, whatever their neighbours', () => {
    fc.assert(
      fc.property(
        fc.array(neighbours, { minLength: 1, maxLength: 12 }),
        fc.oneof(fc.nat(300), fc.nat(3000)),
        (groups, empty) => {
          const counts = [...new Array<number>(empty).fill(0), ...groups.flat()];
          fc.pre(counts.reduce((sum, count) => sum + count, 0) <= LARGEST);
          const histogram = holding(counts, storage);
          expect(toHex(histogram.encode().subarray(40))).toBe(toHex(Uint8Array.from(payloadOf(counts))));
        },
      ),
      { numRuns: caseCount(60, 200) },
    );
  });

  test.each(EDGES)('of four neighbours of which one counts %d', (count) => {
    for (const beside of [0, 1, 63, 64, 8191, 8192]) {
      for (let at = 0; at < 4; at++) {
        const counts = new Array<number>(4).fill(beside);
        counts[at] = count;
        if (counts.reduce((sum, one) => sum + one, 0) > LARGEST) continue;
        expect([...holding(counts, storage).encode().subarray(40)]).toEqual(payloadOf(counts));
      }
    }
  });

  test('of more bytes than are collected at a time keeps all of them', () => {
    const counts = Array.from({ length: 50_000 }, (_, slot) => (slot % 1000 < 10 ? 2 ** 20 : slot % 300));
    const encoded = holding(counts, storage).encode();
    expect(encoded.length).toBeGreaterThan(2 ** 16);
    expect(toHex(encoded.subarray(40))).toBe(toHex(Uint8Array.from(payloadOf(counts))));
  });

  test('ends with the last slot used, wherever that is', () => {
    const histogram = recorded([[2047, 1]], { highestTrackableValue: 2047, storage });
    expect(toHex(histogram.encode().subarray(40))).toBe('fd1f02');
  });

  test.each([1, 2 ** 6, 2 ** 31, 2 ** 32, 2 ** 32 + 3, 2 ** 40 + 5, LARGEST])(
    'keeps a count of %d',
    (count) => {
      const histogram = recorded([[1000, count]], { storage });
      for (const encoded of [histogram.encode(), histogram.encodeCompressed(), histogram.toBase64()]) {
        const decoded = Histogram.decode(encoded, { storage });
        expect([decoded.totalCount, decoded.counts.at(1000), decoded.storage]).toEqual([
          count,
          count,
          storage,
        ]);
      }
    },
  );

  test('keeps ranges above 2^53 - 1 exactly', () => {
    const options = {
      lowestDiscernibleValue: 2n ** 40n + 1n,
      highestTrackableValue: LARGEST_BIGINT,
      storage,
    };
    const decoded = Histogram.decode(new Histogram(options).encode(), { storage });
    expect(decoded.layout.lowestDiscernibleBigInt).toBe(2n ** 40n + 1n);
    expect(decoded.layout.highestTrackableBigInt).toBe(LARGEST_BIGINT);
  });

  test('makes a histogram that resizes itself', () => {
    const fixed = recorded([[5, 1]], { highestTrackableValue: 1000, storage });
    const decoded = Histogram.decode(fixed.encode(), { storage });
    decoded.record(1e6);
    expect(decoded.totalCount).toBe(2);
  });

  test('is decoded with its bounds, total and percentiles known', () => {
    const histogram = recorded(
      [
        [300, 2],
        [5000, 2 ** 32],
        [9_000_000, 1],
      ],
      { storage },
    );
    const decoded = Histogram.decode(histogram.encode(), { storage });
    expect([decoded.min, decoded.max, decoded.totalCount]).toEqual([300, 9_003_007, 2 ** 32 + 3]);
    expect(decoded.valuesAtPercentiles([0, 50, 100])).toEqual([300, 5003, 9_003_007]);
    decoded.record(7);
    decoded.record(20_000_000);
    expect([decoded.min, decoded.max]).toEqual([7, 20_004_863]);
  });

  test('of more used slots than are read at a time is decoded', () => {
    const slots = 15_000;
    const payload = Array.from({ length: slots }, (_, slot) => (slot % 3) * 2);
    const { counts } = Histogram.decode(rawV2({ significantDigits: 4, payload }), { storage });
    expect([counts.first, counts.last, counts.total]).toEqual([1, slots - 1, slots]);
    expect(Array.from({ length: slots }, (_, slot) => counts.at(slot))).toEqual(
      payload.map((byte) => byte / 2),
    );
  });

  test('is dense by default', () => {
    expect(Histogram.decode(rawV2()).storage).toBe('dense');
  });
});

describe('compressed', () => {
  test('begins as a log line does', () => {
    const histogram = recorded([[42, 1]]);
    expect(histogram.toBase64()).toMatch(/^HISTFAAAA/);
    expect(toHex(histogram.encodeCompressed().subarray(0, 4))).toBe('1c849314');
  });

  // Java HdrHistogram: {42} from 1 to 3.6e9 with 3 digits; 0, 1 and others; nothing.
  test.each([
    ['HISTFAAAACJ4nJNpmSzMwMDAxAABzFCaEURcm7yEwf4DRCCYCQBa1gTe', 1, 42],
    ['HISTFAAAACl4nJNpmSzMwMDAyQABzFCaEURcm7yEwf4DRICJaX0F28ZPjEwAiIoHZw==', 6, 3_600_809_983],
    ['HISTFAAAABx4nJNpmSzMwMDAyAABzFAaxmey/wBlAQA8yQJ9', 0, 0],
  ])('%s of Java is read', (base64, totalCount, max) => {
    const histogram = Histogram.decode(base64);
    expect([histogram.totalCount, histogram.max]).toEqual([totalCount, max]);
  });
});

describe('decoding', () => {
  const payload = [6, 2, 3, 2];

  test('reads counts in the order of values, however their writer had shifted them', () => {
    // Java HdrHistogram, shifted left by three: 508 values, highest 8207.
    const hex = `1c849313000000130000${'0c00'}00000003${HOUR_HEADER.slice(16)}e8071d021d020d02a52f020502f90f02000202`;
    const histogram = Histogram.decode(fromHex(hex));
    expect([histogram.totalCount, histogram.min, histogram.max, histogram.valueAtPercentile(50)]).toEqual([
      508, 0, 8207, 0,
    ]);
    expect(histogram.mean).toBe(64.68700787401575);
  });

  test('leaves the ratio of a double histogram alone, and that of a writer who got it wrong', () => {
    const counted = slotsOf(Histogram.decode(rawV2({ payload })));
    for (const ratio of [0.5, Number.MIN_VALUE, Number.NaN, 0]) {
      expect(slotsOf(Histogram.decode(rawV2({ payload, ratio })))).toEqual(counted);
    }
  });

  test('accepts empty runs of one, no payload, and bytes after it', () => {
    expect(slotsOf(Histogram.decode(rawV2({ payload: [1, 1, 0, 2] })))).toEqual([[3, 1]]);
    expect(Histogram.decode(rawV2({ payload: [] })).totalCount).toBe(0);
    expect(Histogram.decode(concat(rawV2({ payload }), Uint8Array.of(2, 2))).totalCount).toBe(5);
    const compressed = compressedV2(deflate(rawV2({ payload })));
    expect(Histogram.decode(concat(compressed, Uint8Array.of(1, 2, 3))).totalCount).toBe(5);
  });

  test('accepts a count in the last slot, and empty slots up to it', () => {
    const small = { significantDigits: 1, highest: 100n }; // 64 slots
    const full = Histogram.decode(rawV2({ ...small, payload: [...zigZag(-63n), 2] }));
    expect(slotsOf(full)).toEqual([[63, 1]]);
    expect(Histogram.decode(rawV2({ ...small, payload: zigZag(-64n) })).totalCount).toBe(0);
  });

  test('reads a part of a larger buffer', () => {
    const raw = rawV2({ payload });
    const part = concat(Uint8Array.of(1, 2, 3), raw, Uint8Array.of(4)).subarray(3, 3 + raw.length);
    expect(Histogram.decode(part).totalCount).toBe(5);
    const compressed = compressedV2(deflate(raw));
    expect(Histogram.decode(concat(Uint8Array.of(1), compressed).subarray(1)).totalCount).toBe(5);
  });

  const small = { significantDigits: 1, highest: 100n };
  const halfOfAll = zigZag(2n ** 52n);

  test.each<[string, Uint8Array | string]>([
    ['no bytes', new Uint8Array(0)],
    ['no text', ''],
    ['7 bytes', rawV2().subarray(0, 7)],
    ['a header cut short', rawV2().subarray(0, 39)],
    ['an unknown cookie', rawV2({ cookie: 0x1c849302 })],
    ['the cookie of a double histogram', rawV2({ cookie: 0x0c72124e })],
    ['the cookie of a compressed one on raw bytes', rawV2({ cookie: 0x1c849314 })],
    ['a negative payload length', rawV2({ payloadLength: -1 })],
    ['a payload length beyond the bytes', rawV2({ payloadLength: 2 })],
    ['6 digits', rawV2({ significantDigits: 6 })],
    ['-1 digits', rawV2({ significantDigits: -1 })],
    ['a lowest value of 0', rawV2({ lowest: 0n })],
    ['a negative lowest value', rawV2({ lowest: -1n })],
    ['a highest value below twice the lowest', rawV2({ lowest: 51n, highest: 100n })],
    ['a negative highest value', rawV2({ highest: -1n })],
    ['more digits than 63 bits hold', rawV2({ lowest: 2n ** 52n, highest: LARGEST_BIGINT })],
    ['a number cut off', rawV2({ payload: [2, 0x80] })],
    ['a count of 2^53', rawV2({ payload: zigZag(2n ** 53n) })],
    ['a count of 2^63 - 1', rawV2({ payload: zigZag(LARGEST_BIGINT) })],
    ['counts of 2^53 together', rawV2({ payload: [...halfOfAll, ...halfOfAll] })],
    ['one count too many', rawV2({ ...small, payload: new Array<number>(65).fill(2) })],
    ['one empty slot too many', rawV2({ ...small, payload: new Array<number>(65).fill(0) })],
    ['a run beyond the last slot', rawV2({ ...small, payload: zigZag(-65n) })],
    ['a run of 2^62', rawV2({ ...small, payload: zigZag(-(2n ** 62n)) })],
    ['a count after the last slot', rawV2({ ...small, payload: [...zigZag(-64n), 2] })],
    ['a compressed header cut short', compressedV2(deflate(rawV2())).subarray(0, 6)],
    ['a compressed length beyond the bytes', compressedV2(deflate(rawV2()), 1000)],
    ['a negative compressed length', compressedV2(deflate(rawV2()), -1)],
    ['a compressed length of 0', compressedV2(deflate(rawV2()), 0)],
    ['a stream cut short', compressedV2(deflate(rawV2()).subarray(0, -6))],
    ['no zlib stream', compressedV2(new Uint8Array(40).fill(0x55))],
    ['a stream of nothing', compressedV2(deflate(new Uint8Array(0)))],
    ['a compressed encoding in a compressed one', compressedV2(deflate(compressedV2(deflate(rawV2()))))],
    ['base64 of something else', 'Zm9vYmFyZm9vYmFy'],
    ['base64 cut off', 'HISTFAAAACJ4nJNpmSzMwMDAxAABz'],
    ['text that is no base64', 'HISTFAAAACJ4nJN*mSzMwMDAxAABzFCaEURcm7yEwf4DRCCYCQBa1gTe'],
    ['a line break inside', 'HISTFAAAACJ4nJNpmSzMwMDAx\nAABzFCaEURcm7yEwf4DRCCYCQBa1gTe'],
  ])('refuses %s', (_what, encoded) => {
    for (const storage of ['dense', 'sparse'] as const) {
      expectRefused(() => Histogram.decode(encoded, { storage }), 'ERR_DECODE');
    }
  });

  test('has a message that names the fault', () => {
    const messageOf = (encoded: Uint8Array): string => refusalOf(() => Histogram.decode(encoded)).message;
    expect(messageOf(rawV2({ cookie: 0x1c849302 }))).toBe(
      'the cookie must be that of an encoding of version 0, 1 or 2, got 0x1c849302',
    );
    expect(messageOf(rawV2({ significantDigits: 6 }))).toBe(
      'the header is impossible: significantDigits must be an integer from 0 to 5, got 6',
    );
    expect(messageOf(rawV2({ payloadLength: 9 }))).toBe(
      'the payload length must be from 0 to the 1 bytes that follow, got 9',
    );
  });

  test('keeps the reason of a broken stream', () => {
    const { cause } = refusalOf(() => Histogram.decode(compressedV2(new Uint8Array(40).fill(0x55))));
    expect(cause).toMatchObject({ code: 'Z_DATA_ERROR' });
  });

  test.each([
    ['nothing but zeros', new Uint8Array(56e6)],
    ['a header with a short payload', rawV2({ payloadLength: 1, payload: new Uint8Array(56e6) })],
    ['a header with a longer payload than its range can take', rawV2({ payload: new Uint8Array(56e6) })],
  ])('allocates little for a small stream that inflates to %s', (_what, raw) => {
    const bomb = compressedV2(deflate(raw));
    expect(bomb.length).toBeLessThan(70_000);
    const before = process.memoryUsage().arrayBuffers;
    expectRefused(() => Histogram.decode(bomb), 'ERR_DECODE');
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8e6);
  });

  test('reads a stream that is a thousandth of its encoding', () => {
    const [significantDigits, slots] = [5, 2 ** 18];
    const raw = rawV2({ significantDigits, highest: 2n ** 40n, payload: new Uint8Array(slots).fill(2) });
    const encoded = compressedV2(deflate(raw));
    expect(raw.length / encoded.length).toBeGreaterThan(500);
    expect(Histogram.decode(encoded).totalCount).toBe(slots);
  });

  test('takes memory for the range that a header asks for, not for the bytes that follow it', () => {
    const small = { significantDigits: 1, highest: 100n };
    const raw = rawV2({ ...small, payload: new Uint8Array(50e6) });
    const before = process.memoryUsage().arrayBuffers;
    expectRefused(() => Histogram.decode(raw), 'ERR_DECODE');
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(50e6);
  });

  test('reads a histogram of as many slots as there can be', () => {
    const slots = 47 * 2 ** 17;
    const payload = zigZag(-BigInt(slots - 1)).concat(2);
    const widest = Histogram.decode(rawV2({ significantDigits: 5, highest: LARGEST_BIGINT, payload }), {
      storage: 'sparse',
    });
    expect([widest.counts.length, widest.counts.last]).toEqual([slots, slots - 1]);
  });
});

describe('arbitrary bytes', () => {
  const header = fc.record({
    significantDigits: fc.integer({ min: -1, max: 6 }),
    lowest: fc.oneof(fc.bigInt(0n, 5000n), fc.bigInt(-(2n ** 63n), LARGEST_BIGINT)),
    highest: fc.oneof(fc.bigInt(0n, 2n ** 40n), fc.bigInt(-(2n ** 63n), LARGEST_BIGINT)),
    payload: fc.uint8Array({ maxLength: 60 }),
  });

  test('as a payload under any header are decoded or refused', () => {
    fc.assert(
      fc.property(header, (fields) => void decodeAnything(rawV2(fields))),
      { numRuns: caseCount(200, 2000) },
    );
  });

  test('behind either cookie are decoded or refused', () => {
    const cookies = fc.constantFrom('1c849313', '1c849314').map(fromHex);
    fc.assert(
      fc.property(cookies, fc.uint8Array({ maxLength: 80 }), (cookie, rest) => {
        decodeAnything(concat(cookie, rest));
      }),
      { numRuns: caseCount(200, 1000) },
    );
  });

  test('of any kind are decoded or refused, and any text', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => void decodeAnything(bytes)));
    fc.assert(fc.property(fc.string({ maxLength: 60 }), (text) => void decodeAnything(`HISTFAAA${text}`)));
  });

  test('deflated are decoded or refused', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), header, fc.boolean(), (bytes, fields, valid) => {
        decodeAnything(compressedV2(deflate(valid ? rawV2(fields) : bytes)));
      }),
      { numRuns: caseCount(100, 500) },
    );
  });
});

test.each(['dense', 'sparse', 'shared'] as const)(
  'a decoded %s histogram keeps its range when asked to',
  (storage) => {
    const original = new Histogram({ highestTrackableValue: 1000 });
    original.record(42);
    expect(() => Histogram.decode(original.encode(), { storage, autoResize: false }).record(1e9)).toThrow(
      /highestTrackableValue 1000/,
    );
    const widening = Histogram.decode(original.encode(), { storage });
    widening.record(1e9);
    expect([widening.totalCount, widening.valueAtPercentile(0)]).toEqual([2, 42]);
  },
);
