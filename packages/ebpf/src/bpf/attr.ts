import { COMMANDS, type Command } from './commands.ts';
import { refusal } from './errors.ts';
import { allocate, LITTLE_ENDIAN, viewOf } from './memory.ts';
import type { Bpf } from './syscall.ts';

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

/** What a call is about, for the message where it is refused. */
export interface Subject {
  /** `map 42`, or a path. */
  readonly object: string;
  /** Refusals that are an answer: they come back as negative numbers. */
  readonly answers?: readonly number[];
}

/**
 * Makes one call.
 *
 * @throws HdrscopeError `ERR_KERNEL` where the kernel refuses it.
 */
export function call(bpf: Bpf, command: Command, attr: Attr, { object, answers = [] }: Subject): number {
  const result = bpf.call(COMMANDS[command], attr.bytes);
  attr.release();
  if (result < 0 && !answers.includes(-result)) throw refusal({ command, errno: -result, object });
  return result;
}
