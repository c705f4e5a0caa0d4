import { Attr } from '../bpf/attr.ts';
import { COMMANDS } from '../bpf/commands.ts';
import { errnoName } from '../bpf/errno.ts';
import { cString } from '../bpf/memory.ts';
import { type Bpf, loadBpf } from '../bpf/syscall.ts';
import { bad, type Finding, firstLine, good } from './finding.ts';
import { selfTest } from './self-test.ts';
import { systemFindings } from './system.ts';
import { toolFindings } from './tools.ts';

/**
 * Looks at all that reading and loading take on this machine, and has the kernel count known values. It changes nothing,
 * and never throws: what fails is a finding.
 *
 * @example
 * ```ts
 * import { examine } from '@hdrscope/ebpf';
 *
 * const findings = await examine();
 * findings[0]?.what; //=> 'kernel'
 * ```
 */
export async function examine(): Promise<readonly Finding[]> {
  return [...systemFindings(), ...(await toolFindings()), ...(await kernelFindings())];
}

async function kernelFindings(): Promise<readonly Finding[]> {
  try {
    const bpf = await loadBpf();
    const reachable = reach(bpf);
    return reachable.ok ? [reachable, ...counting(bpf)] : [reachable];
  } catch (error) {
    return [bad('bpf(2)', firstLine(error), 'maps can be read through bpftool, and by what bpftrace prints')];
  }
}

/** Asks for a pin that there is not: every process may, and hears so, unless a filter stands before the kernel. */
function reach(bpf: Bpf): Finding {
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
        `${answer}: something keeps this process from it`,
        'a seccomp profile that allows bpf(2)',
      );
    default:
      return bad(what, answer, 'a kernel with CONFIG_BPF_SYSCALL');
  }
}

function counting(bpf: Bpf): readonly Finding[] {
  try {
    const { events, cpus, milliseconds, batch } = selfTest(bpf);
    const fed = `${events} values on ${cpus} CPUs came back exactly, in ${milliseconds.toFixed(0)} ms`;
    return [
      good('counting in the kernel', fed),
      batch
        ? good('batches', 'all values of a map are read at once')
        : bad('batches', 'this kernel gives one value at a time', 'all works, slower: Linux 5.13 has them'),
    ];
  } catch (error) {
    return [
      bad(
        'counting in the kernel',
        firstLine(error),
        'making maps takes root or CAP_BPF; pins of mode 0444 can be read without',
      ),
    ];
  }
}
