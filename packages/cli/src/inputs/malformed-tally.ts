import type { LogSource, MalformedLine } from '@hdrscope/interval-log';
import type { Io } from '../command.ts';
import { LineTally } from './line-tally.ts';
import { nameOf } from './recognise.ts';

/** Counts the malformed lines of a command's logs. */
export class MalformedTally {
  readonly #lines = new LineTally();

  readonly add = ({ lineNumber, error }: MalformedLine, source: LogSource): void =>
    this.#lines.add(lineNumber, () => `${nameOf(source)}: ${error.message}`);

  /** Reports like `LineTally.report`. */
  report(io: Io): Promise<number> {
    return this.#lines.report(io);
  }
}
