import { createReadStream } from 'node:fs';
import { type LogSource, readText } from '@hdrscope/interval-log';
import type { Io } from '../command.ts';
import { nameOfPath } from './input-file.ts';
import { type FoundKind, kindOf } from './kinds.ts';

/** A file or a stream, and what it is by its content. */
export interface Recognised {
  /** `undefined` where its beginning does not tell. */
  readonly kind: FoundKind | undefined;
  /** All of it, from its beginning. */
  readonly source: LogSource;
}

/** How far it is looked for: where a line may be waited for, no further than to what comes first, which may go on. */
export type Patience = 'beginning' | 'first chunk';

// More than stands above the table of wrk2, or above the first interval of a log.
const BEGINNING_BYTES = 2 ** 16;

/** Looks at the beginning of a file, or of a stream, which can be read only once. */
export async function recognise(
  path: string,
  isFile: boolean,
  io: Io,
  patience: Patience,
): Promise<Recognised> {
  if (isFile) {
    const beginning = await readText(path, BEGINNING_BYTES);
    const isWhole = patience === 'beginning' && beginning.length < BEGINNING_BYTES;
    return { kind: kindOf(beginning, isWhole), source: path };
  }
  const enough = patience === 'beginning' ? BEGINNING_BYTES : 1;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  let kind: FoundKind | undefined;
  const rest = (path === '-' ? io.stdin : createReadStream(path, { signal: io.signal }))[
    Symbol.asyncIterator
  ]();
  while (kind === undefined && bytes < enough) {
    const { done, value } = await rest.next();
    const isOver = done === true;
    if (!isOver) {
      chunks.push(value);
      bytes += value.length;
    }
    kind = kindOf(await readText(chunks, BEGINNING_BYTES), isOver && patience === 'beginning');
    if (isOver) break;
  }
  return { kind, source: new BegunStream(path, chunks, rest) };
}

/** A stream of which the first chunks were read. It keeps the name that the person gave it. */
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

/** What a source is called in messages. */
export function nameOf(source: LogSource): string {
  if (typeof source === 'string') return source;
  return source instanceof BegunStream ? nameOfPath(source.path) : nameOfPath('-');
}
