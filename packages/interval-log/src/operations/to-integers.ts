import { DoubleHistogram, HdrscopeError, Histogram } from '@hdrscope/core';
import type { LogHistogram } from './intervals.ts';

/** Two histograms of integers in the same unit. */
export interface IntegerPair {
  readonly before: Histogram;
  readonly after: Histogram;
  /** Size of the unit: 1 for integers, a power of two for doubles. */
  readonly ratio: number;
}

/**
 * Converts two histograms to integers in the same unit, as the statistics need them. Histograms of doubles count integers
 * already, each in its own unit. Both units are powers of two, so the smaller one expresses all values exactly.
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
