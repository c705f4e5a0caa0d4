import { readText as readBeginning } from '@hdrscope/interval-log/internal';
import { type InputForm, recogniseInput } from './recognise.ts';

/** How much of an input is read to recognise it: its beginning, or only the first chunk when more may come late. */
export type Patience = 'beginning' | 'first chunk';

/** More than the text above the table of wrk2, or above the first interval of a log. */
export const BEGINNING_BYTES: number = 2 ** 16;

/** A stream that is recognised by its beginning. */
interface RecognisedStream {
  /** `undefined` when its beginning is not enough. */
  readonly kind: InputForm | undefined;
  /** The whole stream, from its beginning. */
  readonly source: BegunStream;
  /** Its first lines, decompressed, or all of them. */
  readonly beginning: string;
}

/** Recognises a stream by its beginning. It can be read only once, so its source begins with what was read. @param path Its name. */
export async function recogniseStream(
  stream: AsyncIterable<Uint8Array>,
  path: string,
  patience: Patience,
): Promise<RecognisedStream> {
  const enough = patience === 'beginning' ? BEGINNING_BYTES : 1;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  let kind: InputForm | undefined;
  let beginning = '';
  const rest = stream[Symbol.asyncIterator]();
  while (bytes < enough && (kind === undefined || (kind === 'json' && !showsMore(beginning)))) {
    const { done, value } = await rest.next();
    const isOver = done === true;
    if (!isOver) {
      chunks.push(value);
      bytes += value.length;
    }
    beginning = await readBeginning(chunks, BEGINNING_BYTES);
    kind = recogniseInput(beginning, { isWhole: isOver && patience === 'beginning' });
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
export class BegunStream implements AsyncIterable<Uint8Array> {
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
