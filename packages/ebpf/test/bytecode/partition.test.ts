import { atOnce } from '@hdrscope/kit';
import fc from 'fast-check';
import { type Evaluate, partition } from '../../src/bytecode/partition.ts';
import type { Place } from '../../src/bytecode/places.ts';
import { type KernelLayout, parseKernelLayout } from '../../src/index.ts';

const MAX = 2n ** 64n - 1n;

const PLACE: Place = { at: 0, isOther: false, isClamped: true, words: [], offset: 0n, size: 8 };

/** A program that counts by upper bounds, and how often it is asked. */
function countBy(bounds: readonly bigint[], isDecided: (from: bigint, to: bigint) => boolean = () => true) {
  let questions = 0;
  const slotOf = (value: bigint) => bounds.findIndex((bound) => value <= bound);
  const evaluate: Evaluate = function* (from, to) {
    questions++;
    yield;
    const isOne = slotOf(from) === slotOf(to) && (from === to || isDecided(from, to));
    return isOne ? new Map([[`slot ${slotOf(from)}`, PLACE]]) : undefined;
  };
  const found = atOnce(partition(evaluate, 0n, MAX)).map(({ to, name }) => [to, name]);
  return { found, questions: () => questions };
}

function boundsOf({ slots }: KernelLayout): readonly bigint[] {
  return slots.bounds.filter((bound) => bound >= 0).map((bound) => BigInt(bound));
}

/** Parts that end at bounds, at the last positive integer of 64 bits, and at the last negative one. */
function partsOf(bounds: readonly bigint[]) {
  const ends = [...bounds, 2n ** 63n - 1n, MAX];
  return ends.map((to, i) => [to, `slot ${i < bounds.length ? i : -1}`]);
}

test.each([
  ['libbpf-tools:27', 'twice as wide as the one before'],
  ['exporter-linear:200', 'as wide as the one before'],
  ['log-linear-8:200', 'as wide as the one before, and each eighth is twice as wide'],
])('each slot of %s takes some two questions: it is %s', (text) => {
  const bounds = boundsOf(parseKernelLayout(text));
  const { found, questions } = countBy(bounds);
  expect(found).toEqual(partsOf(bounds));
  expect(questions()).toBeLessThan(2.7 * bounds.length + 10);
});

test('a slot whose values are known for each power of two only is found by some two questions for each', () => {
  const bounds = boundsOf(parseKernelLayout('libbpf-tools:27'));
  const octave = (value: bigint) => value.toString(2).length;
  const { found, questions } = countBy(bounds, (from, to) => octave(from) === octave(to));
  expect(found).toEqual(partsOf(bounds));
  expect(questions()).toBeLessThan(2.7 * 64);
});

test('parts end exactly at the bounds, whatever they are and however small the ranges that are known', () => {
  const bounds = fc.uniqueArray(fc.bigInt(0n, 2n ** 62n), { minLength: 1, maxLength: 20 });
  const property = fc.property(bounds, fc.integer({ min: 56, max: 64 }), (integers, bits) => {
    const sorted = [...integers].sort((a, b) => (a < b ? -1 : 1));
    const { found } = countBy(
      sorted,
      (from, to) => from >> BigInt(bits) === to >> BigInt(bits) || from === to,
    );
    expect(found).toEqual(partsOf(sorted));
  });
  fc.assert(property, { numRuns: 100 });
});
