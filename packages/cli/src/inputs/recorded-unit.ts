import type { CountedUnit } from '@hdrscope/registry';
import type { NumberOptions } from '../numbers/number-options.ts';
import { NUMBER_UNITS } from '../numbers/number-unit.ts';
import { type UnitOfNumbers, unitOfNumbers } from '../numbers/unit-of-numbers.ts';
import type { Input } from './open-inputs.ts';

/**
 * The unit of texts of numbers and of recorded figures. What the command line states is for numbers; figures have their unit in
 * the file.
 *
 * @throws UsageError when a text has no such field or column.
 */
export function unitOfInputs(
  inputs: readonly Input[],
  stated: CountedUnit | undefined,
  numbers: NumberOptions,
): UnitOfNumbers {
  const texts = inputs.filter(({ kind }) => kind === 'numbers');
  const found = unitOfNumbers(texts, stated, numbers);
  if (texts.length > 0) return found;
  const recorded = inputs.find(({ kind }) => kind === 'recorded');
  const [, name] = /"unit"\s*:\s*"(\w+)"/.exec(recorded?.beginning ?? '') ?? [];
  return { ...found, unit: NUMBER_UNITS.find((unit) => unit === name) ?? found.unit };
}
