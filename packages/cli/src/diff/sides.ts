import { type Selection, sumLogs } from '@hdrscope/interval-log';
import type { ComparedSide } from '../comparison/compared-side.ts';
import { withValues } from '../comparison/comparison-input.ts';
import { decodeEncoded } from '../inputs/encoded-histogram.ts';
import type { LineTally } from '../inputs/line-tally.ts';
import type { MalformedTally } from '../inputs/malformed-tally.ts';
import type { Input } from '../inputs/open-inputs.ts';
import { readPercentileInput, type TextUnit } from '../inputs/percentile-input.ts';
import { inStepsOf, readRecorded } from '../inputs/recorded.ts';
import { assertWhole } from '../inputs/selection-options.ts';
import { wholeText } from '../inputs/whole-text.ts';
import { countNumbers, vanishedText } from '../numbers/count-numbers.ts';
import type { NumberOptions } from '../numbers/number-options.ts';
import type { ReadingProgress } from '../progress.ts';
import type { DiffKind, DiffUnits } from './units.ts';

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
