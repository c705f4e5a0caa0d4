import { LARGEST_COUNT } from '../../src/counts/largest-count.ts';
import { SharedCounts } from '../../src/counts/shared.ts';
import { hdrLayout } from '../../src/layout/hdr.ts';
import { describeCounts } from '../support/counts-suite.ts';
import { expectRefused } from '../support/refused.ts';

const TWO_POW_31 = 2 ** 31;
const TWO_POW_32 = 2 ** 32;
const TOP_BIT = -TWO_POW_31;

// The order of the words in the buffer: the header, the low words, the high words.
const BEGUN = 5;
const ENDED = 6;
const LOW = 16;

const wordsOf = ({ buffer }: SharedCounts): Int32Array => new Int32Array(buffer);

/** The state in which a thread has raised a low word to 2^31 and has not carried yet. */
function withCarryPending(slot: number, beyond = 0): SharedCounts {
  const counts = growing();
  counts.add(slot, beyond);
  Atomics.add(wordsOf(counts), LOW + slot, TOP_BIT);
  Atomics.add(new BigInt64Array(counts.buffer, 48, 1), 0, BigInt(TWO_POW_31)); // reserved
  return counts;
}

/** The next step of that thread. */
function carryPending(counts: SharedCounts, slot: number): void {
  const words = wordsOf(counts);
  const high = LOW + (words.length - LOW) / 2;
  Atomics.add(words, BEGUN, 1);
  Atomics.store(words, 7, 1); // there are high words
  Atomics.add(words, high + slot, 1);
  Atomics.add(words, LOW + slot, TOP_BIT);
  Atomics.add(words, ENDED, 1);
}

/** A range with 32 slots at first, and room for 960. */
function growing(): SharedCounts {
  const layout = hdrLayout({ highestTrackableValue: 2, significantDigits: 1 });
  return SharedCounts.of({ layout, autoResize: true });
}

describeCounts('shared counts', (length) => {
  const counts = growing();
  counts.resize(length);
  return counts;
});

describe('a shared count', () => {
  test.each([TWO_POW_31, TWO_POW_32, 3 * TWO_POW_31])('goes on past %d, one by one', (edge) => {
    const counts = growing();
    counts.add(7, edge - 2);
    counts.increment(8);
    const seen: number[] = [];
    for (let i = 0; i < 4; i++) {
      counts.increment(7);
      seen.push(counts.seen().at(7));
    }
    expect(seen).toEqual([edge - 1, edge, edge + 1, edge + 2]);
    expect([counts.seen().at(6), counts.seen().at(8), counts.seen().total]).toEqual([0, 1, edge + 3]);
  });

  test.each([1, 2, TWO_POW_31 - 1, TWO_POW_31, TWO_POW_31 + 1, TWO_POW_32 - 1, TWO_POW_32, 2 ** 45 + 3])(
    'goes on past 2^31 and 2^32 by %d at once, and back',
    (step) => {
      for (const before of [0, 1, TWO_POW_31 - 1, TWO_POW_31, TWO_POW_32 - 1, TWO_POW_32]) {
        const counts = growing();
        counts.add(7, before);
        counts.add(7, step);
        expect([counts.seen().at(7), counts.seen().total]).toEqual([before + step, before + step]);
        counts.remove(7, step);
        expect([counts.seen().at(7), counts.seen().total]).toEqual([before, before]);
      }
    },
  );
});

describe('two attachments', () => {
  test('count together', () => {
    const ours = growing();
    const theirs = SharedCounts.attach(ours.buffer);
    ours.increment(3);
    theirs.increment(3);
    theirs.add(4, TWO_POW_32);
    for (const counts of [ours, theirs]) {
      expect([counts.seen().at(3), counts.seen().at(4), counts.seen().total]).toEqual([
        2,
        TWO_POW_32,
        TWO_POW_32 + 2,
      ]);
    }
  });

  test('carry together into one high word', () => {
    const ours = growing();
    const theirs = SharedCounts.attach(ours.buffer);
    ours.add(3, TWO_POW_31 - 3);
    for (let i = 0; i < 3; i++) {
      ours.increment(3);
      theirs.increment(3);
    }
    expect([ours.seen().at(3), theirs.seen().at(3)]).toEqual([TWO_POW_31 + 3, TWO_POW_31 + 3]);
  });

  test('agree on the setup and on how far it has grown', () => {
    const ours = growing();
    const theirs = SharedCounts.attach(ours.buffer);
    theirs.resize(500);
    theirs.increment(499);
    expect([ours.length, ours.seen().last]).toEqual([500, 499]);
    const { layout, autoResize } = theirs.setup;
    expect([
      layout.significantDigits,
      layout.lowestDiscernibleBigInt,
      layout.highestTrackableBigInt,
      autoResize,
    ]).toEqual([1, 1n, 2n, true]);
  });

  test('never shrink each other', () => {
    const ours = growing();
    const theirs = SharedCounts.attach(ours.buffer);
    ours.resize(500);
    theirs.resize(100);
    expect([ours.length, theirs.length]).toEqual([500, 500]);
  });

  test('share one limit of 2^53 - 1, whatever each thread has leased', () => {
    const ours = growing();
    const theirs = SharedCounts.attach(ours.buffer);
    ours.increment(0); // which takes a lease of many more
    ours.add(0, LARGEST_COUNT - 4); // which gives it back
    theirs.increment(1);
    theirs.increment(1);
    expectRefused(() => ours.increment(2), 'ERR_COUNT_OVERFLOW'); // as theirs has leased the last one
    theirs.increment(1);
    expectRefused(() => theirs.increment(1), 'ERR_COUNT_OVERFLOW');
    expectRefused(() => ours.add(2, 1), 'ERR_COUNT_OVERFLOW');
    expect([ours.seen().total, ours.seen().at(1), ours.seen().at(2)]).toEqual([LARGEST_COUNT, 3, 0]);
    theirs.remove(1, 2);
    ours.add(2, 2);
    expect([theirs.seen().total, theirs.seen().at(2)]).toEqual([LARGEST_COUNT, 2]);
  });
});

describe('a count that was raised to 2^31 by adding', () => {
  test.each([
    [TWO_POW_31 - 1, 1],
    [TWO_POW_31 - 5, 5],
    [1, TWO_POW_31 - 1],
    [TWO_POW_31 - 1, TWO_POW_31 - 1],
    [TWO_POW_32 - 1, 1],
  ])('goes on to 2^32 beyond, from %d by %d', (before, step) => {
    const counts = growing();
    counts.add(7, before);
    counts.add(7, step);
    let expected = before + step;
    for (let times = 0; times < 2; times++) {
      counts.add(7, TWO_POW_31 - 1);
      counts.increment(7);
      expected += TWO_POW_31;
      expect([counts.seen().at(7), counts.seen().total]).toEqual([expected, expected]);
    }
  });
});

describe('a change of the low word and the high word', () => {
  test.each<[string, (counts: SharedCounts) => void]>([
    ['a record that carries', (counts) => counts.increment(7)],
    ['adding beyond 2^31', (counts) => counts.add(7, 1)],
    ['adding more than 2^31', (counts) => counts.add(7, TWO_POW_32)],
    ['taking out more than the low word holds', (counts) => counts.remove(8, 1)],
  ])('is begun and ended for those who read: %s', (_what, change) => {
    const counts = growing();
    counts.add(7, TWO_POW_31 - 1);
    counts.add(8, TWO_POW_31);
    const [begun, ended] = wordsOf(counts).subarray(BEGUN, ENDED + 1);
    change(counts);
    expect([...wordsOf(counts).subarray(BEGUN, ENDED + 1)]).toEqual([begun! + 1, ended! + 1]);
  });

  test('needs no waiting when only the low word changes', () => {
    const counts = growing();
    counts.add(7, TWO_POW_31 - 2);
    counts.increment(7);
    counts.remove(7, TWO_POW_31 - 1);
    expect([...wordsOf(counts).subarray(BEGUN, ENDED + 1)]).toEqual([0, 0]);
  });

  test('is waited for, but not forever', () => {
    const counts = growing();
    counts.add(7, 3);
    Atomics.add(wordsOf(counts), BEGUN, 1);
    const began = performance.now();
    expect(counts.seen().at(7)).toBe(3);
    const waitedMs = performance.now() - began;
    expect(waitedMs).toBeGreaterThanOrEqual(50);
    expect(waitedMs).toBeLessThan(20_000);
  });
});

describe('a record that has not been carried yet', () => {
  test('is seen', () => {
    expect(withCarryPending(7, 5).seen().at(7)).toBe(TWO_POW_31 + 5);
  });

  test('is carried whatever is added meanwhile', () => {
    for (const step of [1, TWO_POW_31 - 6, TWO_POW_31 - 5, TWO_POW_31, TWO_POW_32 + 1]) {
      const counts = withCarryPending(7, 5);
      const total = TWO_POW_31 + 5 + step;
      counts.add(7, step);
      expect([counts.seen().at(7), counts.seen().total]).toEqual([total, total]);
      carryPending(counts, 7);
      expect([counts.seen().at(7), counts.seen().total]).toEqual([total, total]);
    }
  });

  test('is carried whatever is taken out meanwhile', () => {
    for (const step of [1, 5, 6, TWO_POW_31, TWO_POW_31 + 5]) {
      const counts = withCarryPending(7, 5);
      const left = TWO_POW_31 + 5 - step;
      counts.remove(7, step);
      expect([counts.seen().at(7), counts.seen().total]).toEqual([left, left]);
      carryPending(counts, 7);
      expect([counts.seen().at(7), counts.seen().total]).toEqual([left, left]);
    }
  });

  test('is no longer seen after it is taken out, and all other counts are', () => {
    const counts = withCarryPending(7);
    counts.remove(7, TWO_POW_31);
    counts.increment(8);
    expect([counts.seen().at(7), counts.seen().at(8), counts.seen().total]).toEqual([0, 1, 1]);
  });
});

describe('slots that are not a whole number of pages', () => {
  test('are all that is summed up while another attachment counts beyond them', () => {
    const ours = growing();
    const theirs = SharedCounts.attach(ours.buffer);
    ours.increment(31);
    // The words as another thread leaves them that widens the range after the length was read.
    new Int32Array(theirs.buffer).fill(1, 16 + 32, 16 + 64);
    expect([ours.seen().total, ours.seen().last]).toEqual([1, 31]);
  });
});

describe('attaching', () => {
  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['a buffer of one thread', new ArrayBuffer(64)],
    ['a buffer too short for a header', new SharedArrayBuffer(60)],
    ['a buffer of zeros', new SharedArrayBuffer(4096)],
    ['a view of the buffer', new Int32Array(growing().buffer)],
  ])('refuses %s', (_what, buffer) => {
    expectRefused(() => SharedCounts.attach(buffer as SharedArrayBuffer), 'ERR_INCOMPATIBLE');
  });

  test('refuses a buffer that is cut off', () => {
    const { buffer } = growing();
    const cut = new SharedArrayBuffer(buffer.byteLength - 4);
    new Uint8Array(cut).set(new Uint8Array(buffer, 0, cut.byteLength));
    expectRefused(() => SharedCounts.attach(cut), 'ERR_INCOMPATIBLE');
  });

  test('takes a copy of the whole buffer', () => {
    const counts = growing();
    counts.add(5, 3);
    const copy = new SharedArrayBuffer(counts.buffer.byteLength);
    new Uint8Array(copy).set(new Uint8Array(counts.buffer));
    expect(SharedCounts.attach(copy).seen().at(5)).toBe(3);
  });
});
