import type { CountedUnit } from '@hdrscope/registry';
import type { Input } from '../inputs/open-inputs.ts';
import type { NumberOptions } from './number-options.ts';
import { planOf } from './number-plan.ts';

/** The unit in which numbers are counted. */
export interface UnitOfNumbers {
  readonly unit: CountedUnit;
  /** Whether numbers without a unit are in it. */
  readonly takesBare: boolean;
  /** The step of the finest recorded figures, in the unit. @default that of the unit, which is at least as fine */
  readonly step?: number;
}

/**
 * The unit of texts of numbers: what the command line states, else that of the first number with a unit, else none.
 *
 * @throws UsageError when a text has no such field or column
 */
export function unitOfNumbers(
  texts: readonly Pick<Input, 'name' | 'beginning'>[],
  stated: CountedUnit | undefined,
  numbers: NumberOptions,
): UnitOfNumbers {
  if (stated !== undefined) return { unit: stated, takesBare: true };
  for (const text of texts) {
    const { unit } = planOf(text, numbers);
    if (unit !== undefined) return { unit, takesBare: false };
  }
  return { unit: 'none', takesBare: true };
}
