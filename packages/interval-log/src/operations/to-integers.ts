import { DoubleHistogram, HdrscopeError, Histogram } from '@hdrscope/core';
import type { LogHistogram } from './intervals.ts';

/** Histograms of integers in one unit. */
export interface IntegerPair {
  readonly before: Histogram;
  readonly after: Histogram;
  /** What an integer counts: 1, or for doubles a power of two. */
  readonly ratio: number;
}

/**
 * Two histograms as the statistics take them. Those of doubles count integers already, each in a unit of its own: the
 * smaller of the two is taken, a power of two as the other is, so that nothing is lost.
 *
 * @throws HdrscopeError `ERR_INCOMPATIBLE` when one has integers and the other doubles.
 */
export function toIntegers(before: LogHistogram, after: LogHistogram): IntegerPair {
  if (before instanceof DoubleHistogram && after instanceof DoubleHistogram) {
    const ratio = Math.min(
      before.integerToDoubleValueConversionRatio,
      after.integerToDoubleValueConversionRatio,
    );
    return { before: integersOf(before, ratio), after: integersOf(after, ratio), ratio };
  }
  if (before instanceof DoubleHistogram || after instanceof DoubleHistogram) {
    throw new HdrscopeError('ERR_INCOMPATIBLE', 'integers cannot be compared with doubles');
  }
  return { before, after, ratio: 1 };
}

function integersOf(doubles: DoubleHistogram, ratio: number): Histogram {
  const { significantDigits } = doubles.layout;
  const integers = new Histogram({ significantDigits, storage: 'sparse' });
  for (const { valueIteratedTo, countAddedInThisIterationStep } of doubles.recordedValues()) {
    integers.record(valueIteratedTo / ratio, countAddedInThisIterationStep);
  }
  return integers;
}
