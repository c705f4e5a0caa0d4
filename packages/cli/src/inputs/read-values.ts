import type { BoundedHistogram } from '@hdrscope/core/internal';
import { type NumberPlace, readEncoded, readFigures } from '@hdrscope/inputs';
import {
  type NumberUnit,
  scaleFigures,
  type TextUnit,
  type ValueScale,
  valueStretches,
} from '@hdrscope/inputs/internal';
import { type LogHistogram, type Selection, sumLogs } from '@hdrscope/interval-log';
import { bytesOf, explained, type Input, type InputKind } from './input.ts';
import type { TalliedReading } from './line-tally.ts';
import { countInputs, vanishedText } from './numbers.ts';
import { type PercentileInput, readPercentileInput } from './percentile-input.ts';
import type { OpenedSketch } from './read-sketch.ts';
import { assertWhole } from './selection-options.ts';
import { boundSketch } from './sketches.ts';

export type ValueKind = Exclude<InputKind, 'json'>;

export interface ValueReading extends TalliedReading {
  /** The scale of percentile text. */
  readonly scale: ValueScale;
  readonly textUnit: TextUnit | undefined;
  readonly selection: Selection;
  /** The unit of numbers and of recorded figures. */
  readonly numbers: NumberUnit;
  /** Whether numbers without a unit are in it. */
  readonly takesBare: boolean;
  readonly numberOptions: NumberPlace;
}

/** The counts of another program over slots of its own. */
export interface CountedInput {
  readonly sketch: OpenedSketch;
  /** The values within the bounds of their slots, in steps of the reading. */
  readonly bounds: BoundedHistogram;
  /** How many steps the unit of the slots has. */
  readonly perUnit: number;
}

/** The sum of all values of an input, with any tag. */
interface InputValues {
  /** `undefined` when a log has no intervals. */
  readonly histogram: LogHistogram | undefined;
  /** Whether the values are in steps of `numbers`. */
  readonly isInSteps: boolean;
  /** The values by stretches of time, in their order. @default their times are not known */
  readonly stretches?: readonly LogHistogram[];
  /** The counts of another program that the histogram is made of. */
  readonly counted?: CountedInput;
  /** The percentile text that the histogram is made of. It bounds its values, and does not have every one. */
  readonly text?: PercentileInput;
}

/** Reads all values of an input. @throws Refusal, UsageError, HdrscopeError */
export async function readValues(input: Input<ValueKind>, reading: ValueReading): Promise<InputValues> {
  const { kind, name, source } = input;
  const { numbers: unit, selection, onBytes, signal, malformed, badLines } = reading;
  if (kind !== 'log' && kind !== 'percentiles') assertWhole(input, selection);
  switch (kind) {
    case 'log': {
      const histogram = await sumLogs([source], { ...selection, onBytes, onMalformed: malformed.add });
      return { histogram, isInSteps: false };
    }
    case 'percentiles': {
      const text = await readPercentileText(input, reading);
      return { histogram: text.values.histogram, isInSteps: false, text };
    }
    case 'encoded':
      return {
        histogram: await explained(() => readEncoded(bytesOf(input, onBytes), { name, signal })),
        isInSteps: false,
      };
    case 'numbers': {
      const { takesBare, numberOptions: numbers } = reading;
      const stretches = valueStretches();
      const onTimed = (ticks: number, moment: number): void => stretches.at(moment).record(ticks);
      const options = { unit, takesBare, numbers, onBytes, onBadLine: badLines.add, onTimed };
      const { histogram, vanished } = await countInputs([input], options);
      if (vanished > 0) await reading.note(`${name}: ${vanishedText(vanished, unit, 'hdrscope record ')}`);
      return { histogram, isInSteps: true, stretches: stretches.inOrder() };
    }
    case 'recorded':
      if (input.sketch !== undefined) {
        const { values: bounds, perUnit } = boundSketch(input.sketch, unit, name);
        return {
          histogram: bounds.histogram,
          isInSteps: true,
          counted: { sketch: input.sketch, bounds, perUnit },
        };
      }
      return {
        histogram: await explained(async () =>
          scaleFigures(unit, await readFigures(bytesOf(input, onBytes), { name, signal }), name),
        ),
        isInSteps: true,
      };
  }
}

/** Reads percentile text. @throws Refusal, UsageError */
export function readPercentileText(
  input: Pick<Input, 'name' | 'source'>,
  {
    scale: unit,
    textUnit,
    selection,
    onBytes,
  }: Pick<ValueReading, 'scale' | 'textUnit' | 'selection' | 'onBytes'>,
): Promise<PercentileInput> {
  return readPercentileInput(input, { unit, selection, onBytes, ...(textUnit && { textUnit }) });
}
