import type { TextOutput } from './io.ts';

const LARGEST_BUFFER = 2 ** 16;

/** Gathers lines, so that not each of them is written on its own. */
export class BufferedOutput {
  readonly #output: TextOutput;
  #text = '';

  constructor(output: TextOutput) {
    this.#output = output;
  }

  /** To be awaited only where it returns something to wait for. */
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
