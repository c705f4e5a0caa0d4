import type { ByteWriter } from 'hyparquet-writer';

// The shortest miniblocks that the format allows, and many in a block: its head takes a byte for each of them, and two or three more.
const MINIBLOCK = 32;
const MINIBLOCKS = 32;
const BLOCK = MINIBLOCKS * MINIBLOCK;

/**
 * Writes integers by their differences: DELTA_BINARY_PACKED of
 * https://github.com/apache/parquet-format/blob/master/Encodings.md#delta-encoding-delta_binary_packed--5
 *
 * The format lets a writer choose the width of a miniblock and the difference that is written as 0. Here all blocks share that difference,
 * and widths are whole bytes. So equal differences are equal bytes, which compress well:
 * ```
 * values         100  103  104  110   80   83
 * differences           3    1    6  -30    3
 * from -30             33   31   36    0   33     one byte each
 * ```
 *
 * @param values Integers. Neighbours differ by less than 2^52.
 * @param base The difference that is written as 0. Smaller ones are written modulo 2^32, so only columns of 32 bits may have any.
 */
export function writeDeltas(writer: ByteWriter, values: ArrayLike<number>, base: number): void {
  writer.appendVarInt(BLOCK);
  writer.appendVarInt(MINIBLOCKS);
  writer.appendVarInt(values.length);
  appendZigZag(writer, values[0]!);
  const offsets = new Float64Array(BLOCK);
  for (let start = 1; start < values.length; start += BLOCK) {
    const end = Math.min(start + BLOCK, values.length);
    offsets.fill(0);
    for (let i = start; i < end; i++) {
      const offset = values[i]! - values[i - 1]! - base;
      offsets[i - start] = offset < 0 ? offset + 2 ** 32 : offset;
    }
    appendZigZag(writer, base);
    writeBlock(writer, offsets);
  }
}

function writeBlock(writer: ByteWriter, offsets: Float64Array): void {
  const widths = new Uint8Array(MINIBLOCKS);
  for (let i = 0; i < BLOCK; i++) {
    const width = byteWidth(offsets[i]!);
    const miniblock = Math.floor(i / MINIBLOCK);
    if (width > widths[miniblock]!) widths[miniblock] = width;
  }
  writer.appendBytes(widths.map((width) => 8 * width));
  for (const [miniblock, width] of widths.entries()) {
    if (width === 0) continue;
    writer.ensure(MINIBLOCK * width);
    const { view, index } = writer;
    for (let i = 0; i < MINIBLOCK; i++) {
      setBytes(view, index + i * width, offsets[miniblock * MINIBLOCK + i]!, width);
    }
    writer.index += MINIBLOCK * width;
    writer.offset += MINIBLOCK * width;
  }
}

/** How many bytes an integer from 0 to 2^53 - 1 needs. */
function byteWidth(value: number): number {
  if (value < 2 ** 8) return value === 0 ? 0 : 1;
  let width = 2;
  while (value >= 2 ** (8 * width)) width++;
  return width;
}

function setBytes(view: DataView, at: number, value: number, width: number): void {
  if (width === 1) {
    view.setUint8(at, value);
    return;
  }
  for (let i = 0, rest = value; i < width; i++) {
    view.setUint8(at + i, rest % 256);
    rest = Math.floor(rest / 256);
  }
}

/** Writes an integer that may be negative, in groups of seven bits. */
function appendZigZag(writer: ByteWriter, value: number): void {
  let rest = value < 0 ? -2 * value - 1 : 2 * value;
  while (rest >= 128) {
    writer.appendUint8((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  writer.appendUint8(rest);
}

/** The least and the greatest difference of neighbours; 0 when there are no neighbours. */
export function differencesOf(values: ArrayLike<number>): { readonly least: number; readonly most: number } {
  if (values.length < 2) return { least: 0, most: 0 };
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let i = 1; i < values.length; i++) {
    const difference = values[i]! - values[i - 1]!;
    if (difference < least) least = difference;
    if (difference > most) most = difference;
  }
  return { least, most };
}

// Differences beyond this count as those at the ends.
const FAR = 4096;

/**
 * The bases with which integers may take the fewest bytes: the least difference, and the one from which most differences fit into a byte.
 * Slots ascend by little within a row, and the step back to the next row is wide.
 */
export function basesFor(values: ArrayLike<number>): number[] {
  const { least, most } = differencesOf(values);
  if (most - least < 256) return [least];
  const histogram = new Uint32Array(2 * FAR);
  for (let i = 1; i < values.length; i++) {
    const difference = values[i]! - values[i - 1]!;
    histogram[Math.min(Math.max(difference + FAR, 0), 2 * FAR - 1)]!++;
  }
  let best = { base: least, fitting: 0 };
  for (let end = 0, fitting = 0; end < 2 * FAR; end++) {
    fitting += histogram[end]! - (histogram[end - 256] ?? 0);
    // The highest of equal ones: the most frequent difference is often the least of a row, and is written as 0 then.
    if (fitting >= best.fitting) best = { base: end - 255 - FAR, fitting };
  }
  return best.base > least ? [best.base, least] : [least];
}
