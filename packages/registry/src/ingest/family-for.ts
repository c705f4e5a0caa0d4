import {
  type Counted,
  type EdgeLayout,
  type ExponentialLayout,
  type IntegerLayout,
  type Layout,
  type Resolution,
  rebucket,
} from '@hdrscope/core';
import {
  exponentialBound,
  fromTicks,
  hdrFit,
  integerLayout,
  isExponentialLayout,
  isHdrLayout,
  resolutionOf,
  type ScaledLayout,
  unitBoundaries,
  usedSlots,
} from '@hdrscope/core/internal';
import type { Family } from '../family.ts';
import { assertSameCounting, defaultResolution, type FamilyOptions } from '../family-options.ts';
import type { Registry } from '../registry.ts';

/**
 * The family of a reading: the registered family of its name and scope, or a new one. Options that the reading leaves
 * out suit the layout of the first reading:
 *
 * - Integer slots in a unit get the fewest digits that keep them apart, and their bounds as boundaries.
 * - Explicit bounds get a resolution of which all bounds are multiples, and the bounds as boundaries.
 * - Exponential buckets get 3 digits, and a resolution well below their smallest value.
 *
 * @param layout The layout of the reading. Left out, the counts are in ticks and no option is chosen.
 * @throws HdrscopeError `ERR_ALREADY_REGISTERED` when the registered family has another unit or, for counts in ticks,
 *   another resolution or number of digits; `ERR_INVALID_OPTION` when the family cannot be made.
 */
export function familyFor(registry: Registry, options: FamilyOptions, layout?: Layout): Family {
  const known = registry.family(options);
  const { name, unit = '', resolution, significantDigits } = options;
  if (known === undefined)
    return registry.histogram({ ...suitableOptions(unit, layout), ...defined(options) });
  // Values in the unit can be added whatever the ticks are.
  const isInTicks = layout === undefined || isHdrLayout(layout);
  assertSameCounting(known, { name, unit, ...(isInTicks && { resolution, significantDigits }) });
  return known;
}

/**
 * How many counts the slots of a family do not keep where they belong: integer slots that it does not keep apart, other slots that
 * reach beyond one of its slots, so that their values may lie in a neighbouring one, and counts that were moved from wider slots before.
 *
 * @param straddling How many are in slots that reach beyond those of the family, of any layout but an HDR layout.
 */
export function inexactCount(
  { layout: own }: Pick<Family, 'layout'>,
  { layout, counts, placedFrom }: Counted,
  straddling: number,
): number {
  if (placedFrom !== undefined && placedFrom.length > 0) return counts.total;
  if (isScaledInteger(layout)) {
    const fit = hdrFit(layout.inTicks);
    return fit.isExact && fit.significantDigits <= own.significantDigits ? 0 : counts.total;
  }
  if (!isHdrLayout(layout)) return straddling;
  if (own.contains(layout)) return 0;
  const plan = rebucket(layout, own);
  let inexact = 0;
  for (const [slot, count] of usedSlots(counts)) if (plan.straddles(slot)) inexact += count;
  return inexact;
}

function defined<T extends object>(options: T): T {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T;
}

type SuitableOptions = Pick<FamilyOptions, 'resolution' | 'significantDigits' | 'boundaries'>;

function suitableOptions(unit: string, layout: Layout | undefined): SuitableOptions {
  if (layout === undefined) return {};
  if (isHdrLayout(layout)) return { significantDigits: layout.significantDigits };
  if (isScaledInteger(layout)) return optionsForIntegers(layout);
  if (isExponentialLayout(layout)) {
    return { resolution: resolutionForRange(unit, layout), significantDigits: EXPONENTIAL_DIGITS };
  }
  return 'edges' in layout ? optionsForBounds(unit, (layout as EdgeLayout).edges) : {};
}

function isScaledInteger(layout: Layout): layout is ScaledLayout<IntegerLayout> {
  return 'inTicks' in layout && 'bounds' in (layout as ScaledLayout).inTicks;
}

// 3 digits keep exponential buckets up to scale 9 apart. All buckets of a finer scale together span less than a
// factor of 1.25.
const EXPONENTIAL_DIGITS = 3;
// Most explicit buckets need fewer digits, but other senders of the same metric may have finer buckets.
const FEWEST_DIGITS = 2;

function optionsForIntegers({ inTicks, resolution }: ScaledLayout<IntegerLayout>): SuitableOptions {
  return {
    resolution: fromTicks(resolution, 1),
    significantDigits: hdrFit(inTicks).significantDigits,
    boundaries: unitBoundaries(inTicks, resolution),
  };
}

function optionsForBounds(unit: string, bounds: readonly number[]): SuitableOptions {
  const boundaries = bounds.filter((bound) => bound >= 0);
  const resolution = resolutionForBounds(unit, boundaries);
  return { resolution, significantDigits: digitsForBounds(boundaries, resolution), boundaries };
}

const MAX_TICKS = Number.MAX_SAFE_INTEGER;
// The factor by which later values may be larger than those of the first reading.
const HEADROOM = 1000;
// The number of ticks that the smallest value should have, so that it keeps its digits.
const TICKS_OF_SMALLEST = 1000;

/** The default of the unit; or a finer resolution for small values, when the unit does not say what is counted. */
function resolutionForRange(unit: string, { scale, minIndex, maxIndex }: ExponentialLayout): number {
  const usual = defaultResolution(unit);
  const isKnownUnit = unit !== '1' && usual !== defaultResolution('');
  if (isKnownUnit) return usual;
  const smallest = exponentialBound(scale, minIndex);
  const largest = exponentialBound(scale, maxIndex + 1);
  return refinedResolution(usual, largest, (resolution) => smallest / resolution >= TICKS_OF_SMALLEST);
}

/** The default of the unit, or a finer resolution of which all bounds are multiples. */
function resolutionForBounds(unit: string, bounds: readonly number[]): number {
  return refinedResolution(defaultResolution(unit), bounds.at(-1) ?? 0, (resolution) => {
    const step = resolutionOf(resolution);
    return bounds.every((bound) => fromTicks(step, ticksOf(bound, step)) === bound);
  });
}

/**
 * A tenth of a resolution, a hundredth and so on, until it is fine enough. `usual` when that leaves no headroom above
 * `largest`.
 */
function refinedResolution(usual: number, largest: number, isFine: (resolution: number) => boolean): number {
  let resolution = usual;
  while (!isFine(resolution)) {
    const finer = resolution / 10;
    if (!(finer > 0) || largest / finer > MAX_TICKS / HEADROOM) return usual;
    resolution = finer;
  }
  return resolution;
}

function digitsForBounds(bounds: readonly number[], resolution: number): number {
  const step = resolutionOf(resolution);
  const ticks = new Set(bounds.map((bound) => ticksOf(bound, step)).filter((tick) => tick < MAX_TICKS));
  // A bound above all others closes the last slot. The middle of an open slot would be its lower bound.
  const layout = integerLayout([...ticks, MAX_TICKS], 0);
  return Math.max(FEWEST_DIGITS, hdrFit(layout).significantDigits);
}

function ticksOf(value: number, { ticksPerUnit, unitsPerTick }: Resolution): number {
  return Math.round((value * ticksPerUnit) / unitsPerTick);
}
