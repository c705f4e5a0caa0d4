import { type KernelHistogram, libbpfToolsLayout, sumCpus } from '../../src/index.ts';
import { resolveShape } from '../../src/source/kernel-map-shape.ts';
import {
  boundsOfSum,
  isComparable,
  SumCheck,
  sumContradicts,
  withoutEmptySums,
} from '../../src/source/sum-check.ts';

// Slots of 0 to 1, 2 to 3, and 4 or more.
const layout = libbpfToolsLayout(3);

function histogram(counts: readonly number[], sum: number): KernelHistogram {
  return { name: 'h', attributes: {}, layout, counts: Float64Array.from(counts), sums: Float64Array.of(sum) };
}

test('the sum is between those of the least and the largest values of the slots', () => {
  expect(boundsOfSum(sumCpus(histogram([5, 10, 0], 0)))).toEqual({ least: 20, most: 35 });
  expect(boundsOfSum(sumCpus(histogram([0, 0, 2], 0)))).toEqual({
    least: 8,
    most: Number.POSITIVE_INFINITY,
  });
});

test.each([
  [[0, 100, 0], 199, false],
  [[0, 100, 0], 150, true],
  [[0, 100, 0], 400, true],
  // Too few values, and a program that keeps no sum.
  [[0, 99, 0], 1, false],
  [[0, 100, 0], 0, false],
])('counts %j and the sum %j contradict each other: %p', (counts, sum, contradicts) => {
  expect(sumContradicts([histogram(counts, sum)])).toBe(contradicts);
});

const FIELD = { name: 'sum', type: 'u64', offset: 8 } as const;

test.each([
  ['the sum at a key of an LRU hash, which may drop either', 'lru_hash', 'key', undefined, 3, false],
  ['the sum at a key of a per-CPU LRU hash', 'lru_percpu_hash', 'key', undefined, 3, false],
  ['the sum beside the counts in the entries of an LRU hash', 'lru_hash', 'key', FIELD, undefined, true],
  ['the sum behind all slots in a value of an LRU hash', 'lru_hash', 'value', undefined, 3, true],
  ['the sum at a key of a hash', 'hash', 'key', undefined, 3, true],
  ['no sum', 'hash', 'key', undefined, undefined, false],
] as const)('%s', (_, type, slotIn, sumField, sumIndex, expected) => {
  expect(isComparable({ type }, { slotIn, sumField, sumIndex })).toBe(expected);
});

const INFO = {
  type: 'hash',
  id: 7,
  keySize: 4,
  valueSize: 8,
  maxEntries: 16,
  name: 'h',
  btfId: 0,
  keyTypeId: 0,
  valueTypeId: 0,
} as const;

test('a map is refused when its sum contradicts its slots in three reads', () => {
  const check = new SumCheck(INFO, layout, resolveShape(INFO, { sum: 'after-last' }, layout));
  const wrong = [histogram([0, 100, 0], 1)];
  expect([check.asksAgain(wrong), check.asksAgain(wrong)]).toEqual([true, true]);
  expect(() => check.asksAgain(wrong)).toThrow(/^the layout libbpf-tools contradicts map 7 \(h\)/);
});

const PER_CPU = { ...INFO, type: 'percpu_hash' } as const;
const perCpuCheck = () => new SumCheck(PER_CPU, layout, resolveShape(PER_CPU, { sum: 'after-last' }, layout));

test.each([
  ['one value of 2 or 3 is not 4', [0, 1, 0], 4],
  ['values are not 1 below what their slots hold', [0, 1000, 0], 1999],
])('a sum of a per-CPU map is within its slots at each read: %s', (_, counts, sum) => {
  const check = perCpuCheck();
  expect(check.asksAgain([histogram([0, 1000, 0], 2500)])).toBe(false);
  const wrong = [histogram(counts, sum)];
  expect([check.asksAgain(wrong), check.asksAgain(wrong)]).toEqual([true, true]);
  expect(() => check.asksAgain(wrong)).toThrow(
    new RegExp(`cannot have the sum ${sum} that the map has, only \\d+ to `),
  );
});

test('a sum that is a moment before its slots, or behind them, is no contradiction', () => {
  const check = perCpuCheck();
  const busy = (events: number) => [histogram([0, events, 0], 3 * (events + 1))];
  expect([100, 101, 102, 103].map((events) => check.asksAgain(busy(events)))).toEqual([
    ...[true, true, false],
    true,
  ]);
});

test('a sum of 0 counts as no sum when the values cannot have it', () => {
  const [without, with0, other] = withoutEmptySums([
    histogram([0, 1, 0], 0),
    histogram([7, 0, 0], 0),
    histogram([0, 1, 0], 2),
  ]);
  expect([without!.sums, with0!.sums, other!.sums]).toEqual([
    ...[undefined, Float64Array.of(0)],
    Float64Array.of(2),
  ]);
});

test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('a unit of the sum of %p is refused', (sumUnit) => {
  expect(() => resolveShape(INFO, { sum: 'after-last', sumUnit }, layout)).toThrow(
    /^shape\.sumUnit must be a finite number above 0, got /,
  );
});
