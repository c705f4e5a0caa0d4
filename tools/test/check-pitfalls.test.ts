import { exportedNumbers, findImportedNumbers, findSpreads } from '../check-pitfalls.js';

const places = (source: string) => findSpreads(source, 'a.ts').map(({ where }) => where);

describe('lists that go to the stack', () => {
  it.each([
    ['push(...items)', 'list.push(...items);'],
    ['the result of a function', 'Math.max(...list.map((one) => one.size));'],
    ['a constructor', 'new Part(1, ...items);'],
    ['an optional call', 'observer?.added?.(...items);'],
    ['apply', 'String.fromCharCode.apply(undefined, codes as number[]);'],
    ['a list within a list that is written out', 'push(...[1, ...items]);'],
    ['a parameter that is no rest', 'const add = (items: number[]) => list.push(...items);'],
    [
      'the rest parameter of another function',
      'function a(...rest: number[]) {} function b() { push(...rest); }',
    ],
    ['a comment without a reason', '// Bounded:\nlist.push(...items);'],
  ])('are found: %s', (_what, source) => {
    expect(places(`\n${source}`)).toHaveLength(1);
  });

  it.each([
    ['an array', 'const all = [...items, ...others];'],
    ['an object', 'const all = f({ ...options });'],
    ['a list that is written out', 'f(...[1, 2], ...(isLong ? [3] : []));'],
    ['a rest parameter', 'const log = (...args: unknown[]) => console.log(...args);'],
    [
      'a rest parameter of a method',
      'class A { add(...args: unknown[]) { return () => this.all.push(...args); } }',
    ],
    ['arguments', 'function f() { g.apply(this, arguments); }'],
    ['a reason', '// Bounded: there are two.\nlist.push(...items);'],
    ['a reason on the line', 'list.push(...items); // Bounded: there are two.'],
    ['a reason within a call', 'f(\n  1,\n  // Bounded: there are two.\n  ...items,\n);'],
    ['another method with two arguments', 'list.slice(from, to);'],
  ])('are not: %s', (_what, source) => {
    expect(places(source)).toEqual([]);
  });

  it('are found with their lines', () => {
    expect(places('// é\nf();\nf(\n  1,\n  ...items,\n);\n')).toEqual(['a.ts:5']);
  });
});

describe('numbers of other modules in hot ones', () => {
  const numbers = new Set(
    exportedNumbers(
      `export const BITS = 6;
export const SLOTS: number = 2 ** BITS;
export const NAME = 'a';
export const LIST: readonly number[] = [1];
const OWN = 1;`,
      'words.ts',
    ),
  );
  const found = (source: string) => findImportedNumbers(source, 'a.ts', numbers).map(({ where }) => where);

  it('are numbers that a module exports', () => {
    expect([...numbers]).toEqual(['BITS', 'SLOTS']);
  });

  it.each([
    ['a function', "import { BITS } from './words.ts';\nfunction page(slot) { return slot >> BITS; }"],
    [
      'a method',
      "import { BITS as bits } from './words.ts';\nclass A { page(slot) { return slot >> bits; } }",
    ],
    [
      'a private method',
      "import { BITS } from './words.ts';\nclass A { #page(slot) { return slot >> BITS; } }",
    ],
    ['a namespace', "import * as words from './words.ts';\nconst page = (slot) => slot >> words.BITS;"],
  ])('are found in %s', (_where, source) => {
    expect(found(source)).toEqual(['a.ts:2']);
  });

  it.each([
    [
      'a copy',
      "import { BITS as bits } from './words.ts';\nconst BITS = bits;\nconst page = (slot) => slot >> BITS;",
    ],
    [
      'a property of that name',
      "import { BITS as bits } from './words.ts';\nconst page = (a) => a.BITS + words.SLOTS;",
    ],
    ['something else of the module', "import { NAME } from './words.ts';\nconst name = () => NAME;"],
  ])('are not: %s', (_where, source) => {
    expect(found(source)).toEqual([]);
  });
});
