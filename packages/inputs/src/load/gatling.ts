import { HdrscopeError } from '@hdrscope/core';
import { chunksOf, readLines, refuseLine, type TextBytes } from '../bytes.ts';
import {
  assertLabels,
  isRequest,
  type ReadRequestsOptions,
  type RequestReader,
  type RequestSink,
} from './load.ts';

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
    assertLabels(options.labels ?? [], LABELS);
    const chunks = chunksOf(bytes);
    const first = await chunks.next();
    if (first.done === true) return;
    const all = resume(first.value, chunks);
    return first.value[0] === 0 ? readBinaryLog(all, options, sink) : readTextLog(all, options, sink);
  },
};

/** The name of a request, and the groups that it is in, with commas between them. */
const LABELS = ['name', 'group'];

async function* resume(
  first: Uint8Array,
  rest: AsyncGenerator<Uint8Array, void>,
): AsyncGenerator<Uint8Array, void> {
  yield first;
  yield* rest;
}

/** The start and the end of a request, and its status. A number stands in front of the groups up to version 3.3. */
const REQUEST = /\t(\d{1,16})\t(\d{1,16})\t(OK|KO)(?:\t|$)/;

function readTextLog(bytes: TextBytes, options: ReadRequestsOptions, sink: RequestSink): Promise<void> {
  const { name = 'the text', onBadLine = refuseLine, labels = [] } = options;
  return readLines(bytes, options, (line, lineNumber) => {
    if (!line.startsWith('REQUEST\t')) return;
    const found = REQUEST.exec(line);
    if (found !== null) {
      const [, start, end, status] = found;
      const texts = labels.length === 0 ? [] : line.slice(0, found.index).split('\t');
      const values = labels.map((label) => texts.at(label === 'name' ? -1 : -2) ?? '');
      if (takeRequest(sink, Number(start), Number(end), status === 'OK', values)) return;
    }
    const message = `${name}: line ${lineNumber} must have the start and the end of a request, and OK or KO`;
    onBadLine({ lineNumber, message });
  });
}

/** Takes a request. @returns whether it can be one */
function takeRequest(
  sink: RequestSink,
  startMs: number,
  endMs: number,
  isOk: boolean,
  labels: readonly string[],
): boolean {
  const [durationMs, atSec] = [endMs - startMs, startMs / 1000];
  if (!isRequest(durationMs, atSec)) return false;
  sink.onRequest(durationMs, atSec, labels.length === 0 ? undefined : labels);
  sink.onOutcome?.(!isOk, atSec);
  return true;
}

// The binary log. Numbers are big-endian. A text is its length in bytes, the bytes and, unless it is empty, one more byte. Where a text may
// repeat, a positive number introduces a new one, and a negative number stands for an earlier one.

const [RUN, REQUEST_RECORD, USER, GROUP, ERROR] = [0, 1, 2, 3, 4];

// Longer ones must not fill the memory.
const LONGEST_RECORD = 2 ** 20;
const MOST_TEXTS = 100_000;

// The last byte of a text says which of the two Java has in its memory.
const LATIN_1 = /* @__PURE__ */ new TextDecoder('latin1');
const UTF_16 = /* @__PURE__ */ new TextDecoder('utf-16le');

/** A record that continues in the next chunk. */
class Incomplete extends Error {}

async function readBinaryLog(
  bytes: TextBytes,
  { name = 'the log', labels = [] }: ReadRequestsOptions,
  sink: RequestSink,
): Promise<void> {
  const log = new BinaryLog(name, labels, sink);
  for await (const chunk of chunksOf(bytes)) log.push(chunk);
  log.finish();
}

class BinaryLog {
  readonly #name: string;
  readonly #labels: readonly string[];
  readonly #sink: RequestSink;
  /** The texts that may be referred to, by their numbers, while there are labels. */
  readonly #texts = new Map<number, string>();
  #bytes = new Uint8Array();
  #view = new DataView(this.#bytes.buffer);
  #at = 0;
  /** How many bytes came before `#bytes`. */
  #before = 0;
  /** The times of all records count from it. */
  #startMs: number | undefined;

  constructor(name: string, labels: readonly string[], sink: RequestSink) {
    this.#name = name;
    this.#labels = labels;
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
      const group = this.#groups();
      const name = this.#knownText();
      const values = this.#labels.map((label) => (label === 'name' ? name : group));
      const [start, end] = [this.#int(), this.#int()];
      const isOk = this.#flag();
      this.#knownText();
      const startMs = this.#startMs! + start;
      if (!takeRequest(this.#sink, startMs, startMs + end - start, isOk, values))
        throw this.#refusal('a request that ends before it begins');
    } else if (type === USER) {
      this.#int();
      this.#flag();
      this.#int();
    } else if (type === GROUP) {
      this.#groups();
      this.#skip(12);
      this.#flag();
    } else if (type === ERROR) {
      this.#knownText();
      this.#int();
    } else throw this.#refusal(`a record of the type ${type}`);
  }

  #groups(): string {
    const groups: string[] = [];
    for (let left = this.#length(); left > 0; left--) groups.push(this.#knownText());
    return groups.join();
  }

  /** @returns the text; `''` without labels, where nobody needs it */
  #knownText(): string {
    const number = this.#int();
    if (number === 0) throw this.#refusal('a text without a number');
    if (this.#labels.length === 0) {
      if (number > 0) this.#skipText();
      return '';
    }
    if (number > 0) {
      const text = this.#text();
      // The messages of errors are texts, too.
      if (this.#texts.size >= MOST_TEXTS) throw this.#refusal(`more than ${MOST_TEXTS} texts`);
      this.#texts.set(number, text);
      return text;
    }
    const text = this.#texts.get(-number);
    if (text === undefined) throw this.#refusal(`a text ${-number} that did not come before`);
    return text;
  }

  #text(): string {
    const length = this.#length();
    if (length === 0) return '';
    const from = this.#skip(length + 1);
    const bytes = this.#bytes.subarray(from, from + length);
    return (this.#bytes[from + length] === 0 ? LATIN_1 : UTF_16).decode(bytes);
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
