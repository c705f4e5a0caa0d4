import { Histogram } from '@hdrscope/core';
import { type Io, Refusal } from '../../command.ts';
import { LineTally } from '../line-tally.ts';
import type { LoadInput } from './load-input.ts';
import { readRequests } from './requests.ts';

// In nanoseconds, as hdrscope record counts milliseconds.
const TICKS_PER_MS = 1e6;

/** The beginning of the text, which states the unit. */
export const FIGURES_BEGINNING = '{"unit":"ms","resolution":0.000001,';

/**
 * The durations of a load test as figures with an encoded histogram, as `hdrscope record --format json` writes them. Each iteration reads
 * the input anew.
 */
export class RequestsAsFigures implements AsyncIterable<Uint8Array> {
  readonly #input: LoadInput;
  readonly #io: Io;

  constructor(input: LoadInput, io: Io) {
    this.#input = input;
    this.#io = io;
  }

  /** @throws Refusal when a line is malformed: figures of the others would look whole. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    const histogram = new Histogram();
    const badLines = new LineTally();
    await readRequests(
      this.#input,
      { badLines, onBytes: () => this.#io.signal.throwIfAborted() },
      { onRequest: (durationMs) => histogram.record(Math.round(durationMs * TICKS_PER_MS)) },
    );
    if ((await badLines.report(this.#io)) !== 0) throw new Refusal(`${this.#input.name} has malformed lines`);
    yield Buffer.from(`${FIGURES_BEGINNING}"encoded":"${histogram.toBase64()}"}\n`);
  }
}
