import { Attr } from '../bpf/call.ts';
import { cString } from '../bpf/memory.ts';
import { type Bpf, loadBpf } from '../bpf/syscall.ts';
import { COMMANDS, errnoName } from '../bpf/uapi.ts';
import { bad, type Finding, firstLine, good } from './finding.ts';
import { selfTest } from './self-test.ts';
import { systemFindings } from './system.ts';
import { toolFindings } from './tools.ts';

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
