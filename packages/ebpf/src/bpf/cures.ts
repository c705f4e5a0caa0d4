import { readFileSync, statfsSync, statSync } from 'node:fs';
import type { Command } from './commands.ts';

/** Source: Linux, `include/uapi/linux/magic.h`, `BPF_FS_MAGIC`. */
const BPF_FS = 0xcafe4a11;

interface Refused {
  readonly command: Command;
  readonly object: string;
  readonly code: string;
}

/** What helps against a refusal, where that is known. All of it was met on Linux 6.18. */
export function cureOf({ command, object, code }: Refused): string | undefined {
  switch (code) {
    case 'EACCES':
      return command === 'OBJ_GET' ? cureOfPin(object) : cureOfAccess(command);
    case 'EPERM':
      return cureOfPermission(command, object);
    case 'ENOENT':
      return command === 'OBJ_GET'
        ? 'nothing is pinned there: is the program loaded, and the bpffs mounted where this process sees it?'
        : 'it is gone: has the program that held it ended?';
    case 'ENOSYS':
      return 'this kernel was built without bpf(2)';
    case 'ENOTSUPP':
      return 'this kernel cannot do that with this type of map';
    case 'EMFILE':
    case 'ENFILE':
      return 'too many files are open: raise `ulimit -n`';
    case 'E2BIG':
      return command === 'MAP_CREATE'
        ? 'values for each CPU hold 32768 bytes at most'
        : 'the map is full, or this kernel is older than what it was asked for';
    default:
      return undefined;
  }
}

function cureOfPin(path: string): string {
  try {
    if (statfsSync(path, { bigint: true }).type !== BigInt(BPF_FS)) {
      return 'that file is in no bpffs, so nothing of the kernel is pinned there';
    }
    const { mode, uid } = statSync(path);
    const octal = (mode & 0o777).toString(8).padStart(4, '0');
    return `the pin has mode ${octal} and belongs to uid ${uid}: \`chmod 0444 ${path}\` lets everybody read it, and nobody write`;
  } catch {
    return 'a folder above it may not be entered: mount a bpffs with mode=0755 for what others shall read';
  }
}

function cureOfAccess(command: Command): string | undefined {
  return command === 'PROG_LOAD' ? 'the verifier rejects the program' : undefined;
}

function cureOfPermission(command: Command, object: string): string {
  const confined = isConfined()
    ? ', and here a seccomp filter may forbid bpf(2) altogether, as those of containers do'
    : '';
  switch (command) {
    case 'MAP_GET_NEXT_ID':
    case 'PROG_GET_NEXT_ID':
    case 'MAP_GET_FD_BY_ID':
    case 'PROG_GET_FD_BY_ID':
      return `finding things by their id or name takes CAP_SYS_ADMIN: a pin of mode 0444 takes nothing${confined}`;
    case 'BTF_GET_FD_BY_ID':
      return `reading types takes CAP_SYS_ADMIN: describe the shape of the map instead${confined}`;
    case 'OBJ_PIN':
      return isInBpffs(object)
        ? `pinning takes the right to write there, and CAP_BPF${confined}`
        : `things are pinned in a bpffs only: \`mount -t bpf bpf /sys/fs/bpf\`${confined}`;
    case 'MAP_UPDATE_ELEM':
    case 'MAP_DELETE_ELEM':
      return 'the map was opened for reading';
    case 'PROG_LOAD':
    case 'RAW_TRACEPOINT_OPEN':
    case 'PROG_TEST_RUN':
      return `that takes CAP_BPF and CAP_PERFMON${confined}`;
    default:
      return `that takes CAP_BPF${confined}`;
  }
}

function isInBpffs(path: string): boolean {
  try {
    return statfsSync(path.slice(0, path.lastIndexOf('/') + 1), { bigint: true }).type === BigInt(BPF_FS);
  } catch {
    return false;
  }
}

function isConfined(): boolean {
  try {
    return /^Seccomp:\s*2$/m.test(readFileSync('/proc/self/status', 'utf8'));
  } catch {
    return false;
  }
}
