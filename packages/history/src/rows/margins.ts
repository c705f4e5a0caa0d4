import type { Bounds } from '@hdrscope/core';
import { fromTicks, resolutionOf } from '@hdrscope/core/internal';
import { assertRow, type Distribution, type Margins } from './row.ts';
import { LAST_TICK } from './slots.ts';

export const NO_MARGINS: Margins = { sumBelow: 0, sumAbove: 0, minAbove: 0, maxBelow: 0 };

/** Margins as a property of a row, which has none where all facts are exact. */
export function marginsProperty(margins: Margins): Pick<Distribution, 'margins'> {
  const { sumBelow, sumAbove, minAbove, maxBelow } = margins;
  return sumBelow + sumAbove + minAbove + maxBelow === 0 ? {} : { margins };
}

/** The margins of the sum of some rows with values. */
export function mergedMargins(
  rows: readonly Pick<Distribution, 'min' | 'max' | 'margins'>[],
  { min, max }: Pick<Distribution, 'min' | 'max'>,
): Margins {
  let [sumBelow, sumAbove, least, most] = [0, 0, Number.POSITIVE_INFINITY, 0];
  for (const { margins = NO_MARGINS, ...row } of rows) {
    sumBelow += margins.sumBelow;
    sumAbove += margins.sumAbove;
    least = Math.min(least, row.min + margins.minAbove);
    most = Math.max(most, row.max - margins.maxBelow);
  }
  return rows.length === 0 ? NO_MARGINS : { sumBelow, sumAbove, minAbove: least - min, maxBelow: max - most };
}

/** Bounds of figures of a distribution, in the unit. The true ones lie between them. */
export interface FigureBounds {
  /** The mean. Both ends are equal where the sum is known. */
  readonly mean: Bounds;
  /** The smallest value. */
  readonly min: Bounds;
  /** The largest value. The upper end is infinite where it lies in a bucket without an end. */
  readonly max: Bounds;
}

/**
 * The bounds of the mean, the smallest and the largest value. All of them are 0 when the distribution has no values.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the distribution is not an object.
 * @example
 * ```ts
 * import { figureBounds } from '@hdrscope/history';
 *
 * // Three values between 1 and 4.
 * const margins = { sumBelow: 4.5, sumAbove: 4.5, minAbove: 3, maxBelow: 3 };
 * figureBounds({ scale: 1, count: 3, sum: 7.5, min: 1, max: 4, margins }).mean; //=> { lower: 1, upper: 4 }
 * ```
 */
export function figureBounds(
  row: Pick<Distribution, 'scale' | 'count' | 'sum' | 'min' | 'max' | 'margins'>,
): FigureBounds {
  assertRow(row);
  const { scale, count, sum, min, max, margins = NO_MARGINS } = row;
  const resolution = resolutionOf(scale);
  const inUnit = (lower: number, upper: number): Bounds => ({
    lower: fromTicks(resolution, lower),
    upper: upper === Number.POSITIVE_INFINITY ? upper : fromTicks(resolution, upper),
  });
  const { sumBelow, sumAbove, minAbove, maxBelow } = margins;
  const most = max === LAST_TICK && maxBelow > 0 ? Number.POSITIVE_INFINITY : max;
  const mean = count === 0 ? 0 : sum / count;
  const isExact = count === 0 || sumBelow + sumAbove === 0;
  return {
    mean: isExact
      ? inUnit(mean, mean)
      : inUnit(
          Math.min(mean, Math.max(min, (sum - sumBelow) / count)),
          Math.max(mean, Math.min(most, (sum + sumAbove) / count)),
        ),
    min: inUnit(min, min + minAbove),
    max: inUnit(max - maxBelow, most),
  };
}
