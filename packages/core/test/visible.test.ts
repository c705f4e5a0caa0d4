import { anyCharacter } from '@hdrscope/testing/any-character';
import fc from 'fast-check';
import { mustBe } from '../src/errors.ts';
import { visible } from '../src/visible.ts';

test.each([
  ['\u001b[31m', '\\x1b[31m'],
  ['\u0007\u009b1m\u007f', '\\x07\\x9b1m\\x7f'],
  ['admin\u202egnp.exe', 'admin\\u202egnp.exe'],
  ['a\nb\tc\rd', 'a\\x0ab\\x09c\\x0dd'],
  ['\ud83d\ude00 \ud83d', '😀 \\ud83d'],
  ['\udc00\ufeff\u2028', '\\udc00\\ufeff\\u2028'],
  ['\ufffe\uffff\ufffd', '\\ufffe\\uffff\ufffd'],
  ['größer ≥ 100 % 日本', 'größer ≥ 100 % 日本'],
])('%j is shown as %s', (text, shown) => {
  expect(visible(text)).toBe(shown);
});

test('a text of several lines keeps its lines and tabs, and no other control character', () => {
  expect(visible('a\n\tb\r\u001b', { lines: true })).toBe('a\n\tb\\x0d\\x1b');
});

test('no text has a character that is obeyed, and texts without one stay as they are', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (text) => {
      const shown = visible(text);
      expect(/\p{Cc}|[\u200e\u200f\u2028-\u202e\u2066-\u2069]/u.test(shown)).toBe(false);
      expect(visible(shown)).toBe(shown);
    }),
  );
});

test('an error shows what came in visible characters', () => {
  expect(mustBe('ERR_INVALID_OPTION', 'x', 'a name', 'a\u202e\u009b').message).toBe(
    'x must be a name, got "a\\u202e\\x9b"',
  );
});
