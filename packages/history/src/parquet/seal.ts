import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';

/**
 * The seal of a file: 12 bytes between the pages and the footer, where no reader of Parquet looks. They are a mark and the CRC-32
 * of all bytes of the file before and after the seal.
 */
export const SEAL_BYTES = 12;

const MARK: Uint8Array = /* @__PURE__ */ new TextEncoder().encode('hdrsseal');
/** The end of a Parquet file: the length of the footer, and `PAR1`. */
export const END_BYTES = 8;
const CHUNK_BYTES = 2 ** 20;

/**
 * Seals the end of a file.
 *
 * @param end The bytes behind the pages: room for the seal, and the footer.
 * @param crc That of all bytes before.
 */
export function seal(end: Uint8Array, crc: number): void {
  end.set(MARK);
  const view = new DataView(end.buffer, end.byteOffset, end.byteLength);
  view.setUint32(MARK.length, crc32(end.subarray(SEAL_BYTES), crc), true);
}

/**
 * Compares a file with its seal.
 *
 * @returns `unsealed` for a file that has no seal, as those of version 1 and of other programs.
 */
export async function checkSeal(handle: FileHandle, size: number): Promise<'whole' | 'damaged' | 'unsealed'> {
  const end = new Uint8Array(END_BYTES);
  if (size < END_BYTES) throw new Error('it is cut off');
  await readInto(handle, end, size - END_BYTES);
  const sealAt = size - END_BYTES - new DataView(end.buffer).getUint32(0, true) - SEAL_BYTES;
  if (sealAt < 0) return 'unsealed';
  const found = new Uint8Array(SEAL_BYTES);
  await readInto(handle, found, sealAt);
  if (MARK.some((byte, at) => byte !== found[at])) return 'unsealed';
  let crc = 0;
  const chunk = new Uint8Array(Math.min(CHUNK_BYTES, size));
  for (const [from, to] of [
    [0, sealAt],
    [sealAt + SEAL_BYTES, size],
  ] as const) {
    for (let at = from; at < to; at += chunk.length) {
      const part = chunk.subarray(0, Math.min(chunk.length, to - at));
      await readInto(handle, part, at);
      crc = crc32(part, crc);
    }
  }
  return crc === new DataView(found.buffer).getUint32(MARK.length, true) ? 'whole' : 'damaged';
}

/** Fills `bytes` from a position of a file. */
export async function readInto(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let filled = 0; filled < bytes.length; ) {
    const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, position + filled);
    if (bytesRead === 0) throw new Error('it is cut off');
    filled += bytesRead;
  }
}
