import type { Selection } from '@hdrscope/interval-log';
import type { Io } from '../command.ts';
import type { InputKind } from '../inputs/kinds.ts';
import { LineTally } from '../inputs/line-tally.ts';
import { MalformedTally } from '../inputs/malformed-tally.ts';
import type { Input } from '../inputs/open-inputs.ts';
import type { PercentileInput, TextUnit } from '../inputs/percentile-input.ts';
import { readPercentileInput } from '../inputs/percentile-input.ts';
import { type ReadingProgress, startReading } from '../progress.ts';
import { type PlotUnits, textScale } from './units.ts';

/** What values are read of. */
export type ValueInput = Input<Exclude<InputKind, 'json'>>;

/** How inputs are read. */
export interface ReadingOptions extends PlotUnits {
  readonly textUnit: TextUnit | undefined;
  readonly selection: Selection;
}

/** What is wanted of inputs while they are read, and told of them afterwards. */
export interface Reading extends ReadingOptions, ReadingProgress {
  /** Of logs. */
  readonly malformed: MalformedTally;
  /** Of texts of numbers. */
  readonly badLines: LineTally;
  /** Tells of what was left out. @returns The exit code that this alone makes. */
  report(): Promise<number>;
}

/** Begins to show how much was read: nothing else is printed meanwhile. */
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
