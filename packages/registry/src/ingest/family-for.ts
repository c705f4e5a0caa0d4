import type { EdgeLayout, ExponentialLayout, Layout } from '@hdrscope/core';
import {
  exponentialBound,
  fromTicks,
  hdrFit,
  type IntegerLayout,
  integerLayout,
  isHdrLayout,
  type Resolution,
  resolutionOf,
  type ScaledLayout,
  unitBoundaries,
} from '@hdrscope/core/internal';
import { alreadyRegistered, defaultResolution, type Family, type FamilyOptions } from '../family.ts';
import type { Registry } from '../registry.ts';

/**
 * The family of a reading: the one of its name and scope, or a new one with options that suit the layout where the reading leaves them out.
 *
 * Integer slots in a unit get the fewest digits that keep them apart, and their bounds as boundaries. Explicit bounds get a resolution of
 * which all are multiples. Exponential buckets get 3 digits, and a resolution well below their smallest value.
 *
 * @param layout Left out, the family counts in ticks, and all options are known.
 * @throws HdrscopeError `ERR_ALREADY_REGISTERED` when the known family counts in another unit, or in other ticks than an HDR
 *   histogram; `ERR_INVALID_OPTION` when the family cannot be made.
 */
export function familyFor(registry: Registry, options: FamilyOptions, layout?: Layout): Family {
  const known = registry.family(options);
  if (known === undefined)
    return registry.histogram({ ...suited(options.unit ?? '', layout), ...defined(options) });
  const conflict = conflictOf(known, options, layout);
  if (conflict !== undefined) throw alreadyRegistered(options.name, conflict);
  return known;
}

/** Whether a family tells all slots of a layout apart. */
export function keepsApart({ layout: { significantDigits } }: Family, layout: Layout): boolean {
  if (!isInUnit(layout)) return true;
  const fit = hdrFit(layout.inTicks);
  return fit.isExact && fit.significantDigits <= significantDigits;
}

// The description, the boundaries and the limit of series are not in the way of adding counts.
function conflictOf(known: Family, options: FamilyOptions, layout: Layout | undefined): string | undefined {
  const { unit = '', resolution, significantDigits } = options;
  if (known.unit !== unit) return `unit ${JSON.stringify(known.unit)}, got ${JSON.stringify(unit)}`;
  if (layout !== undefined && !isHdrLayout(layout)) return undefined;
  const step = known.resolution.unitsPerTick / known.resolution.ticksPerUnit;
  // A fraction comes back from its quotient to the last bit or so.
  if (resolution !== undefined && Math.abs(resolution / step - 1) > 1e-12) {
    return `resolution ${step}, got ${resolution}`;
  }
  const digits = known.layout.significantDigits;
  return significantDigits === undefined || digits === significantDigits
    ? undefined
    : `significantDigits ${digits}, got ${significantDigits}`;
}

function defined<T extends object>(options: T): T {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T;
}

type Suited = Pick<FamilyOptions, 'resolution' | 'significantDigits' | 'boundaries'>;

function suited(unit: string, layout: Layout | undefined): Suited {
  if (layout === undefined) return {};
  if (isHdrLayout(layout)) return { significantDigits: layout.significantDigits };
  if (isInUnit(layout)) return suitedToIntegers(layout);
  if (isExponential(layout)) {
    return { resolution: resolutionForRange(unit, layout), significantDigits: EXPONENTIAL_DIGITS };
  }
  return 'edges' in layout ? suitedToBounds(unit, (layout as EdgeLayout).edges) : {};
}

function isInUnit(layout: Layout): layout is ScaledLayout<IntegerLayout> {
  return 'inTicks' in layout && 'bounds' in (layout as ScaledLayout).inTicks;
}

function isExponential(layout: Layout): layout is ExponentialLayout {
  return layout.kind === 'exponential' && 'zeroSlot' in layout;
}

// Exponential buckets up to scale 9 are told apart by 3 digits; finer ones span less than a factor of 1.25.
const EXPONENTIAL_DIGITS = 3;
// Explicit buckets need fewer, as a rule; other senders of the same metric may have finer ones.
const FEWEST_DIGITS = 2;

function suitedToIntegers({ inTicks, resolution }: ScaledLayout<IntegerLayout>): Suited {
  return {
    resolution: resolution.unitsPerTick / resolution.ticksPerUnit,
    significantDigits: hdrFit(inTicks).significantDigits,
    boundaries: unitBoundaries(inTicks, resolution),
  };
}

function suitedToBounds(unit: string, bounds: readonly number[]): Suited {
  const boundaries = bounds.filter((bound) => bound >= 0);
  const resolution = resolutionForBounds(unit, boundaries);
  return { resolution, significantDigits: digitsFor(boundaries, resolution), boundaries };
}

const HIGHEST = Number.MAX_SAFE_INTEGER;
// How much larger values may become than those of the first reading.
const HEADROOM = 1000;
// Ticks below the smallest value, so that it keeps its digits.
const TICKS_BELOW = 1000;

/** The step of the unit, or a finer one where the unit says nothing about what is counted and the values are small. */
function resolutionForRange(unit: string, { scale, minIndex, maxIndex }: ExponentialLayout): number {
  const usual = defaultResolution(unit);
  const isKnown = unit !== '1' && usual !== defaultResolution('');
  if (isKnown) return usual;
  const smallest = exponentialBound(scale, minIndex);
  const largest = exponentialBound(scale, maxIndex + 1);
  return refined(usual, largest, (resolution) => smallest / resolution >= TICKS_BELOW);
}

/** The step of the unit, or a finer one of which all bounds are multiples. */
function resolutionForBounds(unit: string, bounds: readonly number[]): number {
  return refined(defaultResolution(unit), bounds.at(-1) ?? 0, (resolution) => {
    const step = resolutionOf(resolution);
    return bounds.every((bound) => fromTicks(step, ticksOf(bound, step)) === bound);
  });
}

/** Tenths of tenths, until they are fine enough, or `largest` could no longer grow. */
function refined(usual: number, largest: number, isFine: (resolution: number) => boolean): number {
  let resolution = usual;
  while (!isFine(resolution)) {
    const finer = resolution / 10;
    if (!(finer > 0) || largest / finer > HIGHEST / HEADROOM) return usual;
    resolution = finer;
  }
  return resolution;
}

function digitsFor(bounds: readonly number[], resolution: number): number {
  const step = resolutionOf(resolution);
  const ticks = new Set(bounds.map((bound) => ticksOf(bound, step)).filter((tick) => tick < HIGHEST));
  // A bound above all others closes the last slot, whose own middle would be that bound.
  const layout = integerLayout([...ticks, HIGHEST], 0);
  return Math.max(FEWEST_DIGITS, hdrFit(layout).significantDigits);
}

function ticksOf(value: number, { ticksPerUnit, unitsPerTick }: Resolution): number {
  return Math.round((value * ticksPerUnit) / unitsPerTick);
}
