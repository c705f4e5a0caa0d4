import { reasonOf } from '../src/index.ts';

test.each<[unknown, string]>([
  [new Error('a\n  b'), 'a b'],
  [new TypeError(), 'TypeError'],
  ['text', 'text'],
  [undefined, 'undefined'],
  [null, 'null'],
  [{ message: 'of another realm' }, 'of another realm'],
  [Object.create(null), 'unknown'],
])('the reason of %p is %p', (error, reason) => {
  expect(reasonOf(error)).toBe(reason);
});
