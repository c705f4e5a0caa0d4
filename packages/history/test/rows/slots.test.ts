import { hdrLayout } from '@hdrscope/core';
import { caseCount } from '@hdrscope/testing/case-count';
import fc from 'fast-check';
import { slotBounds, slotOfTick } from '../../src/index.ts';

const digits = fc.integer({ min: 0, max: 5 });
// Integers of all magnitudes, and those beside powers of two.
const tick = fc.oneof(
  fc.maxSafeNat(),
  fc.integer({ min: 0, max: 2 ** 19 }),
  fc
    .tuple(fc.integer({ min: 0, max: 52 }), fc.integer({ min: -2, max: 2 }))
    .map(([power, offset]) => Math.max(0, 2 ** power + offset)),
);

function layoutOf(significantDigits: number) {
  return hdrLayout({ highestTrackableValue: Number.MAX_SAFE_INTEGER, significantDigits });
}

test('two ticks share a slot exactly when they share a slot of the HDR layout with the same precision', () => {
  fc.assert(
    fc.property(
      digits,
      tick,
      fc.oneof(tick, fc.integer({ min: -300, max: 300 })),
      (significantDigits, a, other) => {
        const layout = layoutOf(significantDigits);
        const bits = layout.subBucketBits - 1;
        const near = Math.min(Math.max(0, a + other), Number.MAX_SAFE_INTEGER);
        for (const b of [other < 0 ? near : other, near]) {
          expect(Math.sign(slotOfTick(a, bits) - slotOfTick(b, bits))).toBe(
            Math.sign(layout.slotOf(a) - layout.slotOf(b)),
          );
        }
      },
    ),
    { numRuns: caseCount(500, 2000) },
  );
});

test('the bounds of a slot are the lowest and the highest equivalent value of the HDR slot', () => {
  fc.assert(
    fc.property(digits, tick, (significantDigits, value) => {
      const layout = layoutOf(significantDigits);
      const bits = layout.subBucketBits - 1;
      const slot = layout.slotOf(value);
      expect(slotBounds(slotOfTick(value, bits), bits)).toEqual({
        lower: layout.lower(slot),
        upper: layout.upper(slot),
      });
    }),
    { numRuns: caseCount(500, 2000) },
  );
});

test('fewer bits are the same slot without its last bits', () => {
  fc.assert(
    fc.property(tick, fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 20 }), (value, a, b) => {
      const [few, many] = [Math.min(a, b), Math.max(a, b)];
      expect(slotOfTick(value, many) >> (many - few)).toBe(slotOfTick(value, few));
    }),
  );
});

test('every slot of every layout has a number, and numbers ascend with slots', () => {
  for (const significantDigits of [0, 1, 2]) {
    const layout = layoutOf(significantDigits);
    const bits = layout.subBucketBits - 1;
    let last = -1;
    let wrong: number | undefined;
    for (let slot = 0; slot < layout.slotCount; slot++) {
      const k = slotOfTick(layout.lower(slot), bits);
      const middle = slotOfTick(layout.lower(slot) + Math.floor((layout.size(slot) - 1) / 2), bits);
      if (k <= last || k !== middle) wrong ??= slot;
      last = k;
    }
    expect(wrong).toBeUndefined();
  }
});
