import { Inflater } from '@hdrscope/core/internal/inflater';
import { addToCrc } from './crc32.ts';

// Source of all numbers: RFC 1952.
const MAGIC = [0x1f, 0x8b, 8];
const HEADER_BYTES = 10;
const TRAILER_BYTES = 8;
const [HAS_CHECK, HAS_EXTRA, HAS_NAME, HAS_COMMENT, RESERVED] = [2, 4, 8, 16, 0xe0];
/** Longer names and comments are refused, because their ends must be found in memory. */
const LONGEST_HEADER = 2 ** 18;
const NOTHING = new Uint8Array(0);

/** Reads gzip streams that follow each other, in pieces. */
export class GzipStreams {
  readonly #inflater = new Inflater();
  #place: 'header' | 'content' | 'trailer' | 'padding' = 'header';
  #isFirst = true;
  /** Bytes of a header or a trailer whose end has not come. */
  #begun: Uint8Array = NOTHING;
  #crc = 0;
  #textBytes = 0;

  /** Inflates a piece. Each text ends with the piece or with a stream. @throws RangeError when a stream is broken */
  push(piece: Uint8Array): Uint8Array[] {
    const texts: Uint8Array[] = [];
    let rest: Uint8Array | undefined = this.#join(piece);
    while (rest !== undefined && rest.length > 0) {
      if (this.#place === 'content') {
        this.#inflater.push(rest);
        texts.push(this.#takeText());
        rest = this.#endContent();
      } else rest = this.#place === 'trailer' ? this.#endTrailer(rest) : this.#endHeader(rest);
    }
    return texts;
  }

  /** @throws RangeError when a stream has not ended */
  end(): void {
    const isOver = this.#begun.length === 0 && this.#place !== 'content' && this.#place !== 'trailer';
    if (!isOver || this.#isFirst) throw new RangeError('unexpected end of file');
  }

  #join(piece: Uint8Array): Uint8Array {
    if (this.#begun.length === 0) return piece;
    const whole = new Uint8Array(this.#begun.length + piece.length);
    whole.set(this.#begun);
    whole.set(piece, this.#begun.length);
    this.#begun = NOTHING;
    return whole;
  }

  /** Keeps bytes until more come. */
  #wait(bytes: Uint8Array): undefined {
    this.#begun = bytes.slice();
  }

  #endHeader(bytes: Uint8Array): Uint8Array | undefined {
    if (!this.#isFirst && (this.#place === 'padding' || bytes[0] === 0)) {
      this.#place = 'padding';
      if (bytes.every((byte) => byte === 0)) return undefined;
      throw new RangeError('the bytes after it are not compressed');
    }
    const isGzip = MAGIC.every((byte, at) => at >= bytes.length || bytes[at] === byte);
    if (!isGzip)
      throw new RangeError(
        this.#isFirst ? 'incorrect header check' : 'the bytes after it are not compressed',
      );
    const length = measureHeader(bytes);
    if (length === undefined) {
      if (bytes.length > LONGEST_HEADER)
        throw new RangeError(`a header is longer than ${LONGEST_HEADER} bytes`);
      return this.#wait(bytes);
    }
    this.#isFirst = false;
    this.#inflater.begin();
    [this.#place, this.#crc, this.#textBytes] = ['content', 0, 0];
    return bytes.subarray(length);
  }

  #takeText(): Uint8Array {
    const text = this.#inflater.take();
    this.#crc = addToCrc(this.#crc, text);
    this.#textBytes += text.length;
    return text;
  }

  #endContent(): Uint8Array | undefined {
    if (!this.#inflater.isDone) return undefined;
    this.#place = 'trailer';
    return this.#inflater.rest;
  }

  #endTrailer(bytes: Uint8Array): Uint8Array | undefined {
    if (bytes.length < TRAILER_BYTES) return this.#wait(bytes);
    const trailer = new DataView(bytes.buffer, bytes.byteOffset);
    if (trailer.getUint32(0, true) !== this.#crc) throw new RangeError('incorrect data check');
    if (trailer.getUint32(4, true) !== this.#textBytes % 2 ** 32)
      throw new RangeError('incorrect length check');
    this.#place = 'header';
    return bytes.subarray(TRAILER_BYTES);
  }
}

/** The length of a header; `undefined` when its end has not come. @throws RangeError when it is broken */
function measureHeader(bytes: Uint8Array): number | undefined {
  if (bytes.length < HEADER_BYTES) return undefined;
  const flags = bytes[3]!;
  if ((flags & RESERVED) !== 0) throw new RangeError('unknown header flags set');
  let at = HEADER_BYTES;
  if ((flags & HAS_EXTRA) !== 0) at += 2 + (bytes[at] ?? 0) + 256 * (bytes[at + 1] ?? 0);
  for (const text of [HAS_NAME, HAS_COMMENT]) {
    if ((flags & text) === 0) continue;
    const end = bytes.indexOf(0, at);
    if (end === -1) return undefined;
    at = end + 1;
  }
  if ((flags & HAS_CHECK) !== 0) {
    const check = addToCrc(0, bytes.subarray(0, at)) & 0xffff;
    at += 2;
    if (at <= bytes.length && bytes[at - 2]! + 256 * bytes[at - 1]! !== check)
      throw new RangeError('header crc mismatch');
  }
  return at <= bytes.length ? at : undefined;
}
