const TWO_POW_32 = 2 ** 32;

/** Bytes that grow, with a position. Numbers are big-endian. */
export class ByteBuffer {
  /** All bytes, also those after `position` that are not used yet. Replaced by a larger array when it is full. */
  data: Uint8Array;
  /** Index of the byte that is read or written next. */
  position = 0;

  /** Makes a buffer of so many bytes, all 0, at position 0. */
  static allocate(size = 16): ByteBuffer {
    return new ByteBuffer(new Uint8Array(size));
  }

  constructor(data: Uint8Array) {
    this.data = data;
  }

  /** Writes the lowest 8 bits of a number, in a byte. */
  put(value: number): void {
    this.#reserve(1);
    this.data[this.position++] = value;
  }

  /** Writes the lower 32 bits of a number, in 4 bytes. */
  putInt32(value: number): void {
    this.#reserve(4);
    this.#view.setInt32(this.position, value);
    this.position += 4;
  }

  /** Writes an integer of at most 2^53 − 1. */
  putInt64(value: number): void {
    this.putInt32(Math.floor(value / TWO_POW_32));
    this.putInt32(value);
  }

  /** Writes bytes as they are. */
  putArray(array: Uint8Array): void {
    this.#reserve(array.length);
    this.data.set(array, this.position);
    this.position += array.length;
  }

  /** Reads a byte. */
  get(): number {
    return this.#view.getUint8(this.#advance(1));
  }

  /** Reads 32 bits as a number from 0. */
  getInt32(): number {
    return this.#view.getUint32(this.#advance(4));
  }

  /** Reads 64 bits as a number from 0, which is exact up to 2^53 − 1. */
  getInt64(): number {
    return this.getInt32() * TWO_POW_32 + this.getInt32();
  }

  /** Goes back to the first byte. */
  resetPosition(): void {
    this.position = 0;
  }

  get #view(): DataView {
    return new DataView(this.data.buffer, this.data.byteOffset, this.data.byteLength);
  }

  #advance(bytes: number): number {
    const at = this.position;
    this.position += bytes;
    return at;
  }

  #reserve(bytes: number): void {
    const needed = this.position + bytes;
    if (needed <= this.data.length) return;
    const larger = new Uint8Array(Math.max(needed, 2 * this.data.length));
    larger.set(this.data);
    this.data = larger;
  }
}
