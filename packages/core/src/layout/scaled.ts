import { mustBe } from '../errors.ts';
import type { Layout } from './layout.ts';

/**
 * The step between two values of an integer layout, in the unit of the measurement: `1e-9` counts seconds in nanoseconds. It is
 * a fraction of two integers, because `ticks / 1e9` is the double nearest to the decimal that a person means, and
 * `ticks * 1e-9` often is not.
 */
export interface Resolution {
  /** Ticks in one unit, or 1 when a tick is larger than the unit. At least 1. */
  readonly ticksPerUnit: number;
  /** Units in one tick, or 1 when a tick is smaller than the unit. At least 1. */
  readonly unitsPerTick: number;
}

/**
 * Reads a step such as `1e-9` (seconds counted in nanoseconds), `1` or `1024`.
 *
 * @param step Above 0 and finite, and so is `1 / step`.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the step is anything else.
 * @example
 * ```ts
 * import { fromTicks, resolutionOf } from '@hdrscope/core/internal';
 *
 * const nanoseconds = resolutionOf(1e-9);
 * nanoseconds; //=> { ticksPerUnit: 1000000000, unitsPerTick: 1 }
 * fromTicks(nanoseconds, 1_234_567); //=> 0.001234567
 * ```
 */
export function resolutionOf(step: number): Resolution {
  if (!(typeof step === 'number' && step > 0 && Number.isFinite(step) && Number.isFinite(1 / step))) {
    throw mustBe('ERR_INVALID_OPTION', 'resolution', 'a finite number above 0', step);
  }
  return step < 1
    ? { ticksPerUnit: nearInteger(1 / step), unitsPerTick: 1 }
    : { ticksPerUnit: 1, unitsPerTick: step };
}

/** The value of a number of ticks, in the unit. */
export function fromTicks({ ticksPerUnit, unitsPerTick }: Resolution, ticks: number): number {
  return (ticks * unitsPerTick) / ticksPerUnit;
}

/** Whether ticks of both have one size. */
export function isSameResolution(a: Resolution, b: Resolution): boolean {
  return a.ticksPerUnit === b.ticksPerUnit && a.unitsPerTick === b.unitsPerTick;
}

/** A layout of ticks in the unit of the measurement. */
export interface ScaledLayout<L extends Layout = Layout> extends Layout {
  /** The same slots in ticks. */
  readonly inTicks: L;
  readonly resolution: Resolution;
}

/** Whether a layout is one of `scaledLayout`. */
export function isScaledLayout(layout: Layout): layout is ScaledLayout {
  return 'inTicks' in layout;
}

const scaled = new WeakMap<Layout, Map<string, ScaledLayout>>();

/**
 * An integer layout in the unit of the measurement: its bounds are ticks times the step. A value between two ticks belongs to
 * the nearer one, so bounds are exact to half a step. Equal arguments give the same object, so that results that belong to it are
 * computed once.
 */
export function scaledLayout<L extends Layout>(layout: L, resolution: Resolution): ScaledLayout<L> {
  const byResolution = scaled.get(layout) ?? new Map<string, ScaledLayout>();
  scaled.set(layout, byResolution);
  const key = `${resolution.ticksPerUnit}/${resolution.unitsPerTick}`;
  const known = byResolution.get(key) ?? newScaledLayout(layout, resolution);
  byResolution.set(key, known);
  return known as ScaledLayout<L>;
}

function newScaledLayout(layout: Layout, resolution: Resolution): ScaledLayout {
  // One product, as in the record path of a series: every value has the same slot here and there.
  const ticksPerUnit = resolution.ticksPerUnit / resolution.unitsPerTick;
  return {
    kind: layout.kind,
    inTicks: layout,
    resolution,
    slotCount: layout.slotCount,
    lowerInclusive: layout.lowerInclusive,
    upperInclusive: layout.upperInclusive,
    slotOf: (value) => layout.slotOf(Math.round(value * ticksPerUnit)),
    lower: (slot) => fromTicks(resolution, layout.lower(slot)),
    upper: (slot) => fromTicks(resolution, layout.upper(slot)),
    midpoint: (slot) => fromTicks(resolution, layout.midpoint(slot)),
  };
}

/** The integer that `x` misses by rounding only, or `x`: 1 / 1e-9 is 999999999.9999999. */
function nearInteger(x: number): number {
  const nearest = Math.round(x);
  return Math.abs(x - nearest) <= 1e-9 * x ? nearest : x;
}
