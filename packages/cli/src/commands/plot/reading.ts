import type { NumberPlace } from '@hdrscope/inputs';
import {
  measureOf,
  type NumberUnit,
  numberUnit,
  type TextUnit,
  ticksPerUnit,
  type ValueScale,
  valueScaleOf,
} from '@hdrscope/inputs/internal';
import type { LogHistogram, PercentileText } from '@hdrscope/interval-log';
import type { Period } from '@hdrscope/plot/internal';
import { type CountedUnit, SHOWN_UNITS } from '@hdrscope/registry';
import { type Io, Refusal, UsageError } from '../../command.ts';
import type { Input } from '../../inputs/input.ts';
import { startTalliedReading } from '../../inputs/line-tally.ts';
import { differentUnits, unitOfInputs } from '../../inputs/numbers.ts';
import {
  type CountedInput,
  readValues,
  type ValueKind,
  type ValueReading,
} from '../../inputs/read-values.ts';
import type { ReadingProgress } from '../../screen/progress.ts';

/** The scale of percentile text: it has times in ms, everything else as it is. */
function textScale(unit: CountedUnit): ValueScale {
  return valueScaleOf(isTime(unit) ? unit : 'none');
}

/** The units that follow from `--unit` and `--text-unit`. */
interface PlotUnits {
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
  readonly numberOptions: NumberPlace;
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

// Readings.

/** Inputs that have values. */
export type ValueInput = Input<ValueKind>;

/** The units and callbacks for reading inputs. */
export interface Reading extends PlotUnits, ValueReading {}

/** Starts to read inputs. */
export function readingOf(
  options: PlotUnits & Pick<ValueReading, 'textUnit' | 'selection' | 'numberOptions'>,
  progress: ReadingProgress,
  io: Io,
): Reading {
  return { ...options, scale: textScale(options.unit), ...startTalliedReading(io, progress) };
}

// Sums.

/** The sum of all histograms of a file. */
export interface Sum {
  readonly histogram: LogHistogram;
  /** The divisor that brings its values to the unit of the plot. */
  readonly valueScale: number;
  /** The counts of another program that the histogram is made of. */
  readonly counted?: CountedInput;
  /** The percentile text that the histogram is made of. It bounds its values, and does not have every one. */
  readonly text?: PercentileText;
  /** What the percentile text does not say, in sentences. */
  readonly losses?: readonly string[];
  /** When the values were counted. */
  readonly period?: Period;
}

/** Adds up all histograms of a file, with any tag; `undefined` when there are no values. @throws Refusal, UsageError, HdrscopeError */
export async function readSum(input: ValueInput, reading: Reading): Promise<Sum | undefined> {
  const { histogram, isInSteps, text, counted } = await readValues(input, reading);
  if (histogram === undefined) return undefined;
  const valueScale = isInSteps ? reading.numberScale : 1;
  return {
    histogram,
    valueScale,
    ...(counted && { counted }),
    ...(text && { text: text.values, losses: text.losses }),
  };
}
