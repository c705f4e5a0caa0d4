import { type HdrLayout, hdrLayout } from '../layout/hdr.ts';
import type { IntegerLayout } from '../layout/integer.ts';
import { fromTicks, type Resolution } from '../layout/scaled.ts';

/** What an HDR layout needs to keep the slots of another one apart. */
export interface HdrFit {
  /** The fewest decimal digits that do: from 0 to 5. */
  readonly significantDigits: number;
  /** Whether they do; with 5 digits that fails for single integers above 262,143, and other slots as narrow. */
  readonly isExact: boolean;
}

const MOST_DIGITS = 5;
const HIGHEST = Number.MAX_SAFE_INTEGER;

const fits = new WeakMap<IntegerLayout, HdrFit>();

/**
 * The fewest digits with which every slot up to 2^53 − 1 has HDR slots of its own: floor-log2 slots need none, as those of
 * 0 digits are the same; slots that end at powers of two 1; single integers up to 255 2, up to 2047 3.
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

// As many as OpenTelemetry's exponential histograms have buckets. Every boundary is a line of text for each series.
const MOST_BOUNDARIES = 160;

/**
 * The bounds of a layout in a unit, as far as they can be counted up to: boundaries of explicit buckets without an error.
 * Where there are more than 160, every second, fourth or eighth of them, and so on.
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
    // An open slot is counted at its bound, which its HDR slot may reach beyond: the middle of that decides.
    const isKept = Number.isFinite(upper - lower)
      ? hdr.lower(target) >= lower && hdr.upper(target) <= upper
      : layout.slotOf(hdr.midpoint(target)) === slot;
    if (!isKept) return false;
  }
  return true;
}
