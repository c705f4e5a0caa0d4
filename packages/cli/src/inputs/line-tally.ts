import { ExitCode, type Io } from '../command.ts';

const SHOWN = 3;
const NUMBERED = 10;

/** Counts the lines that a command left out, and tells of the first ones. */
export class LineTally {
  #count = 0;
  readonly #messages: string[] = [];
  readonly #lineNumbers: number[] = [];

  /** @param message Asked only for a line that is told of. */
  add(lineNumber: number, message: () => string): void {
    this.#count += 1;
    if (this.#messages.length < SHOWN) this.#messages.push(message());
    if (this.#lineNumbers.length < NUMBERED) this.#lineNumbers.push(lineNumber);
  }

  /**
   * Says on standard error what was left out.
   *
   * @returns The exit code that this alone makes.
   */
  async report(io: Io): Promise<number> {
    if (this.#count === 0) return ExitCode.done;
    const unnumbered = this.#count - this.#lineNumbers.length;
    const numbers = `${this.#lineNumbers.join(', ')}${unnumbered > 0 ? ` and ${unnumbered} more` : ''}`;
    const sum =
      this.#count === 1
        ? 'left out 1 malformed line'
        : `left out ${this.#count} malformed lines: lines ${numbers}`;
    await io.stderr.write([...this.#messages, sum].map((text) => `hdrscope: ${text}\n`).join(''));
    return ExitCode.refused;
  }
}
