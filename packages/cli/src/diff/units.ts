import type { CountedUnit } from '@hdrscope/registry';
import { UsageError } from '../command.ts';
import type { InputKind } from '../inputs/kinds.ts';
import type { Input } from '../inputs/open-inputs.ts';
import { type NumberUnit, numberUnit, perMs, ticksPerUnit } from '../numbers/number-unit.ts';
import { differentUnits, measureOf } from '../numbers/quantity.ts';
import type { UnitOfNumbers } from '../numbers/unit-of-numbers.ts';
import { type ValueScale, valueScaleOf } from '../value-scale.ts';

/** The kinds of input that can be compared. */
export type DiffKind = Exclude<InputKind, 'json'>;

/** The units that follow from `--unit`, `--text-unit` and the texts themselves. */
export interface DiffUnits {
  /** The scale of the comparison. */
  readonly scale: ValueScale;
  /** The unit of numbers, counted in steps that suit the other side. */
  readonly numbers: NumberUnit;
  readonly takesBare: boolean;
}

/** Inputs whose values have a unit of their own, or none. Other inputs are in that of `--unit`. */
const WITH_OWN_UNIT: readonly DiffKind[] = ['numbers', 'recorded'];

/**
 * @param stated The unit of `--unit`; `undefined` without it.
 * @param found The unit of numbers and of recorded figures.
 * @throws UsageError when the two sides measure different things.
 */
export function diffUnits(
  inputs: readonly Input<DiffKind>[],
  stated: CountedUnit | undefined,
  { unit: numbersIn, takesBare, step: figuresStep }: UnitOfNumbers,
): DiffUnits {
  const others = inputs.filter(({ kind }) => !WITH_OWN_UNIT.includes(kind));
  if (others.length === 0) {
    const numbers = numberUnit(numbersIn, figuresStep);
    return { scale: scaleOf(numbers), numbers, takesBare };
  }
  const unit = stated ?? 'ns';
  const scale = valueScaleOf(unit);
  if (others.length === inputs.length) return { scale, numbers: numberUnit(unit), takesBare };
  assertComparable(inputs, others[0]!, unit, numbersIn);
  // In steps of the log.
  const step = measureOf(unit) === 'time' ? perMs(numbersIn) / scale.divisor : 1;
  return { scale, numbers: numberUnit(numbersIn, step), takesBare };
}

/** The scale of counted numbers. Times are shown in ms. */
function scaleOf(numbers: NumberUnit): ValueScale {
  const { divisor, unit } = valueScaleOf(numbers.unit);
  return { divisor: ticksPerUnit(numbers) * divisor, unit };
}

function assertComparable(
  inputs: readonly Input<DiffKind>[],
  { name: other }: Input<DiffKind>,
  unit: CountedUnit,
  numbersIn: CountedUnit,
): void {
  if (measureOf(unit) === measureOf(numbersIn)) return;
  const { name } = inputs.find(({ kind }) => WITH_OWN_UNIT.includes(kind))!;
  throw new UsageError(differentUnits(name, numbersIn, other, unit));
}
