import { type CountedUnit, SHOWN_UNITS } from '@hdrscope/registry';
import { Refusal, UsageError } from '../command.ts';
import type { Input } from '../inputs/open-inputs.ts';
import type { TextUnit } from '../inputs/percentile-input.ts';
import { unitOfInputs } from '../inputs/recorded-unit.ts';
import type { NumberOptions } from '../numbers/number-options.ts';
import { type NumberUnit, numberUnit, ticksPerUnit } from '../numbers/number-unit.ts';
import { differentUnits, measureOf } from '../numbers/quantity.ts';
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
  /** Whether numbers without a unit are in it. */
  readonly takesBare: boolean;
  /** The divisor that brings counted numbers to the unit of the plot. */
  readonly numberScale: number;
}

/** Options of the command line that decide units. */
interface UnitOptions {
  readonly unit: CountedUnit | undefined;
  readonly textUnit: TextUnit | undefined;
  /** Where the numbers of texts are. */
  readonly numberOptions: NumberOptions;
  /** Whether the inputs are compared with each other, so that they must count in one unit. */
  readonly isCompared: boolean;
}

/** @throws UsageError; Refusal when the inputs measure different things. */
export function plotUnits(
  inputs: readonly Input[],
  { unit: asked, textUnit, numberOptions, isCompared }: UnitOptions,
): PlotUnits {
  const { unit: numbersIn, takesBare, step } = unitOfInputs(inputs, textUnit ?? asked, numberOptions);
  const withOwn = inputs.filter(({ kind }) => kind === 'numbers' || kind === 'recorded');
  const others = inputs.filter(({ kind }) => kind !== 'json' && !withOwn.some((one) => one.kind === kind));
  const unit = asked ?? (withOwn.length > 0 && others.length === 0 ? numbersIn : 'ns');
  if (textUnit !== undefined && !isTime(unit)) {
    throw new UsageError(
      `--text-unit and --unit ${unit} exclude each other: values are taken as printed then`,
    );
  }
  assertSameMeasure(withOwn[0], others[0], numbersIn, unit);
  const perUnit = SHOWN_UNITS[unit].scale / SHOWN_UNITS[numbersIn].scale;
  const numbers =
    isCompared && others.length > 0 ? numberUnit(numbersIn, perUnit) : numberUnit(numbersIn, step);
  // 12 digits hide rounding errors: 1e6 / 1e3 * 1e-3 is 1.
  const numberScale = Number((ticksPerUnit(numbers) * perUnit).toPrecision(12));
  return { unit, numbers, takesBare, numberScale };
}

function assertSameMeasure(
  numbers: Input | undefined,
  other: Input | undefined,
  numbersIn: CountedUnit,
  unit: CountedUnit,
): void {
  if (numbers === undefined || measureOf(numbersIn) === measureOf(unit)) return;
  if (other === undefined) {
    throw new Refusal(
      `${numbers.name} is in ${numbersIn}, which is not ${unit}: --unit ${numbersIn} draws it`,
    );
  }
  throw new UsageError(differentUnits(numbers.name, numbersIn, other.name, unit));
}

function isTime(unit: CountedUnit): unit is TextUnit {
  return SHOWN_UNITS[unit].unit === 's';
}
