import fc from 'fast-check';
import { readVarint, writeCount, writeEmptySlots } from '../../src/encoding/varint.ts';
import { toHex } from '../support/bytes.ts';
import { expectRefused, refusalOf } from '../support/refused.ts';
import { zigZag } from '../support/v2-bytes.ts';
import { counts, LARGEST } from '../support/values.ts';

function written(
  write: (bytes: Uint8Array, position: number, number: number) => number,
  number: number,
): string {
  const bytes = new Uint8Array(20);
  const end = write(bytes, 3, number);
  expect([...bytes.subarray(0, 3), ...bytes.subarray(end)].every((byte) => byte === 0)).toBe(true);
  return toHex(bytes.subarray(3, end));
}

const read = (...bytes: number[]): number => readVarint(Uint8Array.from(bytes), 0).number;
const expectedBytes = (number: bigint): string => toHex(Uint8Array.from(zigZag(number)));

describe('a count', () => {
  test.each([
    [0, '00'],
    [1, '02'],
    [63, '7e'],
    [64, '8001'],
    [2 ** 13 - 1, 'fe7f'],
    [2 ** 13, '808001'],
    [2 ** 27 - 1, 'feffff7f'],
    [2 ** 27, '8080808001'],
    [2 ** 32, '8080808020'],
    [2 ** 40 + 5, '8a8080808040'],
    [LARGEST, 'feffffffffffff1f'],
  ])('of %d is written as %s', (count, bytes) => {
    expect(written(writeCount, count)).toBe(bytes);
    expect(read(...Buffer.from(bytes, 'hex'))).toBe(count);
  });

  test('is written as bigint arithmetic writes it, and read again', () => {
    const any = fc.oneof(
      counts,
      fc.nat(LARGEST),
      fc.integer({ min: 0, max: 52 }).map((bits) => 2 ** bits),
    );
    fc.assert(
      fc.property(any, (count) => {
        const bytes = zigZag(BigInt(count));
        expect(written(writeCount, count)).toBe(toHex(Uint8Array.from(bytes)));
        expect(read(...bytes)).toBe(count);
      }),
      { numRuns: 500 },
    );
  });
});

describe('a run of empty slots', () => {
  test('of one is written as a count of 0, and read in either form', () => {
    expect(written(writeEmptySlots, 1)).toBe('00');
    expect([read(0), read(1)]).toEqual([0, -1]);
  });

  test.each([
    [2, '03'],
    [64, '7f'],
    [65, '8101'],
    [2 ** 31 - 1, 'fdffffff0f'],
  ])('of %d is written as %s', (slots, bytes) => {
    expect(written(writeEmptySlots, slots)).toBe(bytes);
    expect(read(...Buffer.from(bytes, 'hex'))).toBe(-slots);
  });

  test('is written as bigint arithmetic writes it, and read again', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: LARGEST }), (slots) => {
        expect(read(...zigZag(BigInt(-slots)))).toBe(-slots);
        if (slots < 2 ** 31) expect(written(writeEmptySlots, slots)).toBe(expectedBytes(BigInt(-slots)));
      }),
    );
  });
});

describe('the reader', () => {
  test('returns the end of a number', () => {
    const bytes = Uint8Array.from([1n, 2n ** 40n, -5n].flatMap(zigZag));
    expect(readVarint(bytes, 0)).toEqual({ number: 1, end: 1 });
    expect(readVarint(bytes, 1)).toEqual({ number: 2 ** 40, end: 7 });
    expect(readVarint(bytes, 7)).toEqual({ number: -5, end: 8 });
  });

  test('reads a number that is longer than it must be', () => {
    expect(read(0x82, 0x80, 0x00)).toBe(1);
    expect(read(0x82, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00)).toBe(1);
  });

  test.each([
    2n ** 53n,
    2n ** 53n + 1n,
    2n ** 54n,
    2n ** 55n,
    2n ** 61n,
    2n ** 63n - 1n,
    -(2n ** 54n),
    -(2n ** 63n),
  ])('refuses %d, which a number cannot hold', (number) => {
    expectRefused(() => read(...zigZag(number)), 'ERR_DECODE');
  });

  test.each([1, 4, 8])('refuses a number that ends after %d bytes', (length) => {
    expectRefused(() => read(...new Array<number>(length).fill(0x80)), 'ERR_DECODE');
  });

  test('names the byte', () => {
    expect(refusalOf(() => readVarint(Uint8Array.of(2, 2, 0x80), 2)).message).toBe(
      'the payload must not end inside a number, got one cut off at byte 2',
    );
    expect(refusalOf(() => read(...zigZag(2n ** 53n))).message).toBe(
      'a count must be at most 2^53 - 1, got a larger one at byte 0',
    );
  });
});
