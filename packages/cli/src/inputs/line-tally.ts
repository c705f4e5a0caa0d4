import type { BadLine } from '@hdrscope/inputs/internal';
import type { LogSource, MalformedLine } from '@hdrscope/interval-log';
import { formatCount } from '@hdrscope/kit';
import { ExitCode, type Io, Refusal } from '../command.ts';
import type { ReadingProgress } from '../screen/progress.ts';
import { nameOf } from './input.ts';

const SHOWN = 3;
const NUMBERED = 10;

/** Counts the lines that a command left out, and keeps messages about the first ones. */
export class LineTally {
  #count = 0;
  readonly #messages: string[] = [];
  readonly #lineNumbers: number[] = [];

  readonly add = ({ lineNumber, message }: BadLine): void => {
    this.#count += 1;
    if (this.#messages.length < SHOWN) this.#messages.push(message);
    if (this.#lineNumbers.length < NUMBERED) this.#lineNumbers.push(lineNumber);
  };

  /**
   * Reports on standard error what was left out.
   *
   * @returns `ExitCode.refused` when a line was left out.
   */
  async report(io: Io): Promise<number> {
    if (this.#count === 0) return ExitCode.done;
    const unnumbered = this.#count - this.#lineNumbers.length;
    const numbers = `${this.#lineNumbers.join(', ')}${unnumbered > 0 ? ` and ${formatCount(unnumbered)} more` : ''}`;
    const sum =
      this.#count === 1
        ? 'left out 1 malformed line'
        : `left out ${formatCount(this.#count)} malformed lines: lines ${numbers}`;
    await io.stderr.write([...this.#messages, sum].map((text) => `hdrscope: ${text}\n`).join(''));
    return ExitCode.refused;
  }
}

// Malformed lines.

/** Counts the malformed lines of a command's logs. */
export class MalformedTally {
  readonly #lines = new LineTally();

  readonly add = ({ lineNumber, error }: MalformedLine, source: LogSource): void =>
    this.#lines.add({ lineNumber, message: `${nameOf(source)}: ${error.message}` });

  /** Reports like `LineTally.report`. */
  report(io: Io): Promise<number> {
    return this.#lines.report(io);
  }
}

// Readings.

/** The progress of a reading, and the lines that it leaves out. */
export interface TalliedReading extends ReadingProgress {
  /** For logs. */
  readonly malformed: MalformedTally;
  /** For texts of numbers. */
  readonly badLines: LineTally;
  /**
   * Reports what was left out.
   *
   * @param exitCode That of the verdict. @default `ExitCode.done`
   * @returns `ExitCode.refused` when something was left out, which could change any verdict; else the given exit code.
   */
  report(exitCode?: number): Promise<number>;
  /** Removes the progress after a reading. Lines that were left out may be the reason of a refusal, so they are reported then, too. */
  finishAfter<Result>(reading: Promise<Result>): Promise<Result>;
}

/** Starts a reading. Nothing else is printed meanwhile. */
export function startTalliedReading(io: Io, progress: ReadingProgress): TalliedReading {
  const [malformed, badLines] = [new MalformedTally(), new LineTally()];
  const report = async (exitCode: number = ExitCode.done) =>
    Math.max(await malformed.report(io), await badLines.report(io)) || exitCode;
  return {
    ...progress,
    ...{ malformed, badLines, report },
    finishAfter: (reading) =>
      reading.finally(progress.finish).catch(async (error: unknown) => {
        if (error instanceof Refusal) await report();
        throw error;
      }),
  };
}

// What is left out.

/** `3 malformed lines are left out`; `undefined` when the count is 0. */
export function leftOutText(
  count: number,
  [one, several]: readonly [one: string, several: string],
): string | undefined {
  if (count === 0) return undefined;
  return count === 1 ? `1 ${one} is left out` : `${formatCount(count)} ${several} are left out`;
}

/** The names of intervals that series cannot count, for `leftOutText`. */
export const DOUBLES = ['interval of doubles', 'intervals of doubles'] as const;

/** The names of intervals that are damaged within, for `leftOutText`. */
export const UNDECODABLE = [
  'interval whose histogram cannot be decoded',
  'intervals whose histogram cannot be decoded',
] as const;
