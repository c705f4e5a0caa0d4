import { caseCount } from '@hdrscope/testing/case-count';
import fc from 'fast-check';
import type { SlotRuns } from '../../src/counts/slot-runs.ts';
import { usedSlots } from '../../src/counts/used-slots.ts';
import { LONGEST_VARINT, writeCount, writeEmptySlots } from '../../src/encoding/varint.ts';
import { VarintRuns } from '../../src/encoding/varint-runs.ts';
import { concat } from '../support/bytes.ts';
import { expectRefused, refusalOf } from '../support/refused.ts';
import { zigZag } from '../support/v2-bytes.ts';
import { LARGEST } from '../support/values.ts';

type SlotAndCount = readonly [slot: number, count: number];

/** Compares long lists as texts: Jest compares each pair with each step of its own, in a hundred times the time. */
function expectPairs(found: readonly SlotAndCount[], pairs: readonly SlotAndCount[]): void {
  if (found.join(' ') !== pairs.join(' ')) expect(found).toEqual(pairs);
}

const MOST_SLOTS = 2 ** 30;
const MOST_DENSE = 2 ** 18;

function allOf(runs: SlotRuns): SlotAndCount[] {
  const all: SlotAndCount[] = [];
  for (let length = runs.next(); length > 0; length = runs.next()) {
    for (let i = 0; i < length; i++) all.push([runs.slots[i]!, runs.counts[i]!]);
  }
  return all;
}

/** The runs of a payload that is known to be right. */
function wholeOf(payload: Uint8Array, slotCount = MOST_SLOTS): VarintRuns {
  const runs = new VarintRuns(payload, slotCount);
  runs.readThrough();
  return runs;
}

const denseOf = (payload: Uint8Array, slotCount = MOST_DENSE): unknown =>
  new VarintRuns(payload, slotCount).toDense(MOST_DENSE);

/** A payload of counts, each behind so many empty slots, and its content. */
function written(entries: readonly (readonly [empty: number, count: number])[]): {
  readonly payload: Uint8Array;
  readonly pairs: readonly SlotAndCount[];
} {
  const bytes = new Uint8Array(2 * LONGEST_VARINT * entries.length);
  const pairs: SlotAndCount[] = [];
  let [end, slot] = [0, 0];
  for (const [empty, count] of entries) {
    end = writeCount(bytes, writeEmptySlots(bytes, end, empty), count);
    slot += empty;
    if (count > 0) pairs.push([slot, count]);
    slot++;
  }
  return { payload: bytes.subarray(0, end), pairs };
}

const entry = fc.tuple(
  fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.nat(3), fc.nat(300), fc.nat(20_000)),
  fc.oneof(
    { weight: 4, arbitrary: fc.nat(70) },
    fc.nat(10_000),
    fc.nat(2 ** 22),
    fc.constantFrom(2 ** 20, 2 ** 31, 2 ** 40 + 1),
  ),
);

test('every payload is read as it was written, however often and however long', () => {
  const entries = fc.tuple(fc.array(entry, { minLength: 1, maxLength: 40 }), fc.constantFrom(1, 1, 50, 300));
  fc.assert(
    fc.property(entries, ([some, times]) => {
      const { payload, pairs } = written(Array.from({ length: times }, () => some).flat());
      const runs = wholeOf(payload);
      expect([runs.total, pairs.length === 0 ? [] : [runs.first, runs.last]]).toEqual([
        pairs.reduce((sum, [, count]) => sum + count, 0),
        pairs.length === 0 ? [] : [pairs[0]![0], pairs.at(-1)![0]],
      ]);
      for (let again = 0; again < 2; again++) expectPairs(allOf(runs), pairs);
      // The constructor may refuse it.
      const unread = new VarintRuns(payload, MOST_SLOTS);
      for (let again = 0; again < 2; again++) expectPairs(allOf(unread), pairs);
      expect([unread.total, unread.first, unread.last]).toEqual([runs.total, runs.first, runs.last]);
      if (runs.total > 0 && runs.last < MOST_DENSE - 20_000) {
        const dense = new VarintRuns(payload, MOST_DENSE).toDense(MOST_DENSE);
        expectPairs([...usedSlots(dense)], pairs);
        expect([dense.total, dense.last]).toEqual([runs.total, runs.last]);
      }
    }),
    { numRuns: caseCount(50, 150) },
  );
});

test.each([4090, 4094, 4095, 4096, 4097, 8191, 8192])('a number of any length may begin at byte %d', (at) => {
  for (const count of [1, 100, 10_000, 2 ** 20 - 1, 2 ** 20, 2 ** 41]) {
    for (const before of [0, 2]) {
      const payload = [...new Uint8Array(at).fill(before), ...zigZag(BigInt(count)), ...zigZag(-200n), 4];
      const pairs = allOf(wholeOf(Uint8Array.from(payload)));
      expect(pairs.slice(-2)).toEqual([
        [at, count],
        [at + 201, 2],
      ]);
      expect(pairs.length).toBe(before === 0 ? 2 : at + 2);
    }
  }
});

test('counts are read alike wherever counts of one, two and more bytes meet', () => {
  for (const [first, second] of [
    [1, 300],
    [63, 64],
    [300, 8191],
    [8192, 5],
    [40, 0],
    [2 ** 31 - 1, 64],
    [2 ** 31, 63],
  ] as const) {
    for (let before = 4090; before <= 4098; before++) {
      for (let length = 1; length <= 9; length++) {
        const counts = [
          ...new Array<number>(length).fill(first),
          ...[second, second, second, first, second, second, second],
        ];
        const { payload, pairs } = written(counts.map((count) => [0, count] as const));
        const sevens = new Uint8Array(before).fill(zigZag(7n)[0]!);
        const runs = new VarintRuns(concat(sevens, payload), before + counts.length + 9);
        const dense = runs.toDense(2 ** 13);
        const end = dense.next(before);
        expect([dense.first, dense.last, end]).toEqual([0, before + pairs.at(-1)![0], before + pairs[0]![0]]);
        expect(pairs.map(([slot]) => [slot, dense.at(before + slot)])).toEqual(pairs);
        expect(dense.total).toBe(7 * before + counts.reduce((sum, count) => sum + count, 0));
        expect(sevens.every((_, slot) => dense.at(slot) === 7)).toBe(true);
      }
    }
  }
});

test('a payload of empty slots alone has no counts, however long it is', () => {
  for (const length of [0, 1, 4096, 10_000]) {
    const runs = wholeOf(new Uint8Array(length));
    expect([runs.total, allOf(runs), allOf(runs)]).toEqual([0, [], []]);
  }
});

test('runs are read again when another payload was read meanwhile', () => {
  const first = wholeOf(Uint8Array.of(2, 4), 10);
  const second = wholeOf(Uint8Array.of(0, 0, 6), 10);
  expect(allOf(first)).toEqual([
    [0, 1],
    [1, 2],
  ]);
  expect(allOf(second)).toEqual([[2, 3]]);
});

test('a payload that ends in the middle of a number, or beyond the last slot, is refused wherever that is', () => {
  for (const length of [0, 1, 4094, 4095, 4096, 5000]) {
    const zeros = [...new Uint8Array(length)];
    expectRefused(() => wholeOf(Uint8Array.from([...zeros, 0x80])), 'ERR_DECODE');
    expectRefused(() => denseOf(Uint8Array.from([...zeros, 0x80])), 'ERR_DECODE');
    expectRefused(() => denseOf(Uint8Array.from([...zeros, 2]), length), 'ERR_DECODE');
    expectRefused(() => wholeOf(Uint8Array.from([...zeros, 2]), length), 'ERR_DECODE');
    expect(wholeOf(Uint8Array.from([...zeros, 2]), length + 1).last).toBe(length);
    const broken = Uint8Array.from([...zeros, 3]);
    expect(refusalOf(() => wholeOf(broken, length + 1)).message).toBe(
      `the payload must fill at most the ${length + 1} slots of its range, got 2 more after slot ${length}`,
    );
  }
});

test('a total above 2^53 - 1 is refused, also of several runs', () => {
  const largest = zigZag(BigInt(LARGEST));
  for (const length of [1, 5000]) {
    const ones = [...new Uint8Array(length).fill(2)];
    expectRefused(() => wholeOf(Uint8Array.from([...largest, ...ones])), 'ERR_DECODE');
    expectRefused(() => wholeOf(Uint8Array.from([...ones, ...largest])), 'ERR_DECODE');
    expectRefused(() => denseOf(Uint8Array.from([...ones, ...largest])), 'ERR_DECODE');
  }
  expect(wholeOf(Uint8Array.from(largest), 1).total).toBe(LARGEST);
});
