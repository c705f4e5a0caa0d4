import { allocate, keptName, LITTLE_ENDIAN, viewOf } from './memory.ts';
import { refusal, type Subject } from './refusals.ts';
import type { Bpf } from './syscall.ts';
import { COMMANDS, type Command, ERRNO } from './uapi.ts';

/**
 * The `union bpf_attr` of one call. It keeps references to the memory that it points at, because the garbage collector
 * does not follow addresses.
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

  /** Writes the part of a name that the kernel keeps, with `_` in place of characters that the kernel refuses. */
  name(offset: number, name: string): this {
    this.bytes.set(new TextEncoder().encode(keptName(name.replace(/[^\w.]/g, '_'))), offset);
    return this;
  }

  getU32(offset: number): number {
    return this.#view.getUint32(offset, LITTLE_ENDIAN);
  }

  /** Ends the call. Calling this after it keeps alive, until then, the memory that the kernel writes to. */
  release(): void {
    this.#pointedAt.length = 0;
  }
}

/** Subject of a call, and the refusals that it expects. */
export interface CallOptions extends Subject {
  /** Errnos that are an answer, not an error. @default every errno is an error */
  readonly answers?: readonly number[];
}

/**
 * Makes one call.
 *
 * @returns The result of the call, or an expected errno as a negative number.
 * @throws HdrscopeError `ERR_KERNEL` when the kernel refuses the call for another reason.
 */
export function call(
  bpf: Bpf,
  command: Command,
  attr: Attr,
  { answers = [], ...subject }: CallOptions,
): number {
  const result = bpf.call(COMMANDS[command], attr.bytes);
  attr.release();
  if (result < 0 && !answers.includes(-result)) throw refusal({ command, errno: -result, ...subject });
  return result;
}

const LISTS = { MAP_GET_NEXT_ID: 'the list of maps', PROG_GET_NEXT_ID: 'the list of programs' } as const;

/**
 * The ids of all maps or programs above an id, ascending. Looking through ids takes CAP_SYS_ADMIN.
 *
 * @throws HdrscopeError `ERR_KERNEL` when the kernel refuses.
 */
export function* idsAfter(bpf: Bpf, command: keyof typeof LISTS, after = 0): Generator<number, void> {
  for (let id = after; ; ) {
    const attr = new Attr(bpf, 12).u32(0, id);
    if (call(bpf, command, attr, { object: LISTS[command], answers: [ERRNO.ENOENT] }) < 0) return;
    id = attr.getU32(4);
    yield id;
  }
}

/**
 * Asks the kernel about the object of a descriptor.
 *
 * @param info The `struct bpf_…_info`: what is asked for, and where the answer goes.
 * @param object The object as messages name it.
 * @returns A view of the answer.
 */
export function readInfo(bpf: Bpf, fd: number, info: Uint8Array, object: string): DataView {
  const attr = new Attr(bpf, 16).u32(0, fd).u32(4, info.length).pointer(8, info);
  call(bpf, 'OBJ_GET_INFO_BY_FD', attr, { object });
  return viewOf(info);
}
