import { asArray, asCount, asFinite, asObject, asText } from '../src/index.ts';

test('values that are what they must be come back as they are', () => {
  const object = { a: 1 };
  const array = [1];
  expect(asObject(object, 'x')).toBe(object);
  expect(asArray(array, 'x', 1)).toBe(array);
  expect([asText('', 'x'), asCount(0, 'x'), asFinite(-0.5, 'x')]).toEqual(['', 0, -0.5]);
});

test.each<[string, () => unknown, string]>([
  ['null', () => asObject(null, 'a'), 'a must be an object, got null'],
  ['an array', () => asObject([], 'a[1]'), 'a[1] must be an object, got an array of 0'],
  ['an object', () => asArray({}, 'a.b'), 'a.b must be an array, got an object'],
  ['a long array', () => asArray([1, 2], 'a', 1), 'a must be at most 1 long, got an array of 2'],
  ['a number', () => asText(7, 'a'), 'a must be a text, got 7'],
  ['a fraction', () => asCount(0.5, 'a'), 'a must be an integer from 0 to 2^53 - 1, got 0.5'],
  ['a negative count', () => asCount(-1, 'a'), 'a must be an integer from 0 to 2^53 - 1, got -1'],
  ['2^53', () => asCount(2 ** 53, 'a'), 'a must be an integer from 0 to 2^53 - 1, got 9007199254740992'],
  ['a text', () => asFinite('1', 'a'), 'a must be a finite number, got "1"'],
])('%s is refused with its place', (_, act, message) => {
  expect(act).toThrow(expect.objectContaining({ code: 'ERR_DECODE', message }));
});
