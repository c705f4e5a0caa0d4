import fc from 'fast-check';
import { unsnappy } from '../../src/receiver/unsnappy.ts';
import { snappy } from '../../src/remote-write/snappy.ts';
import { unsnappy as otherUnsnappy } from '../support/snappy.ts';

const bytes = fc
  .array(fc.uint8Array({ minLength: 1, maxLength: 80 }), { maxLength: 30 })
  .map((parts) => Buffer.concat([...parts, ...parts, ...parts.toReversed()]));

test('undoes the compression of the sender, whatever was compressed', () => {
  fc.assert(
    fc.property(bytes, (plain) => {
      expect(Buffer.from(unsnappy(snappy(plain), plain.length)).equals(plain)).toBe(true);
    }),
  );
  const long = Buffer.alloc(300_000, 'repeated words of some length, ');
  expect(Buffer.from(unsnappy(snappy(long), 300_000)).equals(long)).toBe(true);
});

// Elements as the description of the format names them. The sender writes only some of them.
test.each<[what: string, block: number[], text: string]>([
  ['a literal', [3, 2 << 2, 97, 98, 99], 'abc'],
  ['a literal with its length in one byte', [3, 60 << 2, 2, 97, 98, 99], 'abc'],
  ['a literal with its length in four bytes', [3, 63 << 2, 2, 0, 0, 0, 97, 98, 99], 'abc'],
  ['a copy with a distance of 11 bits', [9, 1 << 2, 97, 98, 1 | (3 << 2), 2], 'ababababa'],
  ['a copy with a distance of 16 bits', [5, 1 << 2, 97, 98, 2 | (2 << 2), 1, 0], 'abbbb'],
  ['a copy with a distance of 32 bits', [4, 1 << 2, 97, 98, 3 | (1 << 2), 2, 0, 0, 0], 'abab'],
])('reads %s', (_, block, text) => {
  expect(Buffer.from(unsnappy(Uint8Array.from(block), 100)).toString()).toBe(text);
});

test.each<[what: string, block: number[]]>([
  ['no length', []],
  ['a length that does not end', [0x80, 0x80, 0x80, 0x80, 0x80, 0x01]],
  ['a literal that is cut', [3, 2 << 2, 97, 98]],
  ['a tag that is cut', [5, 1 << 2, 97, 98, 2 | (2 << 2), 1]],
  ['a copy from before the beginning', [5, 1 << 2, 97, 98, 2 | (2 << 2), 3, 0]],
  ['a copy of what is not there yet', [5, 1 << 2, 97, 98, 2 | (2 << 2), 0, 0]],
  ['more than it states', [2, 2 << 2, 97, 98, 99]],
  ['a copy beyond what it states', [3, 1 << 2, 97, 98, 2 | (2 << 2), 1, 0]],
  ['less than it states', [4, 2 << 2, 97, 98, 99]],
  ['a length that so few bytes cannot have', [100, 2 << 2, 97]],
])('refuses %s', (_, block) => {
  expect(() => unsnappy(Uint8Array.from(block), 1000)).toThrow(
    expect.objectContaining({ code: 'ERR_DECODE' }),
  );
});

test('refuses what is too large before it decompresses anything', () => {
  const bomb = Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0x0f, 0);
  expect(() => unsnappy(bomb, 2 ** 24)).toThrow(expect.objectContaining({ code: 'ERR_TOO_LARGE' }));
});

test('reads whatever it accepts as another decoder does', () => {
  let accepted = 0;
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 12 }), (block) => {
      let plain: Uint8Array;
      try {
        plain = unsnappy(block, 1000);
      } catch (error) {
        expect(error).toMatchObject({ code: expect.stringMatching(/^ERR_(?:DECODE|TOO_LARGE)$/) });
        return;
      }
      accepted++;
      expect(Buffer.from(otherUnsnappy(block)).equals(Buffer.from(plain))).toBe(true);
    }),
    { numRuns: 3000, seed: 7 },
  );
  expect(accepted).toBeGreaterThan(0);
});
