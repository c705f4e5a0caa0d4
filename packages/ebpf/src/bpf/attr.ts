import { endianness } from 'node:os';
import type { Bpf } from './syscall.ts';

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

/**
 * The `union bpf_attr` of one call. It holds on to what it points at: the garbage collector does not know of addresses.
 */
export class Attr {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly #view: DataView;
  readonly #bpf: Bpf;
  readonly #pointedAt: Uint8Array[] = [];

  constructor(bpf: Bpf, sizeBytes: number) {
    this.#bpf = bpf;
    this.bytes = allocate(sizeBytes);
    this.#view = viewOf(this.bytes);
  }

  u32(offset: number, value: number): this {
    this.#view.setUint32(offset, value, LITTLE_ENDIAN);
    return this;
  }

  u64(offset: number, value: bigint): this {
    this.#view.setBigUint64(offset, value, LITTLE_ENDIAN);
    return this;
  }

  pointer(offset: number, memory: Uint8Array): this {
    this.#pointedAt.push(memory);
    return this.u64(offset, this.#bpf.address(memory));
  }

  /** A name of an object: 15 bytes at most, and what the kernel allows in it. */
  name(offset: number, name: string): this {
    this.bytes.set(new TextEncoder().encode(name.replace(/[^\w.]/g, '_')).subarray(0, 15), offset);
    return this;
  }

  getU32(offset: number): number {
    return this.#view.getUint32(offset, LITTLE_ENDIAN);
  }

  /** Says that the call is over, and by being called after it keeps alive until then what the kernel wrote to. */
  release(): void {
    this.#pointedAt.length = 0;
  }
}
