import fc from 'fast-check';
import { type AdviseOptions, advise } from '../../src/histogram/advise.ts';
import { Histogram } from '../../src/histogram/histogram.ts';
import { hdrLayout } from '../../src/layout/hdr.ts';
import { expectRefused } from '../support/refused.ts';

const HOUR = 3_600_000_000;

const options = fc
  .record({
    significantDigits: fc.nat(4),
    unit: fc.nat(20),
    reach: fc.integer({ min: 1, max: 30 }),
  })
  .map(({ significantDigits, unit, reach }) => ({
    significantDigits,
    lowestDiscernibleValue: 2 ** unit + (unit > 1 ? 1 : 0),
    highestTrackableValue: 2 ** (unit + reach) + 2 ** (unit + 1),
  }));

describe('advice on given digits', () => {
  test('has the bytes that a histogram takes', () => {
    fc.assert(
      fc.property(options, (given) => {
        const { denseBytes, sharedBytes, slotCount, options } = advise(given);
        const [dense, shared] = (['dense', 'shared'] as const).map(
          (storage) => new Histogram({ ...options, storage }),
        ) as [Histogram, Histogram];
        expect([dense.counts.length, dense.byteLength, shared.byteLength]).toEqual([
          slotCount,
          denseBytes,
          sharedBytes,
        ]);
      }),
      { numRuns: 50 },
    );
  });

  test('has the most bytes that sparse storage takes, which it takes when all slots are used', () => {
    for (const [highestTrackableValue, significantDigits] of [
      [1000, 2],
      [1e6, 2],
      [HOUR, 2],
      [HOUR, 3],
    ] as const) {
      const { sparseBytes, options } = advise({ highestTrackableValue, significantDigits });
      const histogram = new Histogram({ ...options, storage: 'sparse' });
      const { layout } = histogram;
      let most = 0;
      for (let slot = 0; slot < layout.slotCount; slot++) {
        histogram.record(layout.lower(slot), 2 ** 31 - 1);
        most = Math.max(most, histogram.byteLength);
      }
      expect(most).toBeLessThanOrEqual(sparseBytes);
      expect(histogram.byteLength).toBeGreaterThan(sparseBytes / 1.2);
    }
  });

  test('bounds the error of every value that is read as the bound or the midpoint of its slot', () => {
    fc.assert(
      fc.property(options, fc.double({ min: 0, max: 1, noNaN: true }), (given, share) => {
        const { worstRelativeError, unit, unitBelow } = advise(given);
        const layout = hdrLayout(given);
        const value = Math.floor(share * layout.largestValue);
        const slot = layout.slotOf(value);
        const [bound, midpoint] = [layout.upper(slot) - value, Math.abs(layout.midpoint(slot) - value)];
        if (value < unitBelow) expect([layout.size(slot), bound < unit]).toEqual([unit, true]);
        else expect(layout.size(slot)).toBeGreaterThan(unit);
        if (value >= unitBelow / 2) {
          expect(bound / value).toBeLessThanOrEqual(worstRelativeError.bound);
          expect(midpoint / value).toBeLessThanOrEqual(worstRelativeError.midpoint);
        } else if (unit === 1) expect([bound, midpoint]).toEqual([0, 0]);
      }),
      { numRuns: 1000 },
    );
  });

  test('has the largest errors that occur', () => {
    fc.assert(
      fc.property(options, (given) => {
        const { worstRelativeError, unitBelow } = advise(given);
        const layout = hdrLayout(given);
        const errors = { bound: 0, midpoint: 0 };
        for (let slot = layout.slotOf(unitBelow / 2); slot < layout.slotCount; slot++) {
          const value = layout.lower(slot);
          errors.bound = Math.max(errors.bound, (layout.upper(slot) - value) / value);
          errors.midpoint = Math.max(errors.midpoint, (layout.midpoint(slot) - value) / value);
        }
        expect(errors).toEqual(worstRelativeError);
      }),
      { numRuns: 50 },
    );
  });
});

describe('advice for a goal', () => {
  test('takes the fewest digits that keep to an error', () => {
    const digitsFor = (maxRelativeError: number): number =>
      advise({ highestTrackableValue: HOUR, maxRelativeError }).options.significantDigits;
    expect([2, 0.1, 0.01, 0.001, 0.0001, 0.00001].map(digitsFor)).toEqual([0, 1, 2, 3, 4, 5]);
  });

  test('takes the most digits that keep to a number of bytes', () => {
    for (let significantDigits = 0; significantDigits <= 5; significantDigits++) {
      const { denseBytes } = advise({ highestTrackableValue: HOUR, significantDigits });
      const best = advise({ highestTrackableValue: HOUR, maxBytes: denseBytes });
      expect(best.options.significantDigits).toBe(significantDigits);
      expect(best).toEqual(advise(best.options));
    }
  });

  test('keeps to both, where there is a way', () => {
    const both = advise({ highestTrackableValue: HOUR, maxRelativeError: 0.01, maxBytes: 1e5 });
    expect(both.options.significantDigits).toBe(2);
    const tooMuch = { highestTrackableValue: HOUR, maxRelativeError: 0.001, maxBytes: 1e4 };
    expectRefused(() => advise(tooMuch), 'ERR_INVALID_OPTION');
  });

  test('leaves out digits for which the unit is too large', () => {
    const given = { lowestDiscernibleValue: 2 ** 50, highestTrackableValue: 2n ** 60n, maxBytes: 1e9 };
    expect(advise(given).options.significantDigits).toBe(3);
  });

  test.each<[string, Partial<Record<keyof AdviseOptions, unknown>>]>([
    ['an error of 0', { maxRelativeError: 0 }],
    ['NaN as error', { maxRelativeError: Number.NaN }],
    ['no bytes', { maxBytes: 0 }],
    ['fewer bytes than any digits take', { maxBytes: 8 }],
    ['digits besides', { maxBytes: 1e6, significantDigits: 3 }],
    ['an error smaller than that of five digits', { maxRelativeError: 1e-9 }],
    ['half a digit', { significantDigits: 2.5 }],
    ['no range', { highestTrackableValue: undefined, maxBytes: 1e6 }],
  ])('refuses %s', (_what, given) => {
    expectRefused(
      () => advise({ highestTrackableValue: HOUR, ...given } as AdviseOptions),
      'ERR_INVALID_OPTION',
    );
  });
});
