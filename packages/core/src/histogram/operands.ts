import type { Counted } from '../counted.ts';
import { HdrscopeError, mustBe } from '../errors.ts';
import { isLayout } from '../layout/checks.ts';
import { type HdrLayout, isHdrLayout } from '../layout/hdr.ts';

/**
 * @throws HdrscopeError `ERR_INCOMPATIBLE` when `other` is neither a histogram nor counts over a layout.
 */
export function assertCounted(call: string, other: unknown): asserts other is Counted {
  const isObject = typeof other === 'object' && other !== null;
  // The counts are not read: shared storage makes a copy of them each time.
  if (isObject && 'counts' in other && 'layout' in other && isLayout(other.layout)) return;
  throw mustBe('ERR_INCOMPATIBLE', `${call}: the argument`, 'a histogram, or counts over a layout', other);
}

/**
 * @throws HdrscopeError `ERR_INCOMPATIBLE` when `other` is neither a `Histogram` nor counts over an `HdrLayout`.
 */
export function assertHdrCounted(call: string, other: unknown): asserts other is Counted<HdrLayout> {
  assertCounted(call, other);
  if (isHdrLayout(other.layout)) return;
  throw mustBe(
    'ERR_INCOMPATIBLE',
    `${call}: the argument`,
    'a Histogram, or counts over an HDR layout',
    other,
  );
}

/**
 * @throws HdrscopeError `ERR_INCOMPATIBLE` when `other` is neither a histogram nor counts over a layout, or has doubles.
 */
export function assertIntegers(call: string, other: unknown): asserts other is Counted {
  assertCounted(call, other);
  if (other.layout.kind !== 'double') return;
  throw new HdrscopeError(
    'ERR_INCOMPATIBLE',
    `${call}: a Histogram counts integers, got a DoubleHistogram, whose fractions would count as 0; record its values in ` +
      'a finer unit: for (const step of doubles.recordedValues()) ' +
      'histogram.record(Math.round(step.valueIteratedTo * 1e9), step.countAddedInThisIterationStep)',
  );
}
