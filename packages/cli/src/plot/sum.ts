import { type LogHistogram, type PercentileText, sumLogs } from '@hdrscope/interval-log';
import type { Period } from '@hdrscope/plot';
import { decodeEncoded } from '../inputs/encoded-histogram.ts';
import { inStepsOf, readRecorded } from '../inputs/recorded.ts';
import { assertWhole } from '../inputs/selection-options.ts';
import { wholeText } from '../inputs/whole-text.ts';
import { countNumbers, vanishedText } from '../numbers/count-numbers.ts';
import { type Reading, readPercentiles, type ValueInput } from './reading.ts';

/** The sum of all histograms of a file. */
export interface Sum {
  readonly histogram: LogHistogram;
  /** The divisor that brings its values to the unit of the plot. */
  readonly valueScale: number;
  /** The percentile text that the histogram is made of. It bounds its values, and does not have every one. */
  readonly text?: PercentileText;
  /** What the percentile text does not say, in sentences. */
  readonly losses?: readonly string[];
  /** When the values were counted. */
  readonly period?: Period;
}

/** Adds up all histograms of a file, with any tag; `undefined` when there are no values. @throws Refusal, UsageError */
export async function readSum(input: ValueInput, reading: Reading): Promise<Sum | undefined> {
  const { kind, name, source } = input;
  const { selection, onBytes, malformed, badLines } = reading;
  if (kind !== 'log' && kind !== 'percentiles') assertWhole(name, selection);
  switch (kind) {
    case 'log': {
      const histogram = await sumLogs([source], { ...selection, onBytes, onMalformed: malformed.add });
      return histogram && { histogram, valueScale: 1 };
    }
    case 'percentiles': {
      const { values, losses } = await readPercentiles(input, reading);
      return { histogram: values.histogram, valueScale: 1, text: values, losses };
    }
    case 'encoded': {
      const text = await wholeText(input, 'encoded histograms', onBytes);
      return { histogram: await decodeEncoded(text, name, () => onBytes(0)), valueScale: 1 };
    }
    case 'numbers': {
      const { numbers: unit, takesBare, numberScale: valueScale, numberOptions: numbers } = reading;
      const options = { unit, takesBare, numbers, onBytes, badLines };
      const { histogram, vanished } = await countNumbers([input], options);
      if (vanished > 0) await reading.note(`${name}: ${vanishedText(vanished, unit, 'hdrscope record ')}`);
      return { histogram, valueScale };
    }
    case 'recorded': {
      const { numbers, numberScale: valueScale } = reading;
      const recorded = await readRecorded(input, onBytes);
      return { histogram: inStepsOf(numbers, recorded, name), valueScale };
    }
  }
}
