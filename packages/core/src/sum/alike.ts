import { DoubleLayout } from '../histogram/double-layout.ts';
import { haveSameSlots } from '../increase.ts';
import { isExponentialLayout } from '../layout/exponential.ts';
import type { Layout } from '../layout/layout.ts';
import { isSameResolution, isScaledLayout } from '../layout/scaled.ts';

/** Whether the slots of two layouts are the same, but for the range. */
export function countAlike(a: Layout, b: Layout): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind) return false;
  if (isScaledLayout(a) || isScaledLayout(b)) {
    return (
      isScaledLayout(a) &&
      isScaledLayout(b) &&
      isSameResolution(a.resolution, b.resolution) &&
      countAlike(a.inTicks, b.inTicks)
    );
  }
  if (isExponentialLayout(a) && isExponentialLayout(b)) {
    return a.scale === b.scale && a.zeroThreshold === b.zeroThreshold;
  }
  if (a instanceof DoubleLayout && b instanceof DoubleLayout) {
    return a.significantDigits === b.significantDigits && a.lower(1) === b.lower(1);
  }
  return haveSameSlots(a, b);
}
