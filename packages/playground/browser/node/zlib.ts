/** The part of `node:zlib` that readers of a history use. */
import { addToCrc, GzipStreams } from '@hdrscope/interval-log/internal';

const PIECE_BYTES = 2 ** 14;

export function crc32(bytes: Uint8Array, crc = 0): number {
  return addToCrc(crc, bytes);
}

/** @throws RangeError when the stream is broken, or longer than allowed */
export function gunzipSync(bytes: Uint8Array, { maxOutputLength }: { maxOutputLength: number }): Uint8Array {
  const streams = new GzipStreams();
  const whole = new Uint8Array(maxOutputLength);
  let length = 0;
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    for (const text of streams.push(bytes.subarray(at, at + PIECE_BYTES))) {
      if (length + text.length > maxOutputLength)
        throw new RangeError(`cannot inflate to more than ${maxOutputLength} bytes`);
      whole.set(text, length);
      length += text.length;
    }
  }
  streams.end();
  return whole.subarray(0, length);
}
