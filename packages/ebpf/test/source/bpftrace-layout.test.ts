import { bpftraceHistLayout, bpftraceLhistLayout } from '../../src/index.ts';
import { learnLayout, type PrintedBucket } from '../../src/source/bpftrace-output.ts';

function bucket(min: number, max: number): PrintedBucket {
  return { min, max, isCapped: false, count: 1 };
}

const { POSITIVE_INFINITY: UP, NEGATIVE_INFINITY: DOWN } = Number;

test.each([0, 1, 2, 3, 4, 5])('finds hist(n, %i) from any of its wide buckets', (k) => {
  const { slots } = bpftraceHistLayout(k);
  for (let slot = 1; slot < slots.slotCount - 1; slot += slot < 70 ? 1 : 37) {
    const [min, max] = [slots.lower(slot), slots.upper(slot)];
    if (max - min === 0 || min >= 2 ** 63) continue;
    // As JSON.parse reads what bpftrace prints.
    const printed = max > 2 ** 53 ? slots.lower(slot + 1) : max;
    const learnt = learnLayout('@h', [bucket(min, printed)]);
    expect(learnt.slots.bounds.join()).toBe(slots.bounds.join());
  }
});

test('takes the coarsest hist() when several fit', () => {
  expect(learnLayout('@h', [bucket(DOWN, -1), bucket(0, 0), bucket(1, 1)]).slots.bounds).toEqual(
    bpftraceHistLayout(0).slots.bounds,
  );
  expect(learnLayout('@h', [bucket(9, 9)]).slots.bounds).toEqual(bpftraceHistLayout(3).slots.bounds);
});

test('a hist() of bpftrace 0.17 is open from 2^31 on', () => {
  const top = { min: 2 ** 31, max: UP, isCapped: true, count: 1 };
  const { slots } = learnLayout('@h', [bucket(256, 511), top]);
  expect([slots.lower(slots.slotCount - 1), slots.upper(slots.slotCount - 1)]).toEqual([2 ** 31, UP]);
  expect(slots.lower(slots.slotOf(300))).toBe(256);
});

test('an lhist() with both ends printed has the layout of its script', () => {
  const ends = [bucket(DOWN, 4), bucket(50, 58), bucket(100, UP)];
  expect(learnLayout('@l', ends).slots.bounds).toEqual(
    bpftraceLhistLayout({ min: 5, max: 100, step: 9 }).slots.bounds,
  );
});

test.each([
  ['its middle', [bucket(50, 58)], 5, 50],
  ['its lower end', [bucket(DOWN, 4), bucket(50, 58)], 5, 50],
  ['its upper end', [bucket(50, 58), bucket(100, UP)], 5, 50],
  ['steps of 1', [bucket(70, 70), bucket(71, 71)], 0, 70],
])('an lhist() with only %s printed has slots for all integers', (_, printed, lowest, min) => {
  const { slots } = learnLayout('@l', printed);
  expect(slots.lower(1)).toBe(lowest);
  expect(slots.lower(slots.slotOf(min))).toBe(min);
  expect(slots.lower(0)).toBe(DOWN);
});

test('an lhist() with only an end printed has its bound', () => {
  expect(learnLayout('@l', [bucket(100, UP)]).slots.bounds).toEqual([99]);
  expect(learnLayout('@l', [bucket(DOWN, 4)]).slots.bounds).toEqual([4]);
});

test('refuses buckets of several histograms', () => {
  expect(() => learnLayout('@x', [bucket(10, 19), bucket(20, 39)])).toThrow(
    '@x must have the buckets of one hist() or one lhist(), and has buckets of several: use a variable for each',
  );
});
