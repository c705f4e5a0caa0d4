import type { CountedUnit } from '@hdrscope/registry';
import type { NumberOptions } from '../numbers/number-options.ts';
import { NUMBER_UNITS, stepOf } from '../numbers/number-unit.ts';
import { unitsPer } from '../numbers/quantity.ts';
import { type UnitOfNumbers, unitOfNumbers } from '../numbers/unit-of-numbers.ts';
import type { Input } from './open-inputs.ts';

/**
 * The unit of texts of numbers and of recorded figures. What the command line states is for numbers; figures have their unit in
 * the file, and their step.
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
  const recorded = inputs.filter(({ kind }) => kind === 'recorded').map(({ beginning }) => beginning);
  const unit = recorded.map(unitIn).find((one) => one !== undefined) ?? found.unit;
  const steps = recorded.map((beginning) => stepIn(beginning, unit));
  // Bounded: one for each file of the command line.
  const step = Math.min(...steps);
  return { ...found, unit, ...(step < stepOf(unit) && { step }) };
}

function unitIn(beginning: string): CountedUnit | undefined {
  const [, name] = /"unit"\s*:\s*"(\w+)"/.exec(beginning) ?? [];
  return NUMBER_UNITS.find((unit) => unit === name);
}

/** The step of figures in a unit; `Infinity` when their beginning does not have it. */
function stepIn(beginning: string, unit: CountedUnit): number {
  const [, text] = /"resolution"\s*:\s*([\d.e-]+)/.exec(beginning) ?? [];
  const perUnit = unitsPer(unitIn(beginning) ?? unit, unit);
  const step = perUnit === undefined ? Number.NaN : Number((Number(text) * perUnit).toPrecision(12));
  return step > 0 ? step : Number.POSITIVE_INFINITY;
}
