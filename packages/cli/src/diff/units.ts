import type { InputKind } from '../inputs/kinds.ts';
import type { Input } from '../inputs/open-inputs.ts';
import type { TextUnit } from '../inputs/percentile-input.ts';
import { type NumberUnit, numberUnit, perMs } from '../numbers/number-unit.ts';
import type { ValueScale } from '../value-scale.ts';

/** What can be compared. */
export type DiffKind = Exclude<InputKind, 'json'>;

/** What `--unit` and `--text-unit` come to. */
export interface DiffUnits {
  /** Of what is compared. */
  readonly scale: ValueScale;
  /** What numbers are in, counted in steps that suit the other side. */
  readonly numbers: NumberUnit;
}

/**
 * @param unit What logs count.
 * @param numbersIn What numbers are in; `'none'` where they are taken as printed.
 */
export function diffUnits(
  inputs: readonly Input<DiffKind>[],
  unit: ValueScale,
  numbersIn: TextUnit | 'none',
): DiffUnits {
  if (inputs.every(({ kind }) => kind === 'numbers')) {
    const numbers = numberUnit(numbersIn);
    // Nanoseconds, or thousandths.
    const scale: ValueScale =
      numbersIn === 'none'
        ? { divisor: numbers.resolution.ticksPerUnit, unit: '' }
        : { divisor: perMs('ns'), unit: 'ms' };
    return { scale, numbers };
  }
  // As many steps to one of the unit as the log has.
  const step = numbersIn === 'none' || unit.unit === '' ? 1 : perMs(numbersIn) / unit.divisor;
  return { scale: unit, numbers: numberUnit(numbersIn, step) };
}
