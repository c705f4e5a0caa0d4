import { constants, crc32, deflateRawSync, gunzipSync } from 'node:zlib';

/**
 * The sections of a page as one gzip stream: https://www.rfc-editor.org/rfc/rfc1952. Each section is compressed for itself, with codes of
 * its own and the best of three strategies.
 */
export function gzipped(sections: readonly Uint8Array[]): Buffer {
  const parts: Uint8Array[] = [HEADER];
  let [crc, size] = [0, 0];
  for (const [i, section] of sections.entries()) {
    parts.push(deflated(section, i === sections.length - 1));
    crc = crc32(section, crc);
    size += section.length;
  }
  const trailer = Buffer.allocUnsafe(8);
  trailer.writeUInt32LE(crc, 0);
  trailer.writeUInt32LE(size, 4);
  return Buffer.concat([...parts, trailer]);
}

// Deflate, no name, no time, a system that is not known.
const HEADER = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255);

/**
 * Deflated bytes that end at a whole byte. Numbers with some spread are smallest as codes of single bytes, which are also made several
 * times faster than copies of earlier bytes. Whether copies are worth their time, a quick search for them shows.
 */
function deflated(bytes: Uint8Array, isLast: boolean): Buffer {
  const finishFlush = isLast ? constants.Z_FINISH : constants.Z_SYNC_FLUSH;
  const { Z_HUFFMAN_ONLY, Z_RLE, Z_DEFAULT_STRATEGY } = constants;
  const choices = [
    deflateRawSync(bytes, { finishFlush, strategy: Z_HUFFMAN_ONLY }),
    deflateRawSync(bytes, { finishFlush, strategy: Z_RLE }),
    deflateRawSync(bytes, { finishFlush, strategy: Z_DEFAULT_STRATEGY, level: 1 }),
  ];
  const best = smallest(choices);
  if (best !== choices[2]) return best;
  return smallest([best, deflateRawSync(bytes, { finishFlush, strategy: Z_DEFAULT_STRATEGY })]);
}

function smallest(choices: readonly Buffer[]): Buffer {
  return choices.reduce((best, one) => (one.length < best.length ? one : best));
}

/** How hyparquet decompresses pages. */
export const COMPRESSORS = {
  GZIP: (page: Uint8Array, length: number): Uint8Array =>
    gunzipSync(page, { maxOutputLength: Math.max(length, 1) }),
};
