import { HdrscopeError } from '@hdrscope/core';
import { assertFollows } from '@hdrscope/core/internal';
import { readUnzipped } from '@hdrscope/interval-log/internal';
import { joinBytes } from '@hdrscope/kit';
import type { OtlpEncoding } from '@hdrscope/otel/receiver';
import { byteArray } from '../bytes.ts';

/** A request of a file, as the file exporter of the OpenTelemetry Collector writes it. */
export interface OtlpRequest {
  /** `undefined` when the file ends within the request. */
  readonly bytes: Uint8Array | undefined;
  readonly encoding: OtlpEncoding;
  /** Its place among the requests of the file, from 1: in JSON the number of its line. */
  readonly place: number;
}

// More than a Collector writes at once, and little enough for memory.
const MOST_BYTES = 2 ** 26;
const NEWLINE = 0x0a;
const BEGINNING_BYTES = 64;

/** In protobuf, each request has its length before it: 4 bytes, the largest first. */
const LENGTH_BYTES = 4;
/** The first byte of a request in protobuf: field 1, a message. */
const FIRST_FIELD = 0x0a;

/**
 * Recognises a file of OTLP by its beginning, as the file exporter of the OpenTelemetry Collector writes it: lines of JSON, or protobuf;
 * `undefined` for any other file.
 *
 * @param beginning Its first 64 bytes or more, without compression.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the beginning has no bytes.
 * @example
 * ```ts
 * import { recogniseOtlp } from '@hdrscope/inputs/history';
 *
 * recogniseOtlp(new TextEncoder().encode('{"resourceMetrics":[]}')); //=> 'json'
 * recogniseOtlp(new TextEncoder().encode('Dear all,')); //=> undefined
 * ```
 */
export function recogniseOtlp(beginning: Uint8Array): OtlpEncoding | undefined {
  assertFollows('the beginning', byteArray, beginning);
  const text = new TextDecoder().decode(beginning.subarray(0, BEGINNING_BYTES));
  if (/^\s*\{\s*"resourceMetrics"\s*:/.test(text)) return 'json';
  const length = beginning.length > LENGTH_BYTES ? readLength(beginning) : 0;
  return length > 0 && length <= MOST_BYTES && beginning[LENGTH_BYTES] === FIRST_FIELD
    ? 'protobuf'
    : undefined;
}

/** How a file of OTLP is written, plain or gzipped; `undefined` for any other file, and one that cannot be read. */
export async function recogniseOtlpFile(path: string): Promise<OtlpEncoding | undefined> {
  let beginning: Uint8Array = new Uint8Array();
  try {
    for await (const chunk of readUnzipped(path)) {
      beginning = joinBytes([beginning, chunk]);
      if (beginning.length >= BEGINNING_BYTES) break;
    }
  } catch {
    // Another reader says what is wrong.
    return undefined;
  }
  return recogniseOtlp(beginning);
}

/**
 * Splits a file into its requests.
 *
 * @throws HdrscopeError `ERR_TOO_LARGE` when a request is larger than 64 MiB.
 */
export async function* splitRequests(
  bytes: AsyncIterable<Uint8Array>,
  encoding: OtlpEncoding,
  name: string,
): AsyncGenerator<OtlpRequest, void> {
  const cut = encoding === 'json' ? nextLine : nextMessage;
  let rest: Uint8Array = new Uint8Array();
  let place = 1;
  for await (const chunk of bytes) {
    rest = rest.length === 0 ? chunk : joinBytes([rest, chunk]);
    for (let found = cut(rest, place); found !== undefined; found = cut(rest, place)) {
      rest = rest.subarray(found.end);
      if (found.bytes.length > 0) yield { bytes: found.bytes, encoding, place };
      place++;
    }
    if (rest.length > MOST_BYTES) {
      throw new HdrscopeError('ERR_TOO_LARGE', `${name}: request ${place} is larger than 64 MiB`);
    }
  }
  if (rest.length === 0) return;
  if (encoding === 'protobuf') yield { bytes: undefined, encoding, place };
  // The last line may lack its end.
  else if (decodeText(rest).trim() !== '') yield { bytes: rest, encoding, place };
}

interface Cut {
  readonly bytes: Uint8Array;
  /** Where the next request begins. */
  readonly end: number;
}

/** The first line of JSON. A file may also be one document over several lines. */
function nextLine(rest: Uint8Array, place: number): Cut | undefined {
  const end = rest.indexOf(NEWLINE);
  if (end < 0) return undefined;
  const line = rest.subarray(0, end);
  const text = decodeText(line).trim();
  if (place === 1 && text.startsWith('{') && !text.endsWith('}')) return undefined;
  return { bytes: text === '' ? new Uint8Array(0) : line, end: end + 1 };
}

function nextMessage(rest: Uint8Array): Cut | undefined {
  if (rest.length < LENGTH_BYTES) return undefined;
  const end = LENGTH_BYTES + readLength(rest);
  return rest.length < end ? undefined : { bytes: rest.subarray(LENGTH_BYTES, end), end };
}

function readLength(bytes: Uint8Array): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
}

function decodeText(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
