import { ByteWriter } from 'hyparquet-writer';
import { writeRleBitPackedHybrid } from 'hyparquet-writer/src/encoding.js';

/** Which values of a page are in one list. */
export interface Levels {
  /** How many values the levels are for: an empty list has one that is missing. */
  readonly values: number;
  /** As a data page has them: the repetition levels, then the definition levels, each after its length. */
  readonly bytes: Uint8Array;
}

/**
 * The levels of lists that are never null, nor are their elements. The first element of a list has repetition level 0, and the others have
 * 1; an empty list has definition level 0, and all elements have 1:
 * ```
 * lists         [a, b, c]  []  [d]
 * repetition     0  1  1   0    0
 * definition     1  1  1   0    1
 * ```
 */
export function levelsOf(lengths: readonly number[]): Levels {
  let values = 0;
  for (const length of lengths) values += Math.max(1, length);
  const repetition = new Uint8Array(values).fill(1);
  const definition = new Uint8Array(values).fill(1);
  let at = 0;
  for (const length of lengths) {
    repetition[at] = 0;
    if (length === 0) definition[at] = 0;
    at += Math.max(1, length);
  }
  const writer = new ByteWriter();
  for (const levels of [repetition, definition]) {
    const encoded = new ByteWriter();
    writeRleBitPackedHybrid(encoded, levels, 1);
    writer.appendUint32(encoded.index);
    writer.appendBytes(encoded.getBytes());
  }
  return { values, bytes: writer.getBytes() };
}
