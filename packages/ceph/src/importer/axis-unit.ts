import type { IntegerLayout } from '@hdrscope/core';
import {
  fromTicks,
  integersOf,
  resolutionOf,
  type ScaledLayout,
  scaledLayout,
} from '@hdrscope/core/internal';
import { SHOWN_UNITS, type ShownUnit } from '@hdrscope/registry';
import { type Axis, axisLayout } from '../histogram/axis.ts';

/** The unit in which the values of an axis are shown. */
export function unitOf(axis: Axis): ShownUnit {
  return SHOWN_UNITS[axis.unit ?? 'none'];
}

/** The slots of an axis in the unit of its family. */
export function layoutInUnit(axis: Axis): ScaledLayout<IntegerLayout> {
  return scaledLayout(integersOf(axisLayout(axis)), resolutionOf(unitOf(axis).scale));
}

/** A sum of values of an axis, in the unit of its family. */
export function sumInUnit(axis: Axis, sum: bigint | number): number {
  return fromTicks(resolutionOf(unitOf(axis).scale), Number(sum));
}
