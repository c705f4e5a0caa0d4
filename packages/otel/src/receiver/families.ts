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
import type { PointRefusal } from './point-refusal.ts';
import type { ReceivedMetric } from './received.ts';

/** The properties of a metric that its family takes. */
export type MetricIdentity = Pick<ReceivedMetric, 'name' | 'unit' | 'description' | 'scope'>;

/** Options that replace those that the receiver chooses for a family. */
export type ReceivedFamilyOptions = Pick<
  FamilyOptions,
  'resolution' | 'significantDigits' | 'cardinalityLimit' | 'boundaries'
>;

/** Finds the family of a metric, or makes one that suits the metric's first point. */
export function familyOf(
  registry: Registry,
  metric: MetricIdentity,
  first: Buckets,
  optionsOf: (metric: MetricIdentity) => ReceivedFamilyOptions | undefined,
): Family | PointRefusal {
  const { name, unit, description } = metric;
  const { name: scopeName, version } = metric.scope;
  const scope = version === '' ? { name: scopeName } : { name: scopeName, version };
  const identity = scopeName === '' && version === '' ? { name } : { name, scope };
  const known = registry.family(identity);
  if (known !== undefined) {
    if (known.unit === unit) return known;
    const message = `has the unit ${JSON.stringify(unit)}, but its family has ${JSON.stringify(known.unit)}`;
    return { reason: 'conflicting', message };
  }
  try {
    return registry.histogram({
      ...identity,
      unit,
      description,
      ...optionsFor(unit, first),
      ...optionsOf(metric),
    });
  } catch (error) {
    const message = error instanceof HdrscopeError ? error.message : String(error);
    return { reason: 'conflicting', message: `cannot have a family: ${message}` };
  }
}

// Three digits distinguish exponential buckets up to scale 9. With the usual 160 buckets, finer ones span less than a
// factor of 1.25.
const EXPONENTIAL_DIGITS = 3;
// Explicit buckets usually need fewer digits, but other senders of the same metric may have finer bounds.
const FEWEST_DIGITS = 2;

function optionsFor(unit: string, buckets: Buckets): ReceivedFamilyOptions {
  if (buckets.kind === 'exponential') {
    return { resolution: resolutionForRange(unit, buckets), significantDigits: EXPONENTIAL_DIGITS };
  }
  const boundaries = buckets.bounds.filter((bound) => bound >= 0);
  const resolution = resolutionForBounds(unit, boundaries);
  return { resolution, significantDigits: digitsFor(boundaries, resolution), boundaries };
}

const HIGHEST = Number.MAX_SAFE_INTEGER;
// Later values may be so many times larger than those of the first point.
const HEADROOM = 1000;
// The smallest value must be at least so many ticks, so that it keeps its digits.
const TICKS_BELOW = 1000;

/** The unit's default resolution, or a finer one when the unit says nothing about the size of values and these are small. */
function resolutionForRange(unit: string, { scale, positive }: ExponentialBuckets): number {
  const usual = defaultResolution(unit);
  const isKnownUnit = unit !== '1' && usual !== defaultResolution('');
  if (isKnownUnit || positive.counts.length === 0) return usual;
  const smallest = exponentialBound(scale, positive.offset);
  const largest = exponentialBound(scale, positive.offset + positive.counts.length);
  return refined(usual, largest, (resolution) => smallest / resolution >= TICKS_BELOW);
}

/** The unit's default resolution, or a finer one of which all bounds are multiples. */
function resolutionForBounds(unit: string, bounds: readonly number[]): number {
  return refined(defaultResolution(unit), bounds.at(-1) ?? 0, (resolution) => {
    const step = resolutionOf(resolution);
    return bounds.every((bound) => fromTicks(step, ticksOf(bound, step)) === bound);
  });
}

/** Divides by ten until the resolution is fine enough. Keeps the usual one if values would have no room to grow. */
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
  // A bound above all others closes the last slot. Open, its middle would be its lower bound.
  const layout = integerLayout([...ticks, HIGHEST], 0);
  return Math.max(FEWEST_DIGITS, hdrFit(layout).significantDigits);
}

function ticksOf(value: number, { ticksPerUnit, unitsPerTick }: Resolution): number {
  return Math.round((value * ticksPerUnit) / unitsPerTick);
}
