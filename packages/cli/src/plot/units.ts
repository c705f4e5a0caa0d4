import { type CountedUnit, SHOWN_UNITS } from '@hdrscope/registry';
import { UsageError } from '../command.ts';
import type { Input } from '../inputs/open-inputs.ts';
import type { TextUnit } from '../inputs/percentile-input.ts';
import { type NumberUnit, numberUnit, ticksPerUnit } from '../numbers/number-unit.ts';
import { type ValueScale, valueScaleOf } from '../value-scale.ts';

/** The scale of percentile text: it has times in ms, everything else as it is. */
export function textScale(unit: CountedUnit): ValueScale {
  return valueScaleOf(isTime(unit) ? unit : 'none');
}

/** The units that follow from `--unit` and `--text-unit`. */
export interface PlotUnits {
  /** The unit of the plot. */
  readonly unit: CountedUnit;
  /** The unit of numbers. */
  readonly numbers: NumberUnit;
  /** The divisor that brings counted numbers to the unit of the plot. */
  readonly numberScale: number;
}

/** Options of the command line that decide units. */
interface UnitOptions {
  readonly unit: CountedUnit | undefined;
  readonly textUnit: TextUnit | undefined;
  /** Whether the inputs are compared with each other, so that they must count in one unit. */
  readonly isCompared: boolean;
}

/** @throws UsageError */
export function plotUnits(
  inputs: readonly Input[],
  { unit: asked, textUnit, isCompared }: UnitOptions,
): PlotUnits {
  const areNumbers = inputs.length > 0 && inputs.every(({ kind }) => kind === 'numbers');
  const unit = asked ?? (areNumbers ? (textUnit ?? 'none') : 'ns');
  if (textUnit !== undefined && !isTime(unit)) {
    throw new UsageError(
      `--text-unit and --unit ${unit} exclude each other: values are taken as printed then`,
    );
  }
  const numbersIn = textUnit ?? asked ?? (areNumbers ? unit : 'ms');
  const perUnit = SHOWN_UNITS[unit].scale / SHOWN_UNITS[numbersIn].scale;
  const numbers = isCompared && !areNumbers ? numberUnit(numbersIn, perUnit) : numberUnit(numbersIn);
  // 12 digits hide rounding errors: 1e6 / 1e3 * 1e-3 is 1.
  return { unit, numbers, numberScale: Number((ticksPerUnit(numbers) * perUnit).toPrecision(12)) };
}

function isTime(unit: CountedUnit): unit is TextUnit {
  return SHOWN_UNITS[unit].unit === 's';
}
