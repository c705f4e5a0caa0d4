import fc from 'fast-check';
import { AttributeIndex } from '../src/attribute-index.ts';
import type { Attributes } from '../src/index.ts';
import { canonicalText } from '../src/internal.ts';
import { attributes, reordered } from './support/arbitraries.ts';
import { heapBytes } from './support/heap.ts';

/** An index in front of a map by canonical text, as in a family. `slowLookups` counts the misses of the index. */
class IndexedMap {
  readonly index: AttributeIndex<number>;
  readonly byText = new Map<string, number>();
  slowLookups = 0;

  constructor(mostNodes: number) {
    this.index = new AttributeIndex(mostNodes);
  }

  find(given: Attributes): number {
    const found = this.index.find(given);
    if (found !== undefined) return found;
    this.slowLookups++;
    const text = canonicalText(given);
    const target = this.byText.get(text) ?? this.byText.size;
    this.byText.set(text, target);
    this.index.learn(given, target);
    return target;
  }
}

/** A target is a number that says when the attributes first came. */
function expectAgreement(map: IndexedMap, sets: readonly Attributes[]): void {
  const plain = new Map<string, number>();
  for (const set of sets) {
    const text = canonicalText(set);
    if (!plain.has(text)) plain.set(text, plain.size);
    expect(map.find(set)).toBe(plain.get(text));
  }
}

test('agrees with a map by canonical text, whatever the attributes and their order', () => {
  fc.assert(
    fc.property(fc.array(attributes, { minLength: 1, maxLength: 30 }), (sets) => {
      expectAgreement(new IndexedMap(1000), [...sets, ...sets.map(reordered), ...sets]);
    }),
  );
});

test('agrees with a map by canonical text when it can learn hardly anything', () => {
  fc.assert(
    fc.property(fc.nat({ max: 6 }), fc.array(attributes, { maxLength: 30 }), (mostNodes, sets) => {
      expectAgreement(new IndexedMap(mostNodes), [...sets, ...sets.map(reordered), ...sets]);
    }),
  );
});

const MANY = Array.from({ length: 50 }, (_, i) => ({ method: `m${i % 5}`, route: `r${i}` }));

test('resolves a set by its text once for each order of its keys', () => {
  const map = new IndexedMap(1000);
  for (let round = 0; round < 3; round++) for (const set of MANY) map.find(set);
  expect(map.slowLookups).toBe(MANY.length);
  for (let round = 0; round < 3; round++) for (const set of MANY) map.find(reordered(set));
  expect(map.slowLookups).toBe(2 * MANY.length);
});

test('finds nothing before it has learnt, not even an empty set', () => {
  const index = new AttributeIndex<string>(10);
  expect(index.find({})).toBeUndefined();
  expect(index.find({ a: 1 })).toBeUndefined();
  index.learn({ a: 1, b: 2 }, 'ab');
  expect(index.find({ a: 1 })).toBeUndefined();
  expect(index.find({ b: 2, a: 1 })).toBeUndefined();
  expect(index.find({ a: 1, b: 2, c: 3 })).toBeUndefined();
  expect(index.find({ a: 1, b: 2 })).toBe('ab');
});

test('learns up to its limit of nodes, and keeps the nodes that it has learnt', () => {
  const index = new AttributeIndex<number>(10);
  for (let i = 0; i < 100; i++) index.learn({ key: i }, i);
  const known = Array.from({ length: 100 }, (_, i) => index.find({ key: i })).filter(
    (target) => target !== undefined,
  );
  expect(known).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test('shares the nodes of paths with a common beginning', () => {
  const index = new AttributeIndex<number>(4);
  index.learn({ a: 1, b: 1 }, 0);
  index.learn({ a: 1, b: 2 }, 1);
  index.learn({ a: 1 }, 2);
  index.learn({ a: 1, b: 1, c: 1 }, 3);
  expect(
    [{ a: 1, b: 1 }, { a: 1, b: 2 }, { a: 1 }, { a: 1, b: 1, c: 1 }].map((set) => index.find(set)),
  ).toEqual([0, 1, 2, 3]);
});

test('learns a new target for a known set, also when it is full', () => {
  const index = new AttributeIndex<string>(1);
  index.learn({ a: 1 }, 'old');
  index.learn({ b: 1 }, 'too much');
  index.learn({ a: 1 }, 'new');
  expect(index.find({ a: 1 })).toBe('new');
  expect(index.find({ b: 1 })).toBeUndefined();
});

test('does not learn arrays and objects, which are equal without being identical', () => {
  const index = new AttributeIndex<string>(10);
  const array = [1];
  index.learn({ a: array, b: 1 }, 'array');
  index.learn({ c: null }, 'null');
  expect(index.find({ a: array, b: 1 })).toBeUndefined();
  expect(index.find({ c: null })).toBeUndefined();
});

test('uses no memory for keys that come when it is full', () => {
  const index = new AttributeIndex<string>(1);
  index.learn({ a: 1 }, 'a');
  const before = heapBytes();
  for (let i = 0; i < 50_000; i++) index.learn({ [`key${i}`]: undefined, a: 1 }, 'a');
  expect(heapBytes() - before).toBeLessThan(2_000_000);
  expect(index.find({ a: 1 })).toBe('a');
});

test('forgets a set in the order that is given, and no other set', () => {
  const index = new AttributeIndex<string>(10);
  index.learn({ a: 1, b: 1 }, 'both');
  index.learn({ b: 1, a: 1 }, 'both');
  index.learn({ a: 1 }, 'a');
  index.forget({ a: 1, b: 1 });
  index.forget({ c: 1 });
  expect([{ a: 1, b: 1 }, { b: 1, a: 1 }, { a: 1 }].map((set) => index.find(set))).toEqual([
    undefined,
    'both',
    'a',
  ]);
});
