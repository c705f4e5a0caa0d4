import type { Selection } from '@hdrscope/interval-log';
import type { CountedUnit } from '@hdrscope/registry';
import type { Io } from '../command.ts';
import { MalformedTally } from '../log/malformed.ts';
import type { PercentileInput, TextUnit } from '../log/percentile-input.ts';
import { readPercentileInput } from '../log/percentile-input.ts';
import { startProgress } from '../progress.ts';
import type { LogInput } from './inputs.ts';
import { textScale } from './units.ts';

/** How inputs are read. */
export interface ReadingOptions {
  readonly unit: CountedUnit;
  readonly textUnit: TextUnit | undefined;
  readonly selection: Selection;
}

/** What is wanted of logs while they are read, and told of them afterwards. */
export interface Reading extends ReadingOptions {
  readonly onBytes: (bytes: number) => void;
  readonly malformed: MalformedTally;
  /** When all were read: takes the progress away. */
  finish(): void;
}

/** Begins to show how much of the logs was read: nothing else is printed meanwhile. */
export function startReading(options: ReadingOptions, totalBytes: number | undefined, io: Io): Reading {
  const progress = startProgress(io, totalBytes, true);
  return {
    ...options,
    malformed: new MalformedTally(),
    onBytes: (bytes) => {
      io.signal.throwIfAborted();
      progress.add(bytes);
    },
    finish: progress.finish,
  };
}

/** @throws Refusal, UsageError */
export function readPercentiles(
  { source }: LogInput,
  { unit, textUnit, selection }: ReadingOptions,
): Promise<PercentileInput> {
  return readPercentileInput(
    { kind: 'percentiles', source },
    { unit: textScale(unit), selection, ...(textUnit && { textUnit }) },
  );
}
