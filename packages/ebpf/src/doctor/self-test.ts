import { Attr, call } from '../bpf/call.ts';
import { MapReader } from '../bpf/map-reader.ts';
import { mapInfo } from '../bpf/maps.ts';
import { allocate, LITTLE_ENDIAN, viewOf } from '../bpf/memory.ts';
import type { Bpf } from '../bpf/syscall.ts';
import { ERRNO } from '../bpf/uapi.ts';
import { kernelError } from '../errors.ts';
import { queueDepthLayout } from '../layout/presets.ts';
import { type KernelCounter, makeKernelCounter } from '../loader/kernel-counter.ts';
import { onlineCpus, possibleCpus } from '../system-files.ts';

/** The counts of the slots of the queue-depth layout: 4,821 values in all. */
const SELF_TEST_COUNTS: readonly number[] = [1200, 980, 1400, 800, 400, 30, 10, 1];

/** Result of a self-test that has passed. */
export interface SelfTest {
  /** Number of values. */
  readonly events: number;
  /** Number of CPUs that counted. */
  readonly cpus: number;
  readonly milliseconds: number;
  /** Whether one call reads the values of all CPUs. */
  readonly batch: boolean;
}

/**
 * Makes the kernel count known values on its CPUs in turn, and reads them back. The program is not attached, and it is gone
 * with its map when this returns.
 *
 * @throws HdrscopeError `ERR_KERNEL` when the kernel refuses, or the counts differ.
 */
export function selfTest(bpf: Bpf): SelfTest {
  const counter = makeKernelCounter(bpf, { name: 'hdrscope_doctor' });
  try {
    const start = performance.now();
    const events = feed(counter);
    const milliseconds = performance.now() - start;
    assertCounted(readOneByOne(bpf, counter.map.fd));
    const batched = readBatch(bpf, counter.map.fd);
    if (batched !== undefined) assertCounted(batched);
    return { events, cpus: onlineCpus().length, milliseconds, batch: batched !== undefined };
  } finally {
    counter.close();
  }
}

/** Counts both ends of each slot, alternately. */
function feed(counter: KernelCounter): number {
  const { slots } = queueDepthLayout();
  for (const [slot, count] of SELF_TEST_COUNTS.entries()) {
    const ends = [slots.lower(slot), slot === slots.slotCount - 1 ? 2 ** 40 : slots.upper(slot)];
    for (let i = 0; i < count; i++) counter.record(ends[i % 2]!);
  }
  return SELF_TEST_COUNTS.reduce((sum, count) => sum + count);
}

function assertCounted(values: Uint8Array): void {
  const cpus = possibleCpus().length;
  const view = viewOf(values);
  const totals = SELF_TEST_COUNTS.map((_, slot) =>
    Array.from({ length: cpus }, (_, cpu) =>
      view.getBigUint64((slot * cpus + cpu) * 8, LITTLE_ENDIAN),
    ).reduce((sum, count) => sum + count),
  );
  if (totals.join() === SELF_TEST_COUNTS.join()) return;
  throw kernelError(
    `the kernel must count ${SELF_TEST_COUNTS.join(' ')}, and has counted ${totals.join(' ')}`,
  );
}

function readOneByOne(bpf: Bpf, mapFd: number): Uint8Array {
  const reader = new MapReader(bpf, mapInfo(bpf, mapFd), { batch: false });
  reader.read(mapFd);
  return reader.values;
}

function readBatch(bpf: Bpf, mapFd: number): Uint8Array | undefined {
  const slots = SELF_TEST_COUNTS.length;
  const values = allocate(slots * possibleCpus().length * 8);
  const attr = new Attr(bpf, 56)
    .pointer(8, allocate(8))
    .pointer(16, allocate(slots * 4))
    .pointer(24, values)
    .u32(32, slots)
    .u32(36, mapFd);
  // ENOENT marks the end of the map. Linux before 5.6 has no batches, and before 5.13 none for per-CPU arrays.
  const answers = [ERRNO.ENOENT, ERRNO.EINVAL, ERRNO.ENOTSUPP];
  const result = call(bpf, 'MAP_LOOKUP_BATCH', attr, { object: 'all values of a map', answers });
  return result < 0 && result !== -ERRNO.ENOENT ? undefined : values;
}
