import { endianness } from 'node:os';

/** The order of bytes of this machine, as `DataView` asks for it. The kernel speaks in no other one. */
export const LITTLE_ENDIAN: boolean = endianness() === 'LE';

/** Memory whose address stays: V8 moves the small typed arrays that it has made without a buffer. */
export function allocate(sizeBytes: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new ArrayBuffer(sizeBytes));
}

/** A text of C: UTF-8 and a NUL. */
export function cString(text: string): Uint8Array<ArrayBuffer> {
  const encoded = new TextEncoder().encode(text);
  const memory = allocate(encoded.length + 1);
  memory.set(encoded);
  return memory;
}

/** The text before the first NUL. */
export function textUntilNul(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return new TextDecoder().decode(end === -1 ? bytes : bytes.subarray(0, end));
}

/** A view of all the bytes of a typed array. */
export function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
