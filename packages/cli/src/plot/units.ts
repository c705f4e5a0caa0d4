import { type CountedUnit, SHOWN_UNITS } from '@hdrscope/registry';
import { wrongOption } from '../arguments.ts';
import { UsageError } from '../command.ts';
import type { Input } from '../inputs/open-inputs.ts';
import type { TextUnit } from '../inputs/percentile-input.ts';
import { NUMBER_UNITS, type NumberUnit, numberUnit, ticksPerUnit } from '../numbers/number-unit.ts';
import { parseUnit, type ValueScale } from '../value-scale.ts';

/** `--unit` @throws UsageError */
export function parseCountedUnit(text: string): CountedUnit {
  if (Object.hasOwn(SHOWN_UNITS, text)) return text as CountedUnit;
  throw wrongOption('--unit', NUMBER_UNITS.join(', '), text);
}

/** How percentile text is read: times are printed in ms, everything else as it is. */
export function textScale(unit: CountedUnit): ValueScale {
  return parseUnit(isTime(unit) ? unit : 'none');
}

/** What `--unit` and `--text-unit` come to. */
export interface PlotUnits {
  /** Of the values of the plot. */
  readonly unit: CountedUnit;
  /** What numbers are in. */
  readonly numbers: NumberUnit;
  /** What counted numbers are divided by to be in the unit of the plot. */
  readonly numberScale: number;
}

/** What the command line tells of units, and needs of them. */
export interface UnitOptions {
  readonly unit: CountedUnit | undefined;
  readonly textUnit: TextUnit | undefined;
  /** Whether the histograms of all inputs are set against each other, and so have to count in one unit. */
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
  // 1e6 / 1e3 * 1e-3 is 1 but for the last digits.
  return { unit, numbers, numberScale: Number((ticksPerUnit(numbers) * perUnit).toPrecision(12)) };
}

function isTime(unit: CountedUnit): boolean {
  return SHOWN_UNITS[unit].unit === 's';
}
