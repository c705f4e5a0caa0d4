import { createReadStream } from 'node:fs';
import { HdrscopeError } from '@hdrscope/core';
import { mustBe } from '@hdrscope/core/internal';
import { gunzip } from '#gunzip';

/**
 * A log to read: the path of a file, its bytes, or a stream of bytes (a Node.js stream, a web stream or any iterable).
 * The first bytes show whether it is compressed by gzip or written in UTF-16.
 */
export type LogSource =
  | string
  | URL
  | Uint8Array
  | AsyncIterable<Uint8Array>
  | Iterable<Uint8Array>
  | ReadableStream<Uint8Array>;

const CHUNK_BYTES = 2 ** 18;
const GZIP_MAGIC = [0x1f, 0x8b];

/** Whether a file begins as gzip does. */
export function isGzip(head: Uint8Array): boolean {
  return startsWith(head, GZIP_MAGIC);
}

/**
 * Reads any text as chunks of UTF-8, decompressed and without a byte order mark. Memory stays bounded for a text of any
 * length. An error of the source is thrown unchanged.
 *
 * @param onBytes Receives the number of bytes taken from the source, chunk by chunk.
 * @param maxInflatedBytes How many bytes of text a gzip stream may hold: an integer of at least 1. @default 64 MiB, or 250 times
 *   the compressed bytes if that is more
 * @throws HdrscopeError `ERR_INVALID_OPTION` when `source` is not a source; `ERR_LOG_FORMAT` after the last readable chunk of a gzip
 *   stream that is cut short or broken; `ERR_TOO_LARGE` when it holds more text than allowed.
 * @example
 * ```ts
 * import { gzipSync } from 'node:zlib';
 * import { readUtf8 } from '@hdrscope/interval-log/internal';
 *
 * let text = '';
 * for await (const chunk of readUtf8(gzipSync('1.5\n2\n'))) text += new TextDecoder().decode(chunk);
 * text; //=> '1.5\n2\n'
 * ```
 */
export async function* readUtf8(
  source: LogSource,
  onBytes?: (bytes: number) => void,
  maxInflatedBytes?: number,
): AsyncGenerator<Uint8Array, void> {
  const { head, rest } = await peek(readUnzipped(source, onBytes, maxInflatedBytes));
  yield* toUtf8(head, prepend(head, rest));
}

/** Reads bytes of any kind, decompressed, as `readUtf8` reads text. */
export async function* readUnzipped(
  source: LogSource,
  onBytes?: (bytes: number) => void,
  maxInflatedBytes?: number,
): AsyncGenerator<Uint8Array, void> {
  const { head, rest } = await peek(counted(openSource(source), onBytes));
  const whole = prepend(head, rest);
  yield* isGzip(head) ? gunzipWithin(whole, maxInflatedBytes) : whole;
}

function openSource(source: LogSource): AsyncIterable<Uint8Array> | Iterable<Uint8Array> {
  if (typeof source === 'string' || source instanceof URL) {
    return createReadStream(source, { highWaterMark: CHUNK_BYTES });
  }
  if (source instanceof Uint8Array) return [source];
  if (typeof source === 'object' && source !== null) {
    if (Symbol.asyncIterator in source || Symbol.iterator in source) return source;
  }
  throw mustBe('ERR_INVALID_OPTION', 'source', 'a path, bytes or a stream of bytes', source);
}

/** Reads bytes of any kind as they are. @throws HdrscopeError `ERR_INVALID_OPTION` when the source has none */
export function readChunks(source: LogSource): AsyncGenerator<Uint8Array, void> {
  return counted(openSource(source));
}

async function* counted(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  onBytes?: (bytes: number) => void,
): AsyncGenerator<Uint8Array, void> {
  for await (const chunk of chunks) {
    if (!(chunk instanceof Uint8Array)) {
      throw mustBe('ERR_INVALID_OPTION', 'source', 'a stream of bytes', chunk);
    }
    onBytes?.(chunk.length);
    yield chunk;
  }
}

interface Peeked {
  /** The first four bytes or more; fewer only if the stream is shorter. */
  readonly head: Uint8Array;
  readonly rest: AsyncIterator<Uint8Array, void>;
}

/** Reads enough of a stream to recognise its compression and encoding. */
async function peek(chunks: AsyncGenerator<Uint8Array, void>): Promise<Peeked> {
  let head = new Uint8Array(0);
  while (head.length < 4) {
    const { value, done } = await chunks.next();
    if (done === true) break;
    const longer = new Uint8Array(head.length + value.length);
    longer.set(head);
    longer.set(value, head.length);
    head = longer;
  }
  return { head, rest: chunks };
}

async function* prepend(
  head: Uint8Array,
  rest: AsyncIterator<Uint8Array, void>,
): AsyncGenerator<Uint8Array, void> {
  try {
    if (head.length > 0) yield head;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

function startsWith(bytes: Uint8Array, start: readonly number[]): boolean {
  return start.every((byte, at) => bytes[at] === byte);
}

const SMALL_BYTES = 2 ** 26;
const MOST_BYTES_PER_BYTE = 250;

/** Inflates a stream, and ends with an error when it has more text than allowed. */
async function* gunzipWithin(
  chunks: AsyncIterable<Uint8Array>,
  maxInflatedBytes: number | undefined,
): AsyncGenerator<Uint8Array, void> {
  let [given, taken] = [0, 0];
  const counting = counted(chunks, (bytes) => {
    given += bytes;
  });
  for await (const text of gunzip(counting)) {
    taken += text.length;
    const most = maxInflatedBytes ?? Math.max(SMALL_BYTES, MOST_BYTES_PER_BYTE * given);
    if (taken > most) {
      const message = `the decompressed text must have at most ${most} bytes, and has more after ${given} compressed bytes: decompress the file first, or set maxInflatedBytes`;
      throw new HdrscopeError('ERR_TOO_LARGE', message, {
        details: { what: 'decompressed text', limit: 'maxInflatedBytes', most },
      });
    }
    yield text;
  }
}

async function* toUtf8(
  head: Uint8Array,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  const encoding = detectUtf16(head);
  if (encoding !== undefined) {
    yield* reencode(chunks, encoding);
    return;
  }
  let skip = startsWith(head, UTF8_MARK) ? UTF8_MARK.length : 0;
  for await (const chunk of chunks) {
    yield skip > 0 ? chunk.subarray(skip) : chunk;
    skip = 0;
  }
}

const UTF8_MARK = [0xef, 0xbb, 0xbf];

/** Recognises UTF-16 by its byte order mark, or by the zero bytes between ASCII characters. */
function detectUtf16([a, b, c, d]: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (a === 0xff && b === 0xfe) return 'utf-16le';
  if (a === 0xfe && b === 0xff) return 'utf-16be';
  if (a !== 0 && b === 0 && c !== 0 && d === 0) return 'utf-16le';
  if (a === 0 && b !== 0 && c === 0 && d !== 0) return 'utf-16be';
  return undefined;
}

async function* reencode(
  chunks: AsyncIterable<Uint8Array>,
  encoding: string,
): AsyncGenerator<Uint8Array, void> {
  const decoder = new TextDecoder(encoding);
  const encoder = new TextEncoder();
  for await (const chunk of chunks) yield encoder.encode(decoder.decode(chunk, { stream: true }));
  yield encoder.encode(decoder.decode());
}
