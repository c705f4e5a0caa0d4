import {
  fromTicks,
  hdrFit,
  type IntegerLayout,
  integerBefore,
  integerLayout,
  type Layout,
  type Resolution,
  resolutionOf,
  scaledLayout,
  unitBoundaries,
} from '@hdrscope/core';
import { type Family, type FamilyOptions, type Registry, SHOWN_UNITS } from '@hdrscope/registry';
import { type Axis, axisLayout } from '../histogram/axis.ts';

/** The family of an axis, made where it is not there yet. */
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
  const resolution: Resolution = resolutionOf(SHOWN_UNITS[axis.unit ?? 'none'].scale);
  return fromTicks(resolution, Number(sum));
}

/** The slots of an axis, each up to its largest integer, as that is what classic buckets are bounded by. */
function integersOf(axis: Axis): IntegerLayout {
  const own = axisLayout(axis);
  const known = integers.get(own) ?? integerLayout(own.edges.map(integerBefore), Number.NEGATIVE_INFINITY);
  integers.set(own, known);
  return known;
}
