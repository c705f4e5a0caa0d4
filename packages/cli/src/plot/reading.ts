import type { Selection } from '@hdrscope/interval-log';
import type { Io } from '../command.ts';
import type { InputKind } from '../inputs/kinds.ts';
import { LineTally } from '../inputs/line-tally.ts';
import { MalformedTally } from '../inputs/malformed-tally.ts';
import type { Input } from '../inputs/open-inputs.ts';
import type { PercentileInput, TextUnit } from '../inputs/percentile-input.ts';
import { readPercentileInput } from '../inputs/percentile-input.ts';
import type { NumberOptions } from '../numbers/number-options.ts';
import { type ReadingProgress, startReading } from '../progress.ts';
import { type PlotUnits, textScale } from './units.ts';

/** The kinds of input that have values. */
export type ValueInput = Input<Exclude<InputKind, 'json'>>;

/** Options for reading inputs. */
interface ReadingOptions extends PlotUnits {
  readonly textUnit: TextUnit | undefined;
  readonly selection: Selection;
  /** Where the numbers of texts are. */
  readonly numberOptions: NumberOptions;
}

/** The units and callbacks for reading inputs, and the report afterwards. */
export interface Reading extends ReadingOptions, ReadingProgress {
  /** For logs. */
  readonly malformed: MalformedTally;
  /** For texts of numbers. */
  readonly badLines: LineTally;
  /** Reports what was left out. @returns `ExitCode.refused` when something was left out. */
  report(): Promise<number>;
}

/** Shows the progress of the reading. Nothing else is printed meanwhile. */
export function readingOf(options: ReadingOptions, totalBytes: number | undefined, io: Io): Reading {
  const [malformed, badLines] = [new MalformedTally(), new LineTally()];
  return {
    ...options,
    ...startReading(io, totalBytes),
    malformed,
    badLines,
    report: async () => Math.max(await malformed.report(io), await badLines.report(io)),
  };
}

/** @throws Refusal, UsageError */
export function readPercentiles(
  input: ValueInput,
  { unit, textUnit, selection, onBytes }: Reading,
): Promise<PercentileInput> {
  return readPercentileInput(input, {
    unit: textScale(unit),
    selection,
    onBytes,
    ...(textUnit && { textUnit }),
  });
}
