import { hdrLayout } from '@hdrscope/core';
import { SparseCounts } from '@hdrscope/core/internal';
import { Budget } from '@hdrscope/kit';
import { refusalOf } from '@hdrscope/testing/refusals';
import fc from 'fast-check';
import {
  factsAt,
  NumbersWriter,
  ReceivedSlots,
  readNumbers,
  type WireNumbers,
} from '../../src/remote/numbers.ts';

const { slotCount } = hdrLayout({ highestTrackableValue: 2 ** 50, significantDigits: 2 });
const unlimited = (): Budget => new Budget('the message', {});
const FACTS = { sum: 7, min: 1, max: 6 };

function countsOf(slots: readonly (readonly [slot: number, count: number])[]): SparseCounts {
  const counts = new SparseCounts(slotCount);
  for (const [slot, count] of slots) counts.add(slot, count);
  return counts;
}

/** The slots and counts of each series, by id. */
function decoded(wire: WireNumbers, seriesCount: number): Map<number, SparseCounts> {
  const { words } = readNumbers(wire, 'increase', seriesCount, unlimited());
  const received = new ReceivedSlots();
  const all = new Map<number, SparseCounts>();
  for (let at = 0; at < words.length; at += 2 + words[at + 1]!) {
    received.read(words, at + 2, at + 2 + words[at + 1]!, slotCount, 0);
    const counts = new SparseCounts(slotCount);
    counts.addRuns(received);
    expect(counts.total).toBe(received.total);
    expect([received.first, received.last]).toEqual([counts.first, counts.last]);
    all.set(words[at]!, counts);
  }
  return all;
}

const used = fc.array(
  fc.tuple(
    fc.nat({ max: slotCount - 1 }),
    fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 2 ** 44 })),
  ),
  { minLength: 1, maxLength: 200 },
);

describe('the numbers of changed series', () => {
  test('have the counts at thresholds, of any size', () => {
    const writer = new NumbersWriter();
    const atThresholds = [0, 7, 300, 2 ** 45 + 1];
    writer.add(0, countsOf([[5, 2 ** 46]]), { ...FACTS, atThresholds });
    const { words } = readNumbers(writer.take(false), 'increase', 1, unlimited());
    const received = new ReceivedSlots();
    received.read(words, 2, words.length, slotCount, 4);
    expect([received.atThresholds, received.total, received.at(5), received.at(6)]).toEqual([
      atThresholds,
      2 ** 46,
      2 ** 46,
      0,
    ]);
  });

  test.each([false, true])('cross exactly, as text: %p', (isText) => {
    fc.assert(
      fc.property(fc.array(used, { maxLength: 5 }), (series) => {
        const writer = new NumbersWriter();
        series.forEach((increase, id) => {
          writer.add(id, countsOf(increase), FACTS);
        });
        const crossed = structuredClone(writer.take(isText));
        const all = decoded(crossed, series.length);
        series.forEach((increase, id) => {
          const [got, expected] = [all.get(id)!, countsOf(increase)];
          for (let slot = expected.next(0); slot < slotCount; slot = expected.next(slot + 1)) {
            expect([slot, got.at(slot)]).toEqual([slot, expected.at(slot)]);
          }
          expect(got.total).toBe(expected.total);
        });
        expect(all.size).toBe(series.length);
      }),
      { numRuns: 50 },
    );
  });

  test('take 36 bytes for a series with one new value', () => {
    const writer = new NumbersWriter();
    writer.add(3, countsOf([[70, 1]]), FACTS);
    const { facts, words } = writer.take(false) as Record<keyof WireNumbers, ArrayBuffer>;
    expect([...new Uint32Array(words)]).toEqual([3, 1, (70 << 8) | 1]);
    expect([...new Float64Array(facts)]).toEqual([7, 1, 6]);
    expect(words.byteLength + facts.byteLength).toBe(36);
  });
});

describe('numbers that are broken are refused', () => {
  const wire = (facts: number[], words: number[]): WireNumbers => ({
    facts: Float64Array.from(facts).buffer,
    words: Uint32Array.from(words).buffer,
  });

  test.each<[what: string, wire: Record<keyof WireNumbers, unknown>, message: RegExp]>([
    ['no buffer', { facts: 7, words: '' }, /^at\.facts must be a buffer, or bytes as base64, got 7$/],
    ['an array', { facts: [1], words: '' }, /^at\.facts must be a buffer/],
    ['text that is not base64', { facts: '', words: '?' }, /^at\.words must be bytes as base64, got "\?"$/],
    [
      'half an element',
      { facts: new ArrayBuffer(4), words: '' },
      /^at\.facts must be whole elements of 8 bytes/,
    ],
    [
      'an unknown series',
      wire([1, 1, 1], [2, 1, 257]),
      /^at\.words\[0\] must be the id of one of 2 series, got 2$/,
    ],
    ['a series without counts', wire([1, 1, 1], [0, 0]), /^at\.words must be counts of whole series, got 0$/],
    [
      'a series that is cut off',
      wire([1, 1, 1], [0, 2, 257]),
      /^at\.words must be counts of whole series, got 2$/,
    ],
    ['an id alone', wire([1, 1, 1], [0]), /^at\.words must be counts of whole series/],
    ['missing facts', wire([], [0, 1, 257]), /^at\.facts must be 3 for each of 1 series, got 0$/],
  ])('%s', (_, broken, message) => {
    expect(refusalOf(() => readNumbers(broken, 'at', 2, unlimited()), 'ERR_DECODE').message).toMatch(message);
  });

  test.each<[what: string, words: number[], message: RegExp]>([
    ['a slot beyond the layout', [(slotCount << 8) | 1], /^slots must be ascending and below \d+, got \d+$/],
    [
      'a threshold that the family does not have',
      [(8 << 8) | 1, ((2 ** 23 + 2) * 256) | 1],
      /^slots must be/,
    ],
    ['thresholds without slots', [((2 ** 23 + 1) * 256) | 1], /^counts must be of at least one slot, got 0$/],
    ['slots that descend', [(8 << 8) | 1, (7 << 8) | 1], /^slots must be ascending/],
    ['a slot twice', [(8 << 8) | 1, (8 << 8) | 1], /^slots must be ascending/],
    ['a large count that is cut off', [8 << 8, 300], /^counts must be from 1 to 2\^53 - 1, got 0$/],
    ['a large count of 0', [8 << 8, 0, 0], /^counts must be from 1/],
    ['a count above 2^53', [8 << 8, 0, 2 ** 22], /^counts must be from 1/],
    [
      'a total above 2^53',
      [7 << 8, 2 ** 32 - 1, 2 ** 21 - 1, (8 << 8) | 1],
      /^the total count must be at most 2\^53 - 1/,
    ],
  ])('%s', (_, words, message) => {
    const slots = new ReceivedSlots();
    expect(
      refusalOf(() => slots.read(Uint32Array.from(words), 0, words.length, slotCount, 2), 'ERR_DECODE')
        .message,
    ).toMatch(message);
  });

  test.each<[what: string, facts: number[], message: RegExp]>([
    ['a sum below 0', [-1, 1, 1], /^the sum must be a number from 0, got -1$/],
    ['no sum', [Number.NaN, 1, 1], /^the sum must be/],
    [
      'no smallest value',
      [1, Number.NaN, 1],
      /^the smallest value must be from 0 to the largest, 1, got NaN$/,
    ],
    ['extremes in the wrong order', [1, 2, 1], /^the smallest value must be/],
  ])('%s', (_, facts, message) => {
    expect(refusalOf(() => factsAt(Float64Array.from(facts), 0), 'ERR_DECODE').message).toMatch(message);
  });
});
