import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { readInto } from './seal.ts';

/** How many rows a file has up to some place, and how many values they have. A row that is there again counts once. */
export interface Totals {
  readonly rows: number;
  /** At most 2^53, which means that many or more. */
  readonly values: number;
}

/** What the last intact record of a damaged file says. */
export interface FoundTotals extends Totals {
  /** Whether the totals are those of the whole file. Otherwise more rows may follow. */
  readonly isLast: boolean;
  /** The value of `ROWS_KEY`. `undefined` where the file has none, or not as it was written. */
  readonly ranges: string | undefined;
}

/** The size of a record. It is behind each row group and once more before the seal, where no reader of Parquet looks. */
export const TOTALS_BYTES = 36;

const MARK: Uint8Array = /* @__PURE__ */ new TextEncoder().encode('hdrscnt');
const CHUNK_BYTES = 2 ** 20;

/**
 * Makes a record.
 *
 * @param position Where the file will have it: bytes that were copied to another place are no record.
 * @param ranges In the last record: the value of `ROWS_KEY`, empty where the file has none.
 */
export function encodeTotals({ rows, values }: Totals, position: number, ranges?: string): Buffer {
  const record = Buffer.alloc(TOTALS_BYTES);
  const text = Buffer.from(ranges ?? '');
  record.set(MARK);
  record.writeUInt8(ranges === undefined ? 0 : 1, 7);
  record.writeDoubleLE(rows, 8);
  record.writeDoubleLE(values, 16);
  record.writeUInt32LE(text.length, 24);
  record.writeUInt32LE(crc32(text), 28);
  record.writeUInt32LE(checksum(record, position), 32);
  return record;
}

/** Finds the last intact record of a file, whatever else is damaged. */
export async function findTotals(handle: FileHandle, size: number): Promise<FoundTotals | undefined> {
  for (let end = size; end > 0; end -= CHUNK_BYTES) {
    const from = Math.max(0, end - CHUNK_BYTES);
    // A record may begin in one part and end in the next.
    const part = Buffer.alloc(Math.min(size, end + TOTALS_BYTES - 1) - from);
    await readInto(handle, part, from);
    for (let at = part.lastIndexOf(MARK); at >= 0; at = at === 0 ? -1 : part.lastIndexOf(MARK, at - 1)) {
      const record = part.subarray(at, at + TOTALS_BYTES);
      if (record.length < TOTALS_BYTES || record.readUInt32LE(32) !== checksum(record, from + at)) continue;
      const footer = Buffer.alloc(size - from - at);
      await readInto(handle, footer, from + at);
      return {
        rows: record.readDoubleLE(8),
        values: record.readDoubleLE(16),
        isLast: record[7] === 1,
        ranges: findText(footer, record.readUInt32LE(24), record.readUInt32LE(28)),
      };
    }
  }
  return undefined;
}

/** Finds the value of `ROWS_KEY` in bytes that may be damaged. */
function findText(bytes: Buffer, length: number, crc: number): string | undefined {
  for (let at = 0; length > 0 && at >= 0; at = bytes.indexOf('{"rows":', at + 1)) {
    const text = bytes.subarray(at, at + length);
    if (crc32(text) === crc) return text.toString();
  }
  return undefined;
}

function checksum(record: Buffer, position: number): number {
  const place = Buffer.alloc(8);
  place.writeDoubleLE(position);
  return crc32(place, crc32(record.subarray(0, 32)));
}
