import { randomBytes } from 'node:crypto';
import { Attr, call } from './call.ts';
import { isArray, type MapInfo, titleOfMap } from './maps.ts';
import { allocate } from './memory.ts';
import type { Bpf } from './syscall.ts';
import { ERRNO } from './uapi.ts';

/** No kernel has more CPUs. Source: Linux 6.18, the range of `NR_CPUS` in `arch/x86/Kconfig`, the largest of all. */
export const MOST_CPUS = 8192;

/** How often another entry is tried, when the one that was found is deleted before it is read. */
const MOST_TRIES = 1000;

/** The number of CPUs is fixed when the kernel starts. */
const measured = new WeakMap<Bpf, number>();

/**
 * Counts the parts that bpf(2) writes for one per-CPU value. sysfs may be masked in a container, and the kernel writes past a
 * buffer that has fewer parts than it has CPUs. The first call reads one entry into a buffer with room for `MOST_CPUS` parts,
 * each of which begins with a random mark: parts that lost their mark were written.
 *
 * @param fd Descriptor of a per-CPU map.
 * @returns `undefined` when no entry was ever seen, so that there was nothing to measure.
 * @throws HdrscopeError `ERR_KERNEL` when the kernel refuses.
 */
export function countCpus(bpf: Bpf, fd: number, info: MapInfo): number | undefined {
  const known = measured.get(bpf);
  if (known !== undefined) return known;
  const stride = Math.ceil(info.valueSize / 8) * 8;
  const mark = randomBytes(8);
  const parts = Buffer.from(allocate((MOST_CPUS + 1) * stride).buffer);
  for (let at = 0; at < parts.length; at += stride) parts.set(mark, at);
  if (!readOne(bpf, fd, info, parts)) return undefined;
  let count = 0;
  while (!parts.subarray(count * stride, count * stride + 8).equals(mark)) count++;
  measured.set(bpf, count);
  return count;
}

/** Reads any entry of a map. @returns Whether it has one. */
function readOne(bpf: Bpf, fd: number, info: MapInfo, value: Uint8Array): boolean {
  const subject = { object: titleOfMap(info), id: info.id };
  const key = allocate(info.keySize);
  for (let tries = 1; ; tries++) {
    if (!isArray(info.type!)) {
      const next = new Attr(bpf, 32).u32(0, fd).pointer(16, key);
      if (call(bpf, 'MAP_GET_NEXT_KEY', next, { ...subject, answers: [ERRNO.ENOENT] }) < 0) return false;
    }
    const answers = tries < MOST_TRIES ? [ERRNO.ENOENT] : [];
    const lookup = new Attr(bpf, 32).u32(0, fd).pointer(8, key).pointer(16, value);
    if (call(bpf, 'MAP_LOOKUP_ELEM', lookup, { ...subject, answers }) >= 0) return true;
  }
}
