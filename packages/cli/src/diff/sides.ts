import { type Selection, sumLogs } from '@hdrscope/interval-log';
import type { CountedUnit } from '@hdrscope/registry';
import { UsageError } from '../command.ts';
import { type ComparedSide, withValues } from '../comparison.ts';
import { decodeEncoded } from '../inputs/encoded-histogram.ts';
import type { InputKind } from '../inputs/kinds.ts';
import type { LineTally } from '../inputs/line-tally.ts';
import type { Input, MalformedTally } from '../inputs/open-inputs.ts';
import { readPercentileInput, type TextUnit } from '../inputs/percentile-input.ts';
import { inStepsOf, readRecorded } from '../inputs/recorded.ts';
import { assertWhole } from '../inputs/selection-options.ts';
import { wholeText } from '../inputs/whole-text.ts';
import { countNumbers, vanishedText } from '../numbers/count-numbers.ts';
import type { NumberOptions, UnitOfNumbers } from '../numbers/number-plan.ts';
import {
  differentUnits,
  measureOf,
  type NumberUnit,
  numberUnit,
  perMs,
  ticksPerUnit,
} from '../numbers/number-unit.ts';
import type { ReadingProgress } from '../progress.ts';
import { type ValueScale, valueScaleOf } from '../value-scale.ts';

/** Options for reading the two sides. */
interface SideReading extends DiffUnits, ReadingProgress {
  readonly textUnit: TextUnit | undefined;
  readonly selection: Selection;
  readonly numberOptions: NumberOptions;
  readonly malformed: MalformedTally;
  readonly badLines: LineTally;
}

/** @throws Refusal, UsageError */
export async function readSide(input: Input<DiffKind>, reading: SideReading): Promise<ComparedSide> {
  const { kind, name, source } = input;
  const { onBytes } = reading;
  if (kind !== 'log' && kind !== 'percentiles') assertWhole(name, reading.selection);
  switch (kind) {
    case 'log':
      return sideOf(
        input,
        await sumLogs([source], { ...reading.selection, onBytes, onMalformed: reading.malformed.add }),
      );
    case 'percentiles': {
      const { scale: unit, textUnit, selection } = reading;
      const options = { unit, selection, onBytes, ...(textUnit && { textUnit }) };
      const { values, losses } = await readPercentileInput(input, options);
      for (const loss of losses) await reading.note(loss);
      return { name, values, totalCount: values.histogram.totalCount };
    }
    case 'encoded':
      return sideOf(
        input,
        await decodeEncoded(await wholeText(input, 'encoded histograms', onBytes), name, () => onBytes(0)),
      );
    case 'numbers': {
      const { numbers: unit, takesBare, numberOptions: numbers, badLines } = reading;
      const options = { unit, takesBare, numbers, onBytes, badLines };
      const { histogram, vanished } = await countNumbers([input], options);
      if (vanished > 0) await reading.note(`${name}: ${vanishedText(vanished, unit, 'hdrscope record ')}`);
      return sideOf(input, histogram);
    }
    case 'recorded': {
      return sideOf(input, inStepsOf(reading.numbers, await readRecorded(input, onBytes), name));
    }
  }
}

function sideOf({ kind, name }: Input<DiffKind>, sum: Parameters<typeof withValues>[0]): ComparedSide {
  const values = withValues(sum, name, kind === 'log');
  return { name, values, totalCount: values.totalCount };
}

// Units.

/** The kinds of input that can be compared. */
export type DiffKind = Exclude<InputKind, 'json'>;

/** The units that follow from `--unit`, `--text-unit` and the texts themselves. */
interface DiffUnits {
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
