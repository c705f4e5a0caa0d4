import { createReadStream } from 'node:fs';
import { type LogSource, readText, recogniseText, type TextKind } from '@hdrscope/interval-log';
import type { Io } from '../command.ts';
import { nameOfPath } from '../input-file.ts';

/** A source, and what it is by its content. */
export interface Recognised {
  readonly kind: TextKind;
  /** All of it, from its beginning. */
  readonly source: LogSource;
}

/** What was looked at to recognise it, too. */
export interface BegunText extends Recognised {
  readonly source: string | AsyncIterable<Uint8Array>;
  readonly beginning: string;
}

/** How far it is looked for: where a line may be waited for, no further than to what comes first. */
export type Patience = 'beginning' | 'first chunk';

// More than stands above the table of wrk2, or above the first interval of a log.
const BEGINNING_BYTES = 2 ** 16;

/** Looks at the beginning of a file, or of a stream, which can be read only once. */
export async function recognise(
  path: string,
  isFile: boolean,
  io: Io,
  patience: Patience,
): Promise<BegunText> {
  if (isFile) {
    const beginning = await readText(path, BEGINNING_BYTES);
    return { kind: recogniseText(beginning) ?? 'log', source: path, beginning };
  }
  const enough = patience === 'beginning' ? BEGINNING_BYTES : 1;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  let kind: TextKind | undefined;
  let beginning = '';
  const rest = (path === '-' ? io.stdin : createReadStream(path, { signal: io.signal }))[
    Symbol.asyncIterator
  ]();
  while (kind === undefined && bytes < enough) {
    const { done, value } = await rest.next();
    if (done === true) break;
    chunks.push(value);
    bytes += value.length;
    beginning = await readText(chunks, BEGINNING_BYTES);
    kind = recogniseText(beginning);
  }
  return { kind: kind ?? 'log', source: new BegunStream(path, chunks, rest), beginning };
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
