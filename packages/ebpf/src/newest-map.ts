import { HdrscopeError } from '@hdrscope/core';
import { Attr, call } from './bpf/attr.ts';
import { ERRNO } from './bpf/errno.ts';
import { loadBpf } from './bpf/syscall.ts';

/**
 * The largest id of a map. The kernel numbers maps in the order in which it makes them, so a map with a larger id than this
 * one was made later, and so were all its counts. Looking through ids takes CAP_SYS_ADMIN.
 *
 * @param after An id that this function has returned. It looks through larger ids only.
 * @returns `after` when there is no larger one; `undefined` when this user may not look through ids.
 */
export async function newestMapId(after = 0): Promise<number | undefined> {
  try {
    const bpf = await loadBpf();
    for (let newest = after; ; ) {
      const attr = new Attr(bpf, 12).u32(0, newest);
      const options = { object: 'the list of maps', answers: [ERRNO.ENOENT] };
      if (call(bpf, 'MAP_GET_NEXT_ID', attr, options) < 0) return newest;
      newest = attr.getU32(4);
    }
  } catch (error) {
    if (error instanceof HdrscopeError) return undefined;
    throw error;
  }
}
