import type { TextOutput } from './io.ts';

const LARGEST_BUFFER = 2 ** 16;

/** Joins lines into larger writes. */
export class BufferedOutput {
  readonly #output: TextOutput;
  #text = '';

  constructor(output: TextOutput) {
    this.#output = output;
  }

  /** Adds text. Await the result only if it is a promise. */
  add(text: string): void | Promise<void> {
    this.#text += text;
    if (this.#text.length > LARGEST_BUFFER) return this.flush();
  }

  async flush(): Promise<void> {
    const text = this.#text;
    this.#text = '';
    if (text !== '') await this.#output.write(text);
  }
}
