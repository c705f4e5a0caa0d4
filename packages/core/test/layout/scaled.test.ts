import fc from 'fast-check';
import { hdrLayout } from '../../src/layout/hdr.ts';
import { fromTicks, resolutionOf, scaledLayout } from '../../src/layout/scaled.ts';
import { expectRefused } from '../support/refused.ts';

const STEPS: readonly (readonly [step: number, ticksPerUnit: number, unitsPerTick: number])[] = [
  [1e-9, 1e9, 1],
  [1e-6, 1e6, 1],
  [1e-3, 1000, 1],
  [0.1, 10, 1],
  [2 ** -10, 1024, 1],
  [1, 1, 1],
  [60, 1, 60],
  [1024, 1, 1024],
];

describe('a resolution', () => {
  test.each(STEPS)('of %d is %d ticks in a unit, %d units in a tick', (step, ticksPerUnit, unitsPerTick) => {
    expect(resolutionOf(step)).toEqual({ ticksPerUnit, unitsPerTick });
  });

  test('gives ticks back as the decimal that a person means', () => {
    const nanoseconds = resolutionOf(1e-9);
    expect(fromTicks(nanoseconds, 1_500_000_000)).toBe(1.5);
    expect(fromTicks(nanoseconds, 3)).toBe(3e-9);
    expect(fromTicks(nanoseconds, 1_234_567)).toBe(0.001234567);
    expect(fromTicks(resolutionOf(1024), 3)).toBe(3072);
  });

  test('of a power of ten reads back every tick from its decimal', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 9 }), fc.nat(1e9), (exponent, ticks) => {
        const decimal = Number(`${ticks}e-${exponent}`);
        expect(fromTicks(resolutionOf(Number(`1e-${exponent}`)), ticks)).toBe(decimal);
      }),
    );
  });
});

describe('a step', () => {
  test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, 1e-309, '1' as never])(
    'of %p is refused',
    (step) => {
      expectRefused(() => resolutionOf(step), 'ERR_INVALID_OPTION');
    },
  );
});

describe('a scaled layout', () => {
  const ticks = hdrLayout({ highestTrackableValue: 3_600_000_000_000, significantDigits: 3 });
  const seconds = scaledLayout(ticks, resolutionOf(1e-9));

  test('has the slots of the layout of ticks, with bounds in the unit', () => {
    expect([seconds.kind, seconds.slotCount]).toEqual(['hdr', ticks.slotCount]);
    expect([seconds.lowerInclusive, seconds.upperInclusive]).toEqual([true, true]);
    const slot = seconds.slotOf(1e-5); // 10,000 ns, in steps of 8
    expect([seconds.lower(slot), seconds.midpoint(slot), seconds.upper(slot)]).toEqual([
      1e-5, 1.0004e-5, 1.0007e-5,
    ]);
  });

  test('takes a value between two ticks for the nearer one', () => {
    expect([1.4e-9, 1.6e-9, 2.4e-9].map((value) => seconds.slotOf(value))).toEqual([1, 2, 2]);
  });

  test('finds the slot of every tick from its value in the unit', () => {
    const steps = fc.constantFrom(...STEPS.map(([step]) => step));
    fc.assert(
      fc.property(steps, fc.nat(3_600_000_000_000), (step, tick) => {
        const resolution = resolutionOf(step);
        expect(scaledLayout(ticks, resolution).slotOf(fromTicks(resolution, tick))).toBe(ticks.slotOf(tick));
      }),
      { numRuns: 1000 },
    );
  });

  test('finds a slot again from its bounds and its middle', () => {
    for (let slot = 0; slot < ticks.slotCount; slot++) {
      const found = [seconds.lower(slot), seconds.midpoint(slot), seconds.upper(slot)].map((v) =>
        seconds.slotOf(v),
      );
      if (found.some((one) => one !== slot)) expect(found).toEqual([slot, slot, slot]);
    }
  });
});
