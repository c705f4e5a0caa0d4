import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import * as node from '../../src/encoding/base64.node.ts';
import * as portable from '../../src/encoding/base64.portable.ts';
import { fromBase64, toBase64 } from '../../src/encoding/base64.ts';
import { toHex } from '../support/bytes.ts';
import { expectRefused, refusalOf } from '../support/refused.ts';

const ascii = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'latin1'));

// RFC 4648, section 10.
test.each([
  ['', ''],
  ['f', 'Zg=='],
  ['fo', 'Zm8='],
  ['foo', 'Zm9v'],
  ['foob', 'Zm9vYg=='],
  ['fooba', 'Zm9vYmE='],
  ['foobar', 'Zm9vYmFy'],
])('%j is %j, as in RFC 4648', (text, base64) => {
  expect(toBase64(ascii(text))).toBe(base64);
  expect(toHex(fromBase64(base64))).toBe(toHex(ascii(text)));
});

test.each([
  ['with Node', node],
  ['anywhere else', portable],
])('any bytes are written and read again %s, as base64 of Node', (_where, { decodeBase64, encodeBase64 }) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const base64 = encodeBase64(bytes);
      expect(base64).toBe(Buffer.from(bytes).toString('base64'));
      expect(toHex(decodeBase64(base64.replace(/=+$/, ''))!)).toBe(toHex(bytes));
    }),
  );
});

test('text with any other character is refused, in Node.js and elsewhere', () => {
  const character = fc.oneof(fc.constantFrom(...'AZaz09+/'), fc.constantFrom(...'-_= \n\0é😀'));
  const body = fc.string({ unit: character, maxLength: 12 }).filter(({ length }) => length % 4 !== 1);
  fc.assert(
    fc.property(body, (text) => {
      const isBase64 = /^[A-Za-z0-9+/]*$/.test(text);
      expect(node.decodeBase64(text) !== undefined).toBe(isBase64);
      expect(portable.decodeBase64(text) !== undefined).toBe(isBase64);
    }),
    { numRuns: 500 },
  );
});

test('reads text without its padding, and with white space around it', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 20 }),
      fc.constantFrom('', ' ', '\n', '\r\n', '\t '),
      (bytes, space) => {
        const base64 = toBase64(bytes);
        expect(toHex(fromBase64(base64.replace(/=+$/, '')))).toBe(toHex(bytes));
        expect(toHex(fromBase64(space + base64 + space))).toBe(toHex(bytes));
      },
    ),
  );
});

test('reads a part of a larger buffer', () => {
  const part = new Uint8Array([9, 9, 102, 111, 111, 9]).subarray(2, 5);
  expect(toBase64(part)).toBe('Zm9v');
});

test.each([
  ['one character too many', 'Zm9vY'],
  ['a single character', 'Z'],
  ['a character of the URL alphabet', 'Zm9-'],
  ['white space inside', 'Zm9v Zm9v'],
  ['padding inside', 'Zg==Zm9v'],
  ['three signs of padding', 'Zg==='],
  ['a letter beyond ASCII', 'Zm9é'],
  ['a letter beyond 16 bits', 'Zm😀'],
  ['a zero', 'Zm9\0'],
])('refuses %s', (_what, text) => {
  expectRefused(() => fromBase64(text), 'ERR_DECODE');
});

test('either reads any text or refuses it', () => {
  const units = fc.array(fc.oneof(fc.nat(0x7f), fc.nat(0xffff)), { maxLength: 20 });
  fc.assert(
    fc.property(units, (codes) => {
      const text = String.fromCharCode(...codes);
      try {
        fromBase64(text);
      } catch (error) {
        expect(error).toMatchObject({ name: 'HdrscopeError', code: 'ERR_DECODE' });
      }
    }),
    { numRuns: 200 },
  );
});

test('names the wrong character and its place', () => {
  expect(refusalOf(() => fromBase64('Zm9-')).message).toBe(
    'base64 text must hold A-Z, a-z, 0-9, + and / only, got "-" at 3',
  );
  expect(refusalOf(() => fromBase64('Zm9vY')).message).toBe(
    'base64 text must not be cut off, got 5 characters',
  );
});
