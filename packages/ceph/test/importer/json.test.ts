import { Budget } from '@hdrscope/kit';
import { refusalOf } from '@hdrscope/testing/refusals';
import fc from 'fast-check';
import { parseJson } from '../../src/importer/json.ts';

const parsed = (text: string) => parseJson(text, 0, false, new Budget('the text', {}));

test('parses as `JSON.parse` does, except for integers that it rounds', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(0, 4), (value, indent) => {
      fc.pre(typeof value !== 'string');
      const text = JSON.stringify(value, null, indent);
      const { json, end } = parsed(text);
      const rounded = JSON.stringify(json, (_, one) => (typeof one === 'bigint' ? Number(one) : one));
      expect(JSON.parse(rounded)).toEqual(JSON.parse(text));
      expect(end).toBe(text.length);
    }),
  );
});

test('integers beyond 2^53 - 1 are bigints, all other numbers are numbers', () => {
  const text = '[9007199254740991, 9007199254740992, -9007199254740993, 1e300, 0.5, -0]';
  expect(parsed(text).json).toEqual([2 ** 53 - 1, 2n ** 53n, -(2n ** 53n) - 1n, 1e300, 0.5, -0]);
});

test('keeps the names of members', () => {
  expect(Object.keys(parsed('{"a\\\\\\"\\u00e9": 1, "__proto__": 2}').json as object)).toEqual([
    'a\\"é',
    '__proto__',
  ]);
});

test.each([
  ['{"a" 1}', /line 1, column 6: the text must be JSON with ':' here, got "1}"/],
  ['{"a": 1,\n  "b"', /line 2, column 6: .* with ':' here, got the end/],
  ['{"a": "x\ny"}', /with a string of JSON here/],
  ['{"a": "x', /with a string that ends here/],
  ['{a: 1}', /with a string here, got "a: 1}"/],
  ['[1,]', /with a value here, got "\]"/],
  ['[1 2]', /with ',' here/],
  ['[01]', /with ',' here, got "1\]"/],
  ['{"a": 1,}', /with a string here, got "}"/],
  ['', /with a value here, got the end/],
])('%j is refused, and said where', (text, message) => {
  expect(refusalOf(() => parsed(text), 'ERR_DECODE').message).toMatch(message);
});
