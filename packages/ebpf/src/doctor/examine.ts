import { Attr } from '../bpf/call.ts';
import { MapReader } from '../bpf/map-reader.ts';
import { mapInfo } from '../bpf/maps.ts';
import { cString, LITTLE_ENDIAN, viewOf } from '../bpf/memory.ts';
import { type Bpf, loadBpf } from '../bpf/syscall.ts';
import { COMMANDS, errnoName } from '../bpf/uapi.ts';
import { kernelError } from '../errors.ts';
import { queueDepthLayout } from '../layout/presets.ts';
import { type KernelCounter, makeKernelCounter } from '../loader/kernel-counter.ts';
import { onlineCpus } from '../system-files.ts';
import { bad, type Finding, firstLine, good, systemFindings, toolFindings } from './findings.ts';

/**
 * Checks everything that reading maps and loading programs take on this machine, and makes the kernel count known values. It
 * changes nothing, and never throws: a failure is a finding.
 *
 * @example
 * ```ts
 * import { examineKernel } from '@hdrscope/ebpf';
 *
 * const findings = await examineKernel();
 * findings[0]?.what; //=> 'kernel'
 * ```
 */
export async function examineKernel(): Promise<readonly Finding[]> {
  return [...systemFindings(), ...(await toolFindings()), ...(await kernelFindings())];
}

async function kernelFindings(): Promise<readonly Finding[]> {
  try {
    const bpf = await loadBpf();
    const syscall = trySyscall(bpf);
    return syscall.ok ? [syscall, ...counting(bpf)] : [syscall];
  } catch (error) {
    return [bad('bpf(2)', firstLine(error), 'maps can be read through bpftool or bpftrace')];
  }
}

/** Asks for a pin that does not exist. The kernel answers every process with ENOENT, unless a filter forbids the call. */
function trySyscall(bpf: Bpf): Finding {
  const what = 'bpf(2)';
  const attr = new Attr(bpf, 16).pointer(0, cString('/proc/hdrscope-doctor'));
  const answer = errnoName(-bpf.call(COMMANDS.OBJ_GET, attr.bytes));
  attr.release();
  switch (answer) {
    case 'ENOENT':
      return good(what, 'answers');
    case 'EPERM':
    case 'EACCES':
      return bad(
        what,
        `${answer}: this process is not allowed to call it`,
        'a seccomp profile that allows bpf(2)',
      );
    default:
      return bad(what, answer, 'a kernel with CONFIG_BPF_SYSCALL');
  }
}

function counting(bpf: Bpf): readonly Finding[] {
  try {
    const { events, cpus, milliseconds, batch } = selfTest(bpf);
    const detail = `${events} values on ${cpus} CPUs came back exactly, in ${milliseconds.toFixed(0)} ms`;
    return [
      good('counting in the kernel', detail),
      batch
        ? good('batches', 'one call reads all values of a map')
        : bad('batches', 'one call reads one value', 'everything works, but slower: Linux 5.13 has batches'),
    ];
  } catch (error) {
    return [
      bad(
        'counting in the kernel',
        firstLine(error),
        'making maps takes root or CAP_BPF; reading a pin of mode 0444 takes neither',
      ),
    ];
  }
}

/** The counts of the slots of the queue-depth layout: 4,821 values in all. */
const SELF_TEST_COUNTS: readonly number[] = [1200, 980, 1400, 800, 400, 30, 10, 1];

/** Result of a self-test that has passed. */
interface SelfTest {
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
function selfTest(bpf: Bpf): SelfTest {
  const counter = makeKernelCounter(bpf, 'hdrscope_doctor');
  try {
    const start = performance.now();
    const events = feed(counter);
    const milliseconds = performance.now() - start;
    readCounted(bpf, counter.map.fd, false);
    const batch = readCounted(bpf, counter.map.fd, true);
    return { events, cpus: onlineCpus().length, milliseconds, batch };
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

function assertCounted({ values, cpuCount: cpus }: MapReader): void {
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

/** Reads the counts, and checks them. @returns Whether one call read the values of all slots. */
function readCounted(bpf: Bpf, mapFd: number, batch: boolean): boolean {
  const reader = new MapReader(bpf, mapInfo(bpf, mapFd), { batch });
  reader.read(mapFd);
  assertCounted(reader);
  return reader.hasBatches;
}
