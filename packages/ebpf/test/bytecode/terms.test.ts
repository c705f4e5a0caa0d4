import { caseCount } from '@hdrscope/testing/case-count';
import fc from 'fast-check';
import { type Comparison, decide, type Operation, type Term, Terms, WORD } from '../../src/bytecode/terms.ts';

const OPERATIONS: readonly Operation[] = [
  ...([
    'add',
    'sub',
    'mul',
    'div',
    'mod',
    'and',
    'or',
    'xor',
    'shl',
    'lshr',
    'ashr',
    'sdiv',
    'smod',
  ] as const),
];
const COMPARISONS: readonly Comparison[] = ['equal', 'below', 'signed below', 'common bits'];

const near = fc
  .tuple(fc.nat(64), fc.integer({ min: -3, max: 3 }))
  .map(([power, by]) => BigInt.asUintN(64, 2n ** BigInt(power) + BigInt(by)));
const word = fc.oneof(near, fc.bigInt({ min: 0n, max: WORD }), fc.bigInt({ min: 0n, max: 100n }));
/** An integer, and a range that contains it. */
const inRange = fc.tuple(word, word, word).map((three) => {
  const [min, value, max] = [...three].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)) as [
    bigint,
    bigint,
    bigint,
  ];
  return { min, value, max };
});

/** The same with numbers of bits by which a word can be shifted. */
function withinWord({
  min,
  value,
  max,
}: {
  readonly min: bigint;
  readonly value: bigint;
  readonly max: bigint;
}) {
  const [least, middle, most] = [min, value, max].map((one) => one & 63n).sort((a, b) => Number(a - b));
  return { min: least!, value: middle!, max: most! };
}

/** A term of which the range is known, and nothing else. */
function termIn(
  terms: Terms,
  name: string,
  { min, max }: { readonly min: bigint; readonly max: bigint },
): Term {
  const term = terms.input(`input@${name}`);
  terms.measure(term);
  terms.restrict(min, max);
  return { ...term };
}

function expectInside(term: Term, value: bigint): void {
  expect(value >= term.min && value <= term.max).toBe(true);
  expect(value & ~(term.ones | term.unknown)).toBe(0n);
  expect(term.ones & ~value).toBe(0n);
}

const RUNS = { numRuns: caseCount(200, 800) };

test.each(OPERATIONS)('the result of %s lies within what is certain about it', (operation) => {
  const property = fc.property(inRange, inRange, (a, b) => {
    const terms = new Terms();
    // A shift by more than 63 bits does not occur: programs take the lowest bits of its operand.
    const isShift = ['shl', 'lshr', 'ashr'].includes(operation);
    const by = isShift ? withinWord(b) : b;
    const [left, right] = [termIn(terms, 'a', a), termIn(terms, 'b', by)];
    const { min } = terms.make(operation, terms.constant(a.value), terms.constant(by.value));
    expectInside(terms.make(operation, left, right), min);
  });
  fc.assert(property, RUNS);
});

test.each([8, 16, 32])('the sign of %d bits lies within what is certain about it', (bits) => {
  const property = fc.property(inRange, (a) => {
    const terms = new Terms();
    const extended = terms.signed(termIn(terms, 'a', a), bits);
    expectInside(extended, BigInt.asUintN(64, BigInt.asIntN(bits, a.value)));
  });
  fc.assert(property, RUNS);
});

test.each(COMPARISONS)('an answer to %s is that of all integers in the ranges', (comparison) => {
  const property = fc.property(inRange, inRange, (a, b) => {
    const terms = new Terms();
    const answer = decide(comparison, termIn(terms, 'a', a), termIn(terms, 'b', b));
    if (answer === undefined) return;
    expect(decide(comparison, terms.constant(a.value), terms.constant(b.value))).toBe(answer);
  });
  fc.assert(property, RUNS);
});

test('two constants always have an answer', () => {
  const property = fc.property(word, word, fc.constantFrom(...COMPARISONS), (a, b, comparison) => {
    const terms = new Terms();
    expect(decide(comparison, terms.constant(a), terms.constant(b))).toBeDefined();
  });
  fc.assert(property);
});

test('equal computations are one term, and other ranges make other terms', () => {
  const terms = new Terms();
  const value = terms.input('value@0');
  const other = terms.input('other@0');
  const sum = () => terms.make('add', value, other);
  expect(sum()).toBe(sum());
  terms.measure(value);
  terms.restrict(4n, 7n);
  const shifted = terms.make('lshr', value, terms.constant(2n));
  expect([shifted.min, shifted.max]).toEqual([1n, 1n]);
  terms.restrict(8n, 15n);
  expect(terms.make('lshr', value, terms.constant(2n)).min).toBe(2n);
  terms.endMeasuring();
  expect([value.min, value.max, value.isMeasured]).toEqual([0n, WORD, false]);
});
