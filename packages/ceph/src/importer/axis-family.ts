import {
  fromTicks,
  hdrFit,
  type IntegerLayout,
  integerBefore,
  integerLayout,
  type Layout,
  resolutionOf,
  scaledLayout,
  unitBoundaries,
} from '@hdrscope/core';
import { type Family, type FamilyOptions, type Registry, SHOWN_UNITS } from '@hdrscope/registry';
import { type Axis, axisLayout } from '../histogram/axis.ts';

/** The family of an axis. It is created when the registry does not have it yet. */
export function axisFamily(
  registry: Registry,
  axis: Axis,
  options: Pick<FamilyOptions, 'name' | 'description'>,
): Family {
  const known = registry.family(options);
  if (known !== undefined) return known;
  const { unit, scale } = SHOWN_UNITS[axis.unit ?? 'none'];
  const layout = integersOf(axis);
  return registry.histogram({
    ...options,
    unit,
    resolution: scale,
    significantDigits: hdrFit(layout).significantDigits,
    boundaries: unitBoundaries(layout, resolutionOf(scale)),
  });
}

const layouts = new WeakMap<Layout, Map<number, Layout>>();
const integers = new WeakMap<Layout, IntegerLayout>();

/** The slots of an axis in the unit of its family. */
export function layoutInUnit(axis: Axis): Layout {
  const { scale } = SHOWN_UNITS[axis.unit ?? 'none'];
  const own = axisLayout(axis);
  const byScale = layouts.get(own) ?? new Map<number, Layout>();
  layouts.set(own, byScale);
  const known = byScale.get(scale) ?? scaledLayout(integersOf(axis), resolutionOf(scale));
  byScale.set(scale, known);
  return known;
}

/** A sum of values of an axis, in the unit of its family. */
export function sumInUnit(axis: Axis, sum: bigint): number {
  return fromTicks(resolutionOf(SHOWN_UNITS[axis.unit ?? 'none'].scale), Number(sum));
}

/** The slots of an axis, with the largest integer of each slot as its upper bound: classic buckets include their bound. */
function integersOf(axis: Axis): IntegerLayout {
  const own = axisLayout(axis);
  const known = integers.get(own) ?? integerLayout(own.edges.map(integerBefore), Number.NEGATIVE_INFINITY);
  integers.set(own, known);
  return known;
}
