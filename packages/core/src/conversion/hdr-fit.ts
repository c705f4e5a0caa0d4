import { type HdrLayout, hdrLayout } from '../layout/hdr.ts';
import type { IntegerLayout } from '../layout/integer.ts';
import { fromTicks, type Resolution } from '../layout/scaled.ts';

/** The digits with which an HDR layout keeps the slots of another layout apart. */
export interface HdrFit {
  /** The fewest sufficient digits, or 5 when no digits suffice. */
  readonly significantDigits: number;
  /** Whether the digits suffice. Single integers above 262,143, for example, are too narrow for 5 digits. */
  readonly isExact: boolean;
}

const MOST_DIGITS = 5;
const HIGHEST = Number.MAX_SAFE_INTEGER;

const fits = new WeakMap<IntegerLayout, HdrFit>();

/**
 * The fewest digits with which every slot up to 2^53 − 1 has HDR slots of its own. Floor-log2 slots need 0 digits, as the slots of
 * 0 digits are the same ones. Slots that end at powers of two need 1, single integers up to 255 need 2, and up to 2047 need 3.
 *
 * @example
 * ```ts
 * import { hdrFit, integerLayout } from '@hdrscope/core/internal';
 *
 * hdrFit(integerLayout([0, 1, 4, 8, 16, 32, 64], 0)); //=> { significantDigits: 1, isExact: true }
 * ```
 */
export function hdrFit(layout: IntegerLayout): HdrFit {
  const known = fits.get(layout);
  if (known !== undefined) return known;
  const fit = computedFit(layout);
  fits.set(layout, fit);
  return fit;
}

// OpenTelemetry's exponential histograms have as many buckets. Every boundary is a line of text for each series.
const MOST_BOUNDARIES = 160;

/**
 * The bounds of a layout in a unit, from 0 to 2^53 − 1: boundaries of explicit buckets without an error. When there are more than
 * 160 bounds, only every second, fourth or eighth of them, and so on, is a boundary.
 *
 * @example
 * ```ts
 * import { integerLayout, resolutionOf, unitBoundaries } from '@hdrscope/core/internal';
 *
 * const microseconds = integerLayout([0, 1023, 2047], 0);
 * unitBoundaries(microseconds, resolutionOf(1e-6)); //=> [0, 0.001023, 0.002047]
 * ```
 */
export function unitBoundaries({ bounds }: IntegerLayout, resolution: Resolution): number[] {
  const countable = bounds.filter((bound) => bound >= 0 && bound <= HIGHEST);
  let stride = 1;
  while (countable.length / stride > MOST_BOUNDARIES) stride *= 2;
  return countable.filter((_, i) => (i + 1) % stride === 0).map((bound) => fromTicks(resolution, bound));
}

function computedFit(layout: IntegerLayout): HdrFit {
  for (let significantDigits = 0; significantDigits <= MOST_DIGITS; significantDigits++) {
    const hdr = hdrLayout({ highestTrackableValue: HIGHEST, significantDigits });
    if (keepsApart(hdr, layout)) return { significantDigits, isExact: true };
  }
  return { significantDigits: MOST_DIGITS, isExact: false };
}

function keepsApart(hdr: HdrLayout, layout: IntegerLayout): boolean {
  for (let slot = 0; slot < layout.slotCount; slot++) {
    const [lower, upper, middle] = [layout.lower(slot), layout.upper(slot), layout.midpoint(slot)];
    if (middle < 0 || middle > HIGHEST) continue;
    const target = hdr.slotOf(middle);
    // An open slot counts at its bound, and its HDR slot may reach beyond the bound: the middle of the HDR slot decides.
    const isKept = Number.isFinite(upper - lower)
      ? hdr.lower(target) >= lower && hdr.upper(target) <= upper
      : layout.slotOf(hdr.midpoint(target)) === slot;
    if (!isKept) return false;
  }
  return true;
}
