import { HdrscopeError } from '@hdrscope/core';
import { Attr, call } from './attr.ts';
import { ERRNO } from './errno.ts';
import { idsAfter } from './ids.ts';
import { allocate, LITTLE_ENDIAN, textUntilNul, viewOf } from './memory.ts';
import type { Bpf } from './syscall.ts';

// Source of the offsets: Linux, `struct bpf_prog_info`.
const INFO_BYTES = 104;
const MAP_COUNT = 52;
const MAP_IDS = 56;
const NAME = 64;
const NAME_END = 80;

/** A program that uses more maps is not asked for all of them. */
const MOST_MAPS = 64;

/**
 * The names of the loaded programs that use a map: the first 15 bytes of each, sorted. Looking through programs takes
 * CAP_SYS_ADMIN; without it no names are found.
 */
export function programsOfMap(bpf: Bpf, mapId: number): readonly string[] {
  try {
    const names = [...idsAfter(bpf, 'PROG_GET_NEXT_ID')].map((id) => programWith(bpf, id, mapId));
    return [...new Set(names.filter((name) => name !== undefined && name !== ''))].sort() as string[];
  } catch (error) {
    if (error instanceof HdrscopeError) return [];
    throw error;
  }
}

/** The name of a program that uses a map; `undefined` when it does not, or has ended. */
function programWith(bpf: Bpf, id: number, mapId: number): string | undefined {
  const object = `program ${id}`;
  const asked = new Attr(bpf, 12).u32(0, id);
  const fd = call(bpf, 'PROG_GET_FD_BY_ID', asked, { object, answers: [ERRNO.ENOENT] });
  if (fd < 0) return undefined;
  try {
    const info = allocate(INFO_BYTES);
    const ids = allocate(4 * MOST_MAPS);
    const view = viewOf(info);
    view.setUint32(MAP_COUNT, MOST_MAPS, LITTLE_ENDIAN);
    view.setBigUint64(MAP_IDS, bpf.address(ids), LITTLE_ENDIAN);
    call(bpf, 'OBJ_GET_INFO_BY_FD', new Attr(bpf, 16).u32(0, fd).u32(4, INFO_BYTES).pointer(8, info), {
      object,
    });
    const count = Math.min(view.getUint32(MAP_COUNT, LITTLE_ENDIAN), MOST_MAPS);
    const uses = Array.from({ length: count }, (_, at) => viewOf(ids).getUint32(4 * at, LITTLE_ENDIAN));
    return uses.includes(mapId) ? textUntilNul(info.subarray(NAME, NAME_END)) : undefined;
  } finally {
    bpf.close(fd);
  }
}
