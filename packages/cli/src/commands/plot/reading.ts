import type { NumberPlace } from '@hdrscope/inputs';
import { type TextUnit, ticksPerUnit, type ValueScale, valueScaleOf } from '@hdrscope/inputs/internal';
import type { LogHistogram, PercentileText } from '@hdrscope/interval-log';
import type { Period } from '@hdrscope/plot/internal';
import { type CountedUnit, SHOWN_UNITS } from '@hdrscope/registry';
import { type Io, UsageError } from '../../command.ts';
import type { Input } from '../../inputs/input.ts';
import { startTalliedReading } from '../../inputs/line-tally.ts';
import { type SharedUnits, shareUnits } from '../../inputs/numbers.ts';
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

/** The units of what is drawn. */
interface PlotUnits extends SharedUnits {
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
  if (textUnit !== undefined && asked !== undefined && !isTime(asked)) {
    throw new UsageError(
      `--text-unit and --unit ${asked} exclude each other: values are taken as printed then`,
    );
  }
  const stated = { unit: asked, numbersIn: textUnit ?? asked };
  const units = shareUnits(inputs, { ...stated, place: numberOptions, isCompared });
  const { unit, numbers } = units;
  const perUnit = SHOWN_UNITS[unit].scale / SHOWN_UNITS[numbers.unit].scale;
  // 12 digits hide rounding errors: 1e6 / 1e3 * 1e-3 is 1.
  return { ...units, numberScale: Number((ticksPerUnit(numbers) * perUnit).toPrecision(12)) };
}

function isTime(unit: CountedUnit): unit is TextUnit {
  return SHOWN_UNITS[unit].unit === 's';
}

// Readings.

/** Inputs that have values. */
export type ValueInput = Input<ValueKind>;

/** The units and callbacks for reading inputs. */
export interface Reading extends PlotUnits, ValueReading, Pick<Io, 'divideLog'> {}

/** Starts to read inputs. */
export function readingOf(
  options: PlotUnits & Pick<ValueReading, 'textUnit' | 'selection' | 'numberOptions'>,
  progress: ReadingProgress,
  io: Io,
): Reading {
  const { divideLog } = io;
  return {
    ...options,
    ...{ scale: textScale(options.unit), ...startTalliedReading(io, progress) },
    ...(divideLog && { divideLog }),
  };
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
