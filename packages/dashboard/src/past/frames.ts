import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import type { Slices } from '@hdrscope/kit';

// A file is a list of frames. Each can be read without the others, so a damaged part costs no more than its frames.
//
//   0  'hdrframe'
//   8  the length of the body, a 32-bit integer, little-endian
//  12  CRC-32 of the length and the body
//  16  the body
const MARK = Buffer.from('hdrframe');
const LENGTH_AT = 8;
const CRC_AT = 12;
const HEADER_BYTES = 16;

/** More than any frame has: the interval of 100,000 busy series takes less. */
const MOST_BODY_BYTES = 2 ** 28;

// A search for the next frame reads so much at once.
const WINDOW_BYTES = 2 ** 18;

// CRC-32 of more would take longer than a slice.
const CRC_BYTES = 2 ** 20;

/** A frame of a file, or a part of it that is no frame. */
export type FilePart =
  | { readonly kind: 'frame'; readonly body: Buffer; readonly endsAt: number }
  | { readonly kind: 'damage'; readonly bytes: number; readonly isEnd: boolean };

/** A frame around a body. */
export async function encodeFrame(body: Uint8Array, slices: Slices): Promise<Buffer> {
  const frame = Buffer.allocUnsafe(HEADER_BYTES + body.length);
  MARK.copy(frame);
  frame.writeUInt32LE(body.length, LENGTH_AT);
  frame.set(body, HEADER_BYTES);
  frame.writeUInt32LE(await checksum(frame, slices), CRC_AT);
  return frame;
}

/** The parts of a file, in order. Memory holds one frame at a time. */
export async function* readFrames(file: FileHandle, slices: Slices): AsyncGenerator<FilePart, void> {
  const { size } = await file.stat();
  for (let at = 0; at < size; ) {
    const frame = await readFrame(file, at, size, slices);
    if (frame !== undefined) {
      at += frame.length;
      yield { kind: 'frame', body: frame.subarray(HEADER_BYTES), endsAt: at };
      continue;
    }
    const from = at;
    do {
      at = await findMark(file, at + 1, size, slices);
    } while (at < size && (await readFrame(file, at, size, slices)) === undefined);
    yield { kind: 'damage', bytes: at - from, isEnd: at === size };
  }
}

/** Reads the frame at a position. Where there is none, it returns `undefined`. */
async function readFrame(
  file: FileHandle,
  at: number,
  size: number,
  slices: Slices,
): Promise<Buffer | undefined> {
  if (at + HEADER_BYTES > size) return undefined;
  const header = await readBytes(file, at, HEADER_BYTES);
  const length = header.readUInt32LE(LENGTH_AT);
  const isFrame = header.subarray(0, LENGTH_AT).equals(MARK);
  if (!isFrame || length > MOST_BODY_BYTES || at + HEADER_BYTES + length > size) return undefined;
  const frame = await readBytes(file, at, HEADER_BYTES + length);
  return frame.readUInt32LE(CRC_AT) === (await checksum(frame, slices)) ? frame : undefined;
}

async function checksum(frame: Buffer, slices: Slices): Promise<number> {
  let crc = crc32(frame.subarray(LENGTH_AT, CRC_AT));
  for (let at = HEADER_BYTES; at < frame.length; at += CRC_BYTES) {
    crc = crc32(frame.subarray(at, at + CRC_BYTES), crc);
    if (slices.isOver()) await slices.next();
  }
  return crc;
}

/** The position of the next mark, or the size of the file. */
async function findMark(file: FileHandle, from: number, size: number, slices: Slices): Promise<number> {
  for (let at = from; at < size; at += WINDOW_BYTES) {
    // A mark may lie across the end of a window.
    const window = await readBytes(file, at, Math.min(WINDOW_BYTES + MARK.length - 1, size - at));
    const found = window.indexOf(MARK);
    if (found >= 0) return at + found;
    if (slices.isOver()) await slices.next();
  }
  return size;
}

/** @throws the error of the system, also when the file has become shorter meanwhile */
async function readBytes(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, at + filled);
    if (bytesRead === 0) throw new Error('the file became shorter while it was read');
    filled += bytesRead;
  }
  return bytes;
}
