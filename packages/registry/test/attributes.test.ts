import fc from 'fast-check';
import { frozenCopy } from '../src/attributes.ts';
import { type Attributes, createRegistry } from '../src/index.ts';
import { canonicalText } from '../src/internal.ts';
import { attributes, reordered } from './support/arbitraries.ts';

/** Whether a family has the same series for both, whichever comes first. */
function areEqual(one: Attributes, other: Attributes): boolean {
  const [first, second] = [createRegistry(), createRegistry()].map((registry) =>
    registry.histogram({ name: 'x' }),
  );
  const forwards = first!.with(one) === first!.with(other);
  const backwards = second!.with(other) === second!.with(one);
  expect(backwards).toBe(forwards);
  return forwards;
}

const cycle: Record<string, unknown> = { name: 'cycle' };
cycle.self = cycle;
const cycleWithoutPrototype: Record<string, unknown> = Object.create(null);
cycleWithoutPrototype.self = cycleWithoutPrototype;

const EQUAL: [what: string, one: Attributes, other: Attributes][] = [
  ['no attributes and no attributes', {}, {}],
  ['keys in another order', { a: 1, b: 2 }, { b: 2, a: 1 }],
  ['undefined and absent', { a: 1, b: undefined }, { a: 1 }],
  ['null and absent', { a: 1, b: null }, { a: 1 }],
  ['null and undefined', { a: null }, { a: undefined }],
  ['NaN and NaN', { a: Number.NaN }, { a: Number.NaN }],
  ['0 and -0', { a: 0 }, { a: -0 }],
  ['arrays of equal content', { a: ['x', 1] }, { a: ['x', 1] }],
  ['objects of equal content', { a: { b: { c: 1 } } }, { a: { b: { c: 1 } } }],
  ['equal bigints', { a: 1n }, { a: 1n }],
  ['a plain object and one without a prototype', { a: 1 }, Object.assign(Object.create(null), { a: 1 })],
];

test.each(EQUAL)('takes %s for the same series', (_, one, other) => {
  expect(areEqual(one, other)).toBe(true);
});

const DIFFERENT: [what: string, one: Attributes, other: Attributes][] = [
  ["1 and '1'", { a: 1 }, { a: '1' }],
  ['1 and true', { a: 1 }, { a: true }],
  ["true and 'true'", { a: true }, { a: 'true' }],
  ['1 and 1n', { a: 1 }, { a: 1n }],
  ["1n and '1n'", { a: 1n }, { a: '1n' }],
  ["NaN and 'NaN'", { a: Number.NaN }, { a: 'NaN' }],
  ['NaN and absent', { a: Number.NaN }, {}],
  ['Infinity and -Infinity', { a: Number.POSITIVE_INFINITY }, { a: Number.NEGATIVE_INFINITY }],
  ["'' and absent", { a: '' }, {}],
  ['0 and absent', { a: 0 }, {}],
  ['false and absent', { a: false }, {}],
  ['an empty array and absent', { a: [] }, {}],
  ['one key and another', { a: 1 }, { b: 1 }],
  ['swapped values', { a: 1, b: 2 }, { a: 2, b: 1 }],
  ['an array in another order', { a: [1, 2] }, { a: [2, 1] }],
  ['an array and its text', { a: [1] }, { a: '[1]' }],
  ["[1] and ['1']", { a: [1] }, { a: ['1'] }],
  ['[NaN] and [Infinity]', { a: [Number.NaN] }, { a: [Number.POSITIVE_INFINITY] }],
  ["[1n] and ['1n']", { a: [1n] }, { a: ['1n'] }],
  ['an object and its text', { a: { b: 1 } }, { a: '{"b":1}' }],
  ['a separator in a value', { a: '1,"b":2' }, { a: '1', b: 2 }],
  ['a separator in a key', { 'a":1,"b': 2 }, { a: 1, b: 2 }],
];

test.each(DIFFERENT)('keeps %s apart', (_, one, other) => {
  expect(areEqual(one, other)).toBe(false);
});

test('takes any order of keys for the same series', () => {
  fc.assert(fc.property(attributes, (given) => areEqual(given, reordered(given))));
});

test('keeps sets of attributes apart exactly when their canonical texts differ', () => {
  fc.assert(
    fc.property(attributes, attributes, (one, other) => {
      expect(areEqual(one, other)).toBe(canonicalText(one) === canonicalText(other));
    }),
  );
});

test.each([
  ['an object that holds itself', cycle],
  ['one without a prototype that holds itself', cycleWithoutPrototype],
  ['an array that holds itself', [cycle]],
  ['an object whose JSON cannot be made', { toJSON: () => JSON.parse('{') }],
  ['a symbol', Symbol('a')],
  ['a function', () => 1],
  ['an object without a prototype', Object.create(null)],
  ['a date', new Date(0)],
])('does not throw at %s', (_, value) => {
  const family = createRegistry().histogram({ name: 'x' });
  expect(family.with({ a: value }).record(1)).toBe(true);
  expect(family.with({ a: value })).toBe(family.with({ a: value }));
});

test('inherited attributes count in the same way, whichever set comes first', () => {
  const inherited: Attributes = Object.create({ a: 1 });
  expect(areEqual(inherited, { a: 1 })).not.toBe(areEqual(inherited, {}));
  expect(areEqual({ a: 1 }, {})).toBe(false);
});

test('a series keeps the attributes that it was made with', () => {
  const given: Record<string, unknown> = { method: 'GET', tags: ['a'] };
  const family = createRegistry().histogram({ name: 'x' });
  const series = family.with(given);
  given.method = 'POST';
  given.more = 1;
  (given.tags as string[]).push('b');
  expect(series.attributes).toEqual({ method: 'GET', tags: ['a'] });
  expect(family.with({ method: 'GET', tags: ['a'] })).toBe(series);
});

test('a series keeps nested attributes as they were', () => {
  const nested = { status: 200, codes: [1] };
  const series = createRegistry().histogram({ name: 'x' }).with({ nested });
  nested.status = 500;
  nested.codes.push(2);
  expect(series.attributes).toEqual({ nested: { status: 200, codes: [1] } });
});

test('one object may be used again and again with other values', () => {
  const family = createRegistry().histogram({ name: 'x' });
  const reused: Record<string, unknown> = {};
  const series = ['GET', 'POST', 'GET', 'PUT', 'POST'].map((method) => {
    reused.method = method;
    return family.with(reused);
  });
  expect(series.map((one) => one.attributes.method)).toEqual(['GET', 'POST', 'GET', 'PUT', 'POST']);
  expect(new Set(series).size).toBe(3);
});

test('absent attributes do not show, and the others cannot be changed', () => {
  const copy = frozenCopy({ a: 1, b: undefined, c: null, d: ['x'] });
  expect(copy).toStrictEqual({ a: 1, d: ['x'] });
  expect(Object.isFrozen(copy)).toBe(true);
  expect(Object.isFrozen(copy.d)).toBe(true);
});

test('an attribute with the name __proto__ is an ordinary one', () => {
  // JSON.parse makes it an own property.
  const copy = frozenCopy(JSON.parse('{"__proto__":"x","a":1}'));
  expect(Object.entries(copy)).toEqual([
    ['__proto__', 'x'],
    ['a', 1],
  ]);
});
