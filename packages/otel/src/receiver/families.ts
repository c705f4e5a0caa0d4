import {
  exponentialBound,
  fromTicks,
  HdrscopeError,
  hdrFit,
  integerLayout,
  type Resolution,
  resolutionOf,
} from '@hdrscope/core';
import { defaultResolution, type Family, type FamilyOptions, type Registry } from '@hdrscope/registry';
import type { Buckets, ExponentialBuckets } from './counted.ts';
import type { Flaw } from './flaw.ts';
import type { ReceivedMetric } from './received.ts';

/** A metric whose family is to be made. */
export type MetricIdentity = Pick<ReceivedMetric, 'name' | 'unit' | 'description' | 'scope'>;

/** What may be different from what is chosen for a family. */
export type ReceivedFamilyOptions = Pick<
  FamilyOptions,
  'resolution' | 'significantDigits' | 'cardinalityLimit' | 'boundaries'
>;

/** Finds or makes the family of a metric. What is made suits the first point of it. */
export function familyOf(
  registry: Registry,
  metric: MetricIdentity,
  first: Buckets,
  optionsOf: (metric: MetricIdentity) => ReceivedFamilyOptions | undefined,
): Family | Flaw {
  const { name, unit, description } = metric;
  const { name: scopeName, version } = metric.scope;
  const scope = version === '' ? { name: scopeName } : { name: scopeName, version };
  const identity = scopeName === '' && version === '' ? { name } : { name, scope };
  const known = registry.family(identity);
  if (known !== undefined) {
    if (known.unit === unit) return known;
    const message = `has the unit ${JSON.stringify(unit)}, and its family ${JSON.stringify(known.unit)}`;
    return { reason: 'conflicting', message };
  }
  try {
    return registry.histogram({
      ...identity,
      unit,
      description,
      ...suited(unit, first),
      ...optionsOf(metric),
    });
  } catch (error) {
    const message = error instanceof HdrscopeError ? error.message : String(error);
    return { reason: 'conflicting', message: `can have no family: ${message}` };
  }
}

// Exponential buckets up to scale 9 are told apart by 3 digits; finer ones span less than a factor of 1.25.
const EXPONENTIAL_DIGITS = 3;
// What explicit buckets need is less, as a rule; other senders of the same metric may have finer ones.
const FEWEST_DIGITS = 2;

function suited(unit: string, buckets: Buckets): ReceivedFamilyOptions {
  if (buckets.kind === 'exponential') {
    return { resolution: resolutionForRange(unit, buckets), significantDigits: EXPONENTIAL_DIGITS };
  }
  const boundaries = buckets.bounds.filter((bound) => bound >= 0);
  const resolution = resolutionForBounds(unit, boundaries);
  return { resolution, significantDigits: digitsFor(boundaries, resolution), boundaries };
}

const HIGHEST = Number.MAX_SAFE_INTEGER;
// How much larger values may become than those of the first point.
const HEADROOM = 1000;
// Ticks below the smallest value, so that it keeps its digits.
const TICKS_BELOW = 1000;

/** The step of the unit, or a finer one where the unit tells nothing of what is counted and the values are small. */
function resolutionForRange(unit: string, { scale, positive }: ExponentialBuckets): number {
  const usual = defaultResolution(unit);
  const isTold = unit !== '1' && usual !== defaultResolution('');
  if (isTold || positive.counts.length === 0) return usual;
  const smallest = exponentialBound(scale, positive.offset);
  const largest = exponentialBound(scale, positive.offset + positive.counts.length);
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
