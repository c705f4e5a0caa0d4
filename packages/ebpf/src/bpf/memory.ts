import { endianness } from 'node:os';

/** Byte order of this machine, as `DataView` takes it. The kernel uses no other one. */
export const LITTLE_ENDIAN: boolean = endianness() === 'LE';

/** Allocates memory whose address stays the same. V8 moves small typed arrays that have no buffer of their own. */
export function allocate(sizeBytes: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new ArrayBuffer(sizeBytes));
}

/** A C string: UTF-8 that ends with a NUL. */
export function cString(text: string): Uint8Array<ArrayBuffer> {
  const encoded = new TextEncoder().encode(text);
  const memory = allocate(encoded.length + 1);
  memory.set(encoded);
  return memory;
}

/** The text up to the first NUL, or all of it when it has no NUL. */
export function textUntilNul(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return new TextDecoder().decode(end === -1 ? bytes : bytes.subarray(0, end));
}

/** A view of all bytes of a typed array. */
export function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

/** Bytes that the kernel keeps of the name of a map or program. Source: Linux, `BPF_OBJ_NAME_LEN`, which includes a NUL. */
const KEPT_BYTES = 15;

/**
 * The part of the name of a map or program that the kernel keeps: its first 15 bytes.
 *
 * @example
 * ```ts
 * import { keptName } from '@hdrscope/ebpf/internal';
 *
 * keptName('bio_latency_seconds'); //=> 'bio_latency_sec'
 * ```
 */
export function keptName(name: string): string {
  return textUntilNul(new TextEncoder().encode(name).subarray(0, KEPT_BYTES));
}

/** Whether a name of the kernel is so long that it may be the beginning of a longer one. */
export function mayBeCut(kept: string): boolean {
  return new TextEncoder().encode(kept).length >= KEPT_BYTES;
}
