import { countedIn, Histogram, hdrLayout } from '@hdrscope/core';
import { FakeClock } from '@hdrscope/testing/fake-clock';
import { expectRefused, refusalOf } from '@hdrscope/testing/refusals';
import fc from 'fast-check';
import { Family } from '../src/family.ts';
import { createRegistry, type FamilyOptions, type RejectedCounts, type Series } from '../src/index.ts';
import { ticks } from './support/arbitraries.ts';
import { slotsOf } from './support/state.ts';

const NONE_REJECTED: RejectedCounts = { notANumber: 0, negative: 0, tooLarge: 0, largest: 0, overflowing: 0 };

function family(options: Partial<FamilyOptions> = {}, clock = new FakeClock()): Family {
  return new Family({ name: 'x', ...options }, clock);
}

function series(options: Partial<FamilyOptions> = {}): Series {
  return family(options).with({});
}

const RESOLUTIONS = [1e-9, 1e-6, 1e-3, 0.25, 1, 10, 1024];

test('counts a value at the nearest tick of its resolution', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...RESOLUTIONS),
      ticks,
      fc.double({ min: -0.49, max: 0.49, noNaN: true }),
      (resolution, tick, fraction) => {
        // Above that, a value may lose half a tick when it is scaled to its unit and back.
        fc.pre(tick <= 2 ** 50);
        // Above 2^40 a double has no room for the fraction.
        const value = Math.max(0, tick < 2 ** 40 ? tick + fraction : tick) * resolution;
        const counted = family({ resolution, significantDigits: 5 });
        expect(counted.with({}).record(value)).toBe(true);
        const { histogram } = counted.with({}).snapshot();
        expect(slotsOf(histogram)).toEqual([[counted.layout.slotOf(tick), 1]]);
      },
    ),
  );
});

test('rounds as Math.round does, at halves and their neighbours too', () => {
  const halves = fc.nat({ max: 2 ** 31 + 9 }).map((tick) => tick + 0.5);
  const neighbours = fc.tuple(halves, fc.constantFrom(-1, 0, 1)).map(([half, step]) => {
    const bits = new Float64Array([half]);
    new BigInt64Array(bits.buffer)[0]! += BigInt(step);
    return bits[0]!;
  });
  fc.assert(
    fc.property(
      fc.oneof(neighbours, fc.constantFrom(0.5 - 2 ** -54, 0.5, 2 ** 31 - 0.5, 2 ** 31 - 1)),
      (value) => {
        const counted = family({ resolution: 1, significantDigits: 5 });
        counted.with({}).record(value);
        const { histogram } = counted.with({}).snapshot();
        expect(slotsOf(histogram)).toEqual([[counted.layout.slotOf(Math.round(value)), 1]]);
      },
    ),
  );
});

test.each([
  ['s', 0.000_000_000_4, 0],
  ['s', 0.000_000_000_5, 1],
  ['s', 0.1, 100_000_000],
  ['s', 0.3, 300_000_000],
  ['ms', 0.1, 100_000],
  ['By', 2.5, 3],
  ['By', 2.499, 2],
  ['1', 0.123_456_7, 123_457],
  ['', 1.0005, 1001],
])('in unit "%s", %d is tick %d', (unit, value, tick) => {
  const { layout } = family({ unit, significantDigits: 5 });
  const one = series({ unit, significantDigits: 5 });
  one.record(value);
  expect(slotsOf(one.snapshot().histogram)).toEqual([[layout.slotOf(tick), 1]]);
});

test('keeps sum, minimum and maximum of recorded values exactly', () => {
  const value = fc.double({ min: 0, max: 1e6, noNaN: true });
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 50 }), (values) => {
      const one = series({ unit: 's' });
      for (const each of values) one.record(each);
      const { sum, min, max, histogram, rejected } = one.snapshot();
      expect(histogram.totalCount).toBe(values.length);
      expect(sum).toBe(values.reduce((left, right) => left + right, 0));
      expect(min + 0).toBe(Math.min(...values) + 0);
      expect(max + 0).toBe(Math.max(...values) + 0);
      expect(rejected).toEqual(NONE_REJECTED);
    }),
  );
});

test('a series that counted nothing has minimum and maximum 0', () => {
  expect(series().snapshot()).toMatchObject({ sum: 0, min: 0, max: 0, rejected: NONE_REJECTED });
});

test('counts -0 as 0', () => {
  const one = series();
  expect(one.record(-0)).toBe(true);
  const { sum, min, max, rejected } = one.snapshot();
  expect([sum, min, max]).toStrictEqual([0, 0, 0]);
  expect(rejected).toEqual(NONE_REJECTED);
});

test.each<[what: string, value: unknown, rejected: Partial<RejectedCounts>]>([
  ['NaN', Number.NaN, { notANumber: 1 }],
  ['a string', '5', { notANumber: 1 }],
  ['a bigint', 5n, { notANumber: 1 }],
  ['undefined', undefined, { notANumber: 1 }],
  ['null', null, { notANumber: 1 }],
  ['true', true, { notANumber: 1 }],
  ['a symbol', Symbol('5'), { notANumber: 1 }],
  ['an object', { valueOf: () => 5 }, { notANumber: 1 }],
  ['an object that is no primitive', Object.create(null), { notANumber: 1 }],
  ['a negative number', -1, { negative: 1 }],
  ['the least negative number', -Number.MIN_VALUE, { negative: 1 }],
  ['-Infinity', Number.NEGATIVE_INFINITY, { negative: 1 }],
  ['Infinity', Number.POSITIVE_INFINITY, { tooLarge: 1, largest: Number.POSITIVE_INFINITY }],
  ['what has too many ticks', 1e7, { tooLarge: 1, largest: 1e7 }],
])('tallies %s instead of counting it, and does not throw', (_, value, rejected) => {
  const one = series({ unit: 's' });
  one.record(0.5);
  expect(one.record(value as number)).toBe(false);
  expect(one.snapshot()).toMatchObject({
    sum: 0.5,
    min: 0.5,
    max: 0.5,
    rejected: { ...NONE_REJECTED, ...rejected },
  });
  expect(one.snapshot().histogram.totalCount).toBe(1);
  expect(one.record(0.5)).toBe(true);
});

test('keeps the largest of the values that were too large', () => {
  const one = series({ unit: 's' });
  for (const value of [1e7, 3e8, 2e7]) one.record(value);
  expect(one.snapshot().rejected).toEqual({ ...NONE_REJECTED, tooLarge: 3, largest: 3e8 });
});

test('counts up to the last tick that is exact, and not one more', () => {
  const one = series({ resolution: 1 });
  expect(one.record(Number.MAX_SAFE_INTEGER)).toBe(true);
  expect(one.record(Number.MAX_SAFE_INTEGER + 1)).toBe(false);
  expect(one.snapshot()).toMatchObject({
    max: Number.MAX_SAFE_INTEGER,
    rejected: { tooLarge: 1, largest: 2 ** 53 },
  });
});

describe('near the largest count', () => {
  /** A series that has room for `room` more values. */
  function almostFull(room: number): { one: Series; full: Histogram } {
    const counted = family({ resolution: 1 });
    const full = new Histogram({ layout: counted.layout, storage: 'sparse' });
    full.record(7, Number.MAX_SAFE_INTEGER - room);
    const one = counted.with({});
    one.add(full);
    return { one, full };
  }

  test('a record that would not be exact is tallied', () => {
    const { one } = almostFull(1);
    expect(one.record(3)).toBe(true);
    expect(one.record(3)).toBe(false);
    expect(one.record(9)).toBe(false);
    const { histogram, min, max, rejected } = one.snapshot();
    expect(histogram.totalCount).toBe(Number.MAX_SAFE_INTEGER);
    expect([min, max]).toEqual([3, 7]);
    expect(rejected).toEqual({ ...NONE_REJECTED, overflowing: 2 });
  });

  test('a merge that would not be exact is refused as a whole', () => {
    const { one } = almostFull(1);
    const two = new Histogram({ layout: hdrLayout({ highestTrackableValue: 1000, significantDigits: 2 }) });
    two.record(1);
    two.record(900);
    const before = one.snapshot();
    expectRefused(() => one.add(two), 'ERR_COUNT_OVERFLOW');
    expect(one.snapshot()).toEqual(before);
  });

  test('counts that would not be exact are refused as a whole', () => {
    const { one } = almostFull(1);
    const layout = hdrLayout({ highestTrackableValue: 1000, significantDigits: 2 });
    const before = one.snapshot();
    expectRefused(
      () => one.add(countedIn(layout, new Array(layout.slotCount).fill(1))),
      'ERR_COUNT_OVERFLOW',
    );
    expect(one.snapshot()).toEqual(before);
  });
});

describe('a timer', () => {
  test.each([
    ['s', 0.25],
    ['ms', 250],
    ['us', 250_000],
    ['ns', 250_000_000],
    ['min', 0.25 / 60],
    ['h', 0.25 / 3600],
  ])('records the time that passed, in %s', (unit, elapsed) => {
    const clock = new FakeClock();
    const counted = family({ unit }, clock);
    const stop = counted.with({}).startTimer();
    clock.advance(250);
    const measured = stop();
    expect(measured / elapsed).toBeCloseTo(1, 14);
    const { sum, histogram } = counted.with({}).snapshot();
    expect(sum).toBe(measured);
    expect(slotsOf(histogram)).toEqual([[counted.layout.slotOf(250_000_000), 1]]);
  });

  test('is not disturbed by a wall clock that is set', () => {
    const clock = new FakeClock();
    const stop = family({ unit: 's' }, clock).with({}).startTimer();
    clock.advance(2000);
    clock.setWallClock(0);
    expect(stop()).toBe(2);
  });

  test('records at every stop, from the same start', () => {
    const clock = new FakeClock();
    const one = family({ unit: 'ms' }, clock).with({});
    const stop = one.startTimer();
    clock.advance(10);
    stop();
    clock.advance(10);
    stop();
    expect(one.snapshot()).toMatchObject({ min: 10, max: 20 });
  });

  test('runs beside others', () => {
    const clock = new FakeClock();
    const one = family({ unit: 'ms' }, clock).with({});
    const stopFirst = one.startTimer();
    clock.advance(5);
    const stopSecond = one.startTimer();
    clock.advance(5);
    expect([stopFirst(), stopSecond()]).toEqual([10, 5]);
  });

  test('of a family records under the attributes of its start and its end, which win', () => {
    const clock = new FakeClock();
    const counted = family({ unit: 'ms' }, clock);
    const stop = counted.startTimer({ route: '/', status: 0 });
    expect(counted.snapshot().series).toEqual([]);
    clock.advance(5);
    expect(stop({ status: 200 })).toBe(5);
    clock.advance(5);
    expect(stop()).toBe(10);
    expect(counted.startTimer()()).toBe(0);
    const found = counted.snapshot().series.map(({ attributes, sum }) => [attributes, sum]);
    expect(found).toEqual([
      [{ route: '/', status: 200 }, 5],
      [{ route: '/', status: 0 }, 10],
      [{}, 0],
    ]);
  });

  test.each(['By', '', '1', '{request}', 'constructor'])('is refused for the unit "%s"', (unit) => {
    for (const start of [
      () => series({ unit, resolution: 1 }).startTimer(),
      () => family({ unit, resolution: 1 }).startTimer(),
    ]) {
      const refusal = refusalOf(start);
      expect(refusal.code).toBe('ERR_INVALID_OPTION');
      expect(refusal.message).toContain('unit of time');
    }
  });

  test('uses the clock of the runtime by default', () => {
    const one = createRegistry().histogram({ name: 'x', unit: 's' }).with({});
    expect(one.startTimer()()).toBeGreaterThanOrEqual(0);
    expect(one.snapshot().histogram.totalCount).toBe(1);
  });
});

test('a snapshot stays as it is, whatever is recorded later', () => {
  const one = series();
  one.record(1);
  one.record(-1);
  const snapshot = one.snapshot();
  const before = JSON.stringify([snapshot, slotsOf(snapshot.histogram)]);
  for (const value of [0, 1, 500, -1, Number.NaN]) one.record(value);
  one.add(one.snapshot().histogram);
  expect(JSON.stringify([snapshot, slotsOf(snapshot.histogram)])).toBe(before);
});

test('a snapshot cannot be changed', () => {
  const snapshot = family()
    .with({ a: [1] })
    .snapshot();
  for (const part of [snapshot, snapshot.attributes, snapshot.attributes.a, snapshot.rejected]) {
    expect(Object.isFrozen(part)).toBe(true);
  }
});
