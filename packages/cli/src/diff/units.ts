import type { InputKind } from '../inputs/kinds.ts';
import type { Input } from '../inputs/open-inputs.ts';
import { type NumberUnit, numberUnit, perMs } from '../numbers/number-unit.ts';
import type { ValueScale, ValueUnit } from '../value-scale.ts';

/** The kinds of input that can be compared. */
export type DiffKind = Exclude<InputKind, 'json'>;

/** The units that follow from `--unit` and `--text-unit`. */
export interface DiffUnits {
  /** The scale of the comparison. */
  readonly scale: ValueScale;
  /** The unit of numbers, counted in steps that suit the other side. */
  readonly numbers: NumberUnit;
}

/**
 * @param unit The unit of logs.
 * @param numbersIn The unit of numbers; `'none'` when they have no unit.
 */
export function diffUnits(
  inputs: readonly Input<DiffKind>[],
  unit: ValueScale,
  numbersIn: ValueUnit,
): DiffUnits {
  if (inputs.every(({ kind }) => kind === 'numbers')) {
    const numbers = numberUnit(numbersIn);
    // Numbers are counted in nanoseconds, or in thousandths without a unit.
    const scale: ValueScale =
      numbersIn === 'none'
        ? { divisor: numbers.resolution.ticksPerUnit, unit: '' }
        : { divisor: perMs('ns'), unit: 'ms' };
    return { scale, numbers };
  }
  // The step of the log.
  const step = numbersIn === 'none' || unit.unit === '' ? 1 : perMs(numbersIn) / unit.divisor;
  return { scale: unit, numbers: numberUnit(numbersIn, step) };
}
