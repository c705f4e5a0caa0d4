import { HdrscopeError } from '@hdrscope/core';
import { chunksOf, type ReadLinesOptions, readLines, refuseLine, type TextBytes } from '../bytes.ts';
import { isRequest, type RequestReader, type RequestSink } from './load.ts';

/**
 * The `simulation.log` of Gatling: text with tabs up to version 3.12, after assertions; then binary. Its times are whole milliseconds, and a
 * duration is the difference of two. Source: logs that versions 3.10.5, 3.12.0, 3.13.5 and 3.14.9 have written.
 */
export const GATLING_LOG: RequestReader = {
  mark: /^(?:(?:ASSERTION\t[^\n]{0,10000}\n){0,100}RUN\t|\0{4}[^\0]\d{1,3}\.\d{1,3}\.[^\0]{1,20}\0)/,
  facts: {
    tool: 'Gatling',
    errorMs: { lower: 1, upper: 1 },
    failure: 'requests that Gatling counts as KO: no response, or a failed check',
    unstated: 'there are no requests',
  },
  async read(bytes, options, sink) {
    const chunks = chunksOf(bytes);
    const first = await chunks.next();
    if (first.done === true) return;
    const all = resume(first.value, chunks);
    return first.value[0] === 0 ? readBinaryLog(all, options, sink) : readTextLog(all, options, sink);
  },
};

async function* resume(
  first: Uint8Array,
  rest: AsyncGenerator<Uint8Array, void>,
): AsyncGenerator<Uint8Array, void> {
  yield first;
  yield* rest;
}

/** The start and the end of a request, and its status. A number stands in front of the groups up to version 3.3. */
const REQUEST = /\t(\d{1,16})\t(\d{1,16})\t(OK|KO)(?:\t|$)/;

function readTextLog(bytes: TextBytes, options: ReadLinesOptions, sink: RequestSink): Promise<void> {
  const { name = 'the text', onBadLine = refuseLine } = options;
  return readLines(bytes, options, (line, lineNumber) => {
    if (!line.startsWith('REQUEST\t')) return;
    const [, start, end, status] = REQUEST.exec(line) ?? [];
    if (status !== undefined && takeRequest(sink, Number(start), Number(end), status === 'OK')) return;
    const message = `${name}: line ${lineNumber} must have the start and the end of a request, and OK or KO`;
    onBadLine({ lineNumber, message });
  });
}

/** Takes a request. @returns whether it can be one */
function takeRequest(sink: RequestSink, startMs: number, endMs: number, isOk: boolean): boolean {
  const [durationMs, atSec] = [endMs - startMs, startMs / 1000];
  if (!isRequest(durationMs, atSec)) return false;
  sink.onRequest(durationMs, atSec);
  sink.onOutcome?.(!isOk, atSec);
  return true;
}

// The binary log. Numbers are big-endian. A text is its length in bytes, the bytes and, unless it is empty, one more byte. Where a text may
// repeat, a positive number introduces a new one, and a negative number stands for an earlier one.

const [RUN, REQUEST_RECORD, USER, GROUP, ERROR] = [0, 1, 2, 3, 4];

// Longer ones must not fill the memory.
const LONGEST_RECORD = 2 ** 20;

/** A record that continues in the next chunk. */
class Incomplete extends Error {}

async function readBinaryLog(
  bytes: TextBytes,
  { name = 'the log' }: ReadLinesOptions,
  sink: RequestSink,
): Promise<void> {
  const log = new BinaryLog(name, sink);
  for await (const chunk of chunksOf(bytes)) log.push(chunk);
  log.finish();
}

class BinaryLog {
  readonly #name: string;
  readonly #sink: RequestSink;
  #bytes = new Uint8Array();
  #view = new DataView(this.#bytes.buffer);
  #at = 0;
  /** How many bytes came before `#bytes`. */
  #before = 0;
  /** The times of all records count from it. */
  #startMs: number | undefined;

  constructor(name: string, sink: RequestSink) {
    this.#name = name;
    this.#sink = sink;
  }

  /** @throws HdrscopeError `ERR_DECODE` */
  push(chunk: Uint8Array): void {
    const rest = this.#bytes.subarray(this.#at);
    this.#before += this.#at;
    this.#bytes = new Uint8Array(rest.length + chunk.length);
    this.#bytes.set(rest);
    this.#bytes.set(chunk, rest.length);
    this.#view = new DataView(this.#bytes.buffer);
    this.#at = 0;
    while (this.#at < this.#bytes.length) {
      const from = this.#at;
      try {
        this.#readRecord();
      } catch (error) {
        if (!(error instanceof Incomplete)) throw error;
        this.#at = from;
        if (this.#bytes.length - from > LONGEST_RECORD) throw this.#refusal('a record of more than 1 MiB');
        return;
      }
    }
  }

  /** @throws HdrscopeError `ERR_DECODE` when the log ends within a record. */
  finish(): void {
    if (this.#at < this.#bytes.length) throw this.#refusal('an end within a record');
  }

  #readRecord(): void {
    const type = this.#byte();
    if ((type === RUN) !== (this.#startMs === undefined)) throw this.#refusal(`a record of the type ${type}`);
    if (type === RUN) {
      this.#skipText();
      this.#skipText();
      const startMs = Number(this.#view.getBigInt64(this.#skip(8)));
      this.#skipText();
      for (let texts = this.#length(); texts > 0; texts--) this.#skipText();
      for (let assertions = this.#length(); assertions > 0; assertions--) this.#skip(this.#length());
      this.#startMs = startMs;
    } else if (type === REQUEST_RECORD) {
      this.#skipGroups();
      this.#skipKnownText();
      const [start, end] = [this.#int(), this.#int()];
      const isOk = this.#flag();
      this.#skipKnownText();
      const startMs = this.#startMs! + start;
      if (!takeRequest(this.#sink, startMs, startMs + end - start, isOk))
        throw this.#refusal('a request that ends before it begins');
    } else if (type === USER) {
      this.#int();
      this.#flag();
      this.#int();
    } else if (type === GROUP) {
      this.#skipGroups();
      this.#skip(12);
      this.#flag();
    } else if (type === ERROR) {
      this.#skipKnownText();
      this.#int();
    } else throw this.#refusal(`a record of the type ${type}`);
  }

  #skipGroups(): void {
    for (let groups = this.#length(); groups > 0; groups--) this.#skipKnownText();
  }

  #skipKnownText(): void {
    const number = this.#int();
    if (number > 0) this.#skipText();
    else if (number === 0) throw this.#refusal('a text without a number');
  }

  #skipText(): void {
    const length = this.#length();
    if (length > 0) this.#skip(length + 1);
  }

  #length(): number {
    const length = this.#int();
    if (length < 0 || length > LONGEST_RECORD) throw this.#refusal(`a length of ${length}`);
    return length;
  }

  #int(): number {
    return this.#view.getInt32(this.#skip(4));
  }

  #flag(): boolean {
    const byte = this.#byte();
    if (byte > 1) throw this.#refusal(`${byte} where there must be 0 or 1`);
    return byte === 1;
  }

  #byte(): number {
    return this.#view.getUint8(this.#skip(1));
  }

  /** @returns where the skipped bytes begin */
  #skip(length: number): number {
    const at = this.#at;
    if (at + length > this.#bytes.length) throw new Incomplete();
    this.#at = at + length;
    return at;
  }

  #refusal(what: string): HdrscopeError {
    const where = this.#before + this.#at;
    const message = `${this.#name} is a binary log of Gatling with ${what} at byte ${where}: it is damaged, or of a version after 3.14`;
    return new HdrscopeError('ERR_DECODE', message, { details: { byte: where } });
  }
}
