import { ExitCode, type Io } from '../command.ts';
import { formatCount } from '../format.ts';

const SHOWN = 3;
const NUMBERED = 10;

/** Counts the lines that a command left out, and keeps messages about the first ones. */
export class LineTally {
  #count = 0;
  readonly #messages: string[] = [];
  readonly #lineNumbers: number[] = [];

  /** @param message Called only when the message is printed. */
  add(lineNumber: number, message: () => string): void {
    this.#count += 1;
    if (this.#messages.length < SHOWN) this.#messages.push(message());
    if (this.#lineNumbers.length < NUMBERED) this.#lineNumbers.push(lineNumber);
  }

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
