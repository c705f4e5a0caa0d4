import { Attr, call } from './attr.ts';
import { ERRNO } from './errno.ts';
import type { Bpf } from './syscall.ts';

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
