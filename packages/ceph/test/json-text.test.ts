import fc from 'fast-check';
import { RawJson, toJsonText } from '../src/json-text.ts';

test('writes the text of JSON.stringify', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(toJsonText(value as object, 'json')).toBe(JSON.stringify(value));
      expect(toJsonText(value as object, 'json-pretty')).toBe(`${JSON.stringify(value, null, 4)}\n`);
    }),
  );
});

test('leaves out values that JSON does not have', () => {
  const value = { a: undefined, b: () => 1, c: [undefined, Symbol('x')], d: new Date(0), e: Number.NaN };

  expect(toJsonText(value, 'json')).toBe(JSON.stringify(value));
});

test('writes integers with all digits, RawJson unchanged, and maps in their order', () => {
  const value = new Map<string, unknown>([
    ['b', 18446744073709551615n],
    ['1', new RawJson('0.000000000')],
    ['0', []],
  ]);

  expect(toJsonText(value, 'json')).toBe('{"b":18446744073709551615,"1":0.000000000,"0":[]}');
});
