import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { OtlpEncoding } from '@hdrscope/otel/receiver';
import { Refusal } from '../../command.ts';
import { systemErrorText } from '../../system-error.ts';

/** A request of a file, as the file exporter of the OpenTelemetry Collector writes it. */
export interface OtlpBody {
  /** `undefined` when the file ends within the request. */
  readonly bytes: Uint8Array | undefined;
  readonly encoding: OtlpEncoding;
  /** Its place among the requests of the file, from 1: in JSON the number of its line. */
  readonly place: number;
}

// More than a Collector writes at once, and little enough for memory.
const MOST_BYTES = 2 ** 26;
// Requests may have several MiB.
const CHUNK_BYTES = 2 ** 20;
const NEWLINE = 0x0a;
const BEGINNING_BYTES = 64;
const GZIP_MAGIC = [0x1f, 0x8b];

/** In protobuf, each request has its length before it: 4 bytes, the largest first. */
const LENGTH_BYTES = 4;
/** The first byte of a request in protobuf: field 1, a message. */
const FIRST_FIELD = 0x0a;

/** How a file of OTLP is written, plain or gzipped; `undefined` for any other file. */
export async function encodingOf(path: string): Promise<OtlpEncoding | undefined> {
  let beginning = Buffer.alloc(0);
  try {
    for await (const chunk of bytesOf(path)) {
      beginning = Buffer.concat([beginning, chunk]);
      if (beginning.length >= BEGINNING_BYTES) break;
    }
  } catch {
    // Another reader says what is wrong.
    return undefined;
  }
  if (/^\s*\{\s*"resourceMetrics"\s*:/.test(beginning.toString())) return 'json';
  const length = beginning.length > LENGTH_BYTES ? beginning.readUInt32BE() : 0;
  return length > 0 && length <= MOST_BYTES && beginning[LENGTH_BYTES] === FIRST_FIELD
    ? 'protobuf'
    : undefined;
}

/**
 * The requests of a file.
 *
 * @param onBytes Gets the number of bytes of each chunk of the file. What it throws ends the reading.
 * @throws Refusal when the file cannot be read, or a request is larger than 64 MiB.
 */
export async function* bodiesOf(
  path: string,
  encoding: OtlpEncoding,
  onBytes: (bytes: number) => void,
): AsyncGenerator<OtlpBody, void> {
  const cut = encoding === 'json' ? nextLine : nextMessage;
  let rest: Buffer = Buffer.alloc(0);
  let place = 1;
  try {
    for await (const chunk of bytesOf(path, onBytes)) {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      for (let found = cut(rest, place); found !== undefined; found = cut(rest, place)) {
        rest = rest.subarray(found.end);
        if (found.bytes.length > 0) yield { bytes: found.bytes, encoding, place };
        place++;
      }
      if (rest.length > MOST_BYTES) throw new Refusal(`${path}: request ${place} is larger than 64 MiB`);
    }
  } catch (error) {
    throw readingError(error, path);
  }
  if (rest.length === 0) return;
  if (encoding === 'protobuf') yield { bytes: undefined, encoding, place };
  // The last line may lack its end.
  else if (rest.toString().trim() !== '') yield { bytes: rest, encoding, place };
}

/** The error of a file or of its compression as a sentence; any other error unchanged. */
function readingError(error: unknown, path: string): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code?.startsWith('Z_') === true) {
    return new Refusal(`${path}: the gzip stream is cut short or broken`, { cause: error });
  }
  return syscall === undefined ? error : new Refusal(systemErrorText(error, path), { cause: error });
}

interface Cut {
  readonly bytes: Uint8Array;
  /** Where the next request begins. */
  readonly end: number;
}

/** The first line of JSON. A file may also be one document over several lines. */
function nextLine(rest: Buffer, place: number): Cut | undefined {
  const end = rest.indexOf(NEWLINE);
  if (end < 0) return undefined;
  const line = rest.subarray(0, end);
  const text = line.toString().trim();
  if (place === 1 && text.startsWith('{') && !text.endsWith('}')) return undefined;
  return { bytes: text === '' ? new Uint8Array(0) : line, end: end + 1 };
}

function nextMessage(rest: Buffer): Cut | undefined {
  if (rest.length < LENGTH_BYTES) return undefined;
  const end = LENGTH_BYTES + rest.readUInt32BE();
  return rest.length < end ? undefined : { bytes: rest.subarray(LENGTH_BYTES, end), end };
}

/** The bytes of a file, decompressed. */
async function* bytesOf(path: string, onBytes?: (bytes: number) => void): AsyncGenerator<Buffer, void> {
  const file = createReadStream(path, { highWaterMark: CHUNK_BYTES });
  try {
    const chunks = counted(file, onBytes);
    const { value: first, done } = await chunks.next();
    if (done === true) return;
    const all = Readable.from(begunWith(first, chunks), { objectMode: false });
    if (!GZIP_MAGIC.every((byte, at) => first[at] === byte)) {
      yield* all as AsyncIterable<Buffer>;
      return;
    }
    const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
    all.on('error', (error) => gunzip.destroy(error));
    try {
      yield* all.pipe(gunzip) as AsyncIterable<Buffer>;
    } finally {
      gunzip.destroy();
      all.destroy();
    }
  } finally {
    file.destroy();
  }
}

async function* counted(
  chunks: AsyncIterable<Buffer>,
  onBytes: ((bytes: number) => void) | undefined,
): AsyncGenerator<Buffer, void> {
  for await (const chunk of chunks) {
    onBytes?.(chunk.length);
    yield chunk;
  }
}

async function* begunWith(first: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  yield first;
  yield* rest;
}
