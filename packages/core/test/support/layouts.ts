import fc from 'fast-check';
import { decimalLayout } from '../../src/layout/decimal.ts';
import { explicitLayout } from '../../src/layout/edges.ts';
import { exponentialLayout } from '../../src/layout/exponential.ts';
import { hdrLayout } from '../../src/layout/hdr.ts';
import type { Layout } from '../../src/layout/layout.ts';
import { linearLayout } from '../../src/layout/linear.ts';
import { logLinearLayout } from '../../src/layout/log-linear.ts';
import { log2Layout } from '../../src/layout/log2.ts';
import { resolutionOf, scaledLayout } from '../../src/layout/scaled.ts';

const inclusive = fc.constantFrom('lower' as const, 'upper' as const);

export const hdr: fc.Arbitrary<Layout> = fc
  .record({ digits: fc.nat(2), unit: fc.nat(8), highest: fc.integer({ min: 1000, max: 1e5 }) })
  .map(({ digits, unit, highest }) =>
    hdrLayout({
      lowestDiscernibleValue: 2 ** unit,
      highestTrackableValue: highest,
      significantDigits: digits,
    }),
  );

const explicit = fc
  .tuple(fc.uniqueArray(fc.integer({ min: 0, max: 1e5 }), { maxLength: 12 }), inclusive)
  .map(([bounds, bound]) =>
    explicitLayout(
      bounds.sort((a, b) => a - b),
      bound,
    ),
  );

const linear = fc
  .record({
    min: fc.nat(1000),
    width: fc.integer({ min: 1, max: 1e5 }),
    slots: fc.integer({ min: 1, max: 40 }),
    inclusive,
  })
  .map(linearLayout);

const log2 = fc
  .record({
    min: fc.nat(100),
    quantum: fc.integer({ min: 1, max: 1000 }),
    slots: fc.integer({ min: 1, max: 24 }),
    inclusive,
  })
  .map(log2Layout);

const logLinear = fc
  .record({
    min: fc.nat(100),
    quantum: fc.integer({ min: 1, max: 1000 }),
    subBucketsPerOctave: fc.integer({ min: 1, max: 12 }),
    octaves: fc.nat(12),
    inclusive,
  })
  .map(logLinearLayout);

const decimal = fc
  .record({
    digits: fc.constantFrom(1, 2),
    lowestPower: fc.integer({ min: -3, max: 2 }),
    decades: fc.integer({ min: 1, max: 4 }),
    inclusive,
  })
  .map(decimalLayout);

const exponential = fc
  .record({
    scale: fc.integer({ min: -2, max: 4 }),
    from: fc.integer({ min: -2, max: 4 }),
    to: fc.integer({ min: 5, max: 24 }),
  })
  .map(({ scale, from, to }) =>
    exponentialLayout({
      scale,
      minIndex: Math.floor(from * 2 ** scale),
      maxIndex: Math.ceil(to * 2 ** scale),
    }),
  );

/** HDR ticks of a quarter: their bounds are exact, and not integers. */
const scaled = hdr.map((ticks) => scaledLayout(ticks, resolutionOf(0.25)));

const OPEN = [explicit, linear, log2, logLinear, decimal, exponential] as const;

/** A layout of any kind for values from 0 to about a hundred thousand. */
export const layouts: fc.Arbitrary<Layout> = fc.oneof(hdr, ...OPEN, scaled);

/** The kinds that leave both ends open. */
export const openLayouts: fc.Arbitrary<Layout> = fc.oneof(...OPEN);
