import { createReadStream } from 'node:fs';
import type { LogSource } from '@hdrscope/interval-log';
import { readText } from '@hdrscope/interval-log/internal';
import type { Io } from '../command.ts';
import { nameOfPath } from './input-file.ts';
import { type FoundKind, kindOf } from './kinds.ts';

/** A file or stream, and its kind by its content. */
interface Recognised {
  /** `undefined` when its beginning is not enough. */
  readonly kind: FoundKind | undefined;
  /** The whole input, from its beginning. */
  readonly source: LogSource;
  /** Its first lines, decompressed, or all of them. */
  readonly beginning: string;
}

/** How much of an input is read to recognise it: its beginning, or only the first chunk when more may come late. */
export type Patience = 'beginning' | 'first chunk';

// More than the text above the table of wrk2, or above the first interval of a log.
const BEGINNING_BYTES = 2 ** 16;

/** Recognises a file or stream by its beginning. A stream can be read only once, so its source begins with what was read. */
export async function recognise(
  path: string,
  isFile: boolean,
  io: Io,
  patience: Patience,
): Promise<Recognised> {
  if (isFile) {
    const beginning = await readText(path, BEGINNING_BYTES);
    const isWhole = patience === 'beginning' && beginning.length < BEGINNING_BYTES;
    return { kind: kindOf(beginning, isWhole), source: path, beginning };
  }
  const enough = patience === 'beginning' ? BEGINNING_BYTES : 1;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  let kind: FoundKind | undefined;
  let beginning = '';
  const rest = (path === '-' ? io.stdin : createReadStream(path, { signal: io.signal }))[
    Symbol.asyncIterator
  ]();
  while (bytes < enough && (kind === undefined || (kind === 'json' && !showsMore(beginning)))) {
    const { done, value } = await rest.next();
    const isOver = done === true;
    if (!isOver) {
      chunks.push(value);
      bytes += value.length;
    }
    beginning = await readText(chunks, BEGINNING_BYTES);
    kind = kindOf(beginning, isOver && patience === 'beginning');
    if (isOver) break;
  }
  return { kind, source: new BegunStream(path, chunks, rest), beginning };
}

// A document in one line may be long; a histogram in it comes early.
const LONG_LINE = 8192;

/** Whether the beginning of JSON shows what it is: it has a document in a line of its own. */
function showsMore(beginning: string): boolean {
  return beginning.includes('}\n') || beginning.length > LONG_LINE;
}

/** A stream whose first chunks were read already. It keeps the name that the person gave it. */
class BegunStream implements AsyncIterable<Uint8Array> {
  readonly path: string;
  readonly #begun: readonly Uint8Array[];
  readonly #rest: AsyncIterator<Uint8Array>;

  constructor(path: string, begun: readonly Uint8Array[], rest: AsyncIterator<Uint8Array>) {
    this.path = path;
    this.#begun = begun;
    this.#rest = rest;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    try {
      yield* this.#begun;
      for (let next = await this.#rest.next(); next.done !== true; next = await this.#rest.next()) {
        yield next.value;
      }
    } finally {
      await this.#rest.return?.();
    }
  }
}

/** The name of a source in messages. */
export function nameOf(source: LogSource): string {
  if (typeof source === 'string') return source;
  return source instanceof BegunStream ? nameOfPath(source.path) : nameOfPath('-');
}
