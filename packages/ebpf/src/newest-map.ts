import { HdrscopeError } from '@hdrscope/core';
import { idsAfter } from './bpf/call.ts';
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
    let newest = after;
    for (const id of idsAfter(bpf, 'MAP_GET_NEXT_ID', after)) newest = id;
    return newest;
  } catch (error) {
    if (error instanceof HdrscopeError) return undefined;
    throw error;
  }
}
