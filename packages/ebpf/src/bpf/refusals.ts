import { readdirSync, statfsSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { getSystemErrorMap } from 'node:util';
import type { HdrscopeError } from '@hdrscope/core';
import { type KernelErrorCode, type KernelErrorDetails, kernelError } from '../errors.ts';
import { readTextFile } from '../system-files.ts';
import { type Command, errnoName } from './uapi.ts';

/** Source: Linux, `include/uapi/linux/magic.h`, `BPF_FS_MAGIC`. */
const BPF_FS = 0xcafe4a11;

/**
 * The cure for a refusal; `undefined` when none is known. Each of these refusals occurred on Linux 6.18.
 *
 * @param errno Its name, such as `EPERM`.
 */
function cureOf(command: Command, object: string, errno: string): string | undefined {
  switch (errno) {
    case 'EACCES':
      if (command === 'OBJ_GET') return cureOfPin(object);
      return command === 'PROG_LOAD' ? 'the verifier rejects the program' : undefined;
    case 'EPERM':
      return cureOfPermission(command, object);
    case 'ENOENT':
      if (command === 'OBJ_GET') return cureOfMissingPin(object);
      return command === 'MAP_GET_FD_BY_ID'
        ? 'no map has that id: a map gets another id each time its program is loaded, and ends with it'
        : 'it no longer exists: has the program that held it ended?';
    case 'ENOSYS':
      return 'this kernel was built without bpf(2)';
    case 'ENOTSUPP':
      return 'this kernel does not support that for this type of map';
    case 'EMFILE':
    case 'ENFILE':
      return 'too many files are open: raise `ulimit -n`';
    case 'E2BIG':
      return command === 'MAP_CREATE'
        ? 'a per-CPU value holds 32768 bytes at most'
        : 'the map is full, or this kernel is too old for the request';
    default:
      return undefined;
  }
}

function cureOfMissingPin(path: string): string {
  // A name without a slash may be the name of a map.
  if (!path.includes('/')) {
    return `no pin is at ${resolve(path)}: a map is found by the path of its pin, or by its name, as name:${path}`;
  }
  const seen = path.startsWith('/') ? '' : `, ${resolve(path)}`;
  return `nothing is pinned there${seen}: is the program loaded, and is the bpffs mounted where this process sees it?`;
}

function cureOfPin(path: string): string {
  try {
    if (statSync(path).isDirectory()) return cureOfFolder(path);
    if (statfsSync(path, { bigint: true }).type !== BigInt(BPF_FS)) {
      return 'that file is not in a bpffs, so it is not a pin';
    }
    const { mode, uid } = statSync(path);
    const octal = (mode & 0o777).toString(8).padStart(4, '0');
    return `the pin has mode ${octal} and belongs to uid ${uid}: \`chmod 0444 ${path}\` lets everybody read it, and nobody write it`;
  } catch {
    return 'this user may not enter a folder above it: mount a bpffs with mode=0755 for pins that others read';
  }
}

const MOST_NAMES = 5;

function cureOfFolder(path: string): string {
  return `that is a folder, and a pin is a file${filesIn(path)}`;
}

function filesIn(path: string): string {
  try {
    const names = readdirSync(path, { withFileTypes: true })
      .filter((entry) => entry.isFile() && !/^(maps|progs)\.debug$/.test(entry.name))
      .map(({ name }) => name);
    const more = names.length > MOST_NAMES ? ', …' : '';
    return `: it has ${names.length === 0 ? 'no pin' : names.sort().slice(0, MOST_NAMES).join(', ') + more}`;
  } catch {
    return ', and this user may not list it';
  }
}

function cureOfPermission(command: Command, object: string): string {
  const confined = noteConfinement();
  switch (command) {
    case 'MAP_GET_NEXT_ID':
    case 'PROG_GET_NEXT_ID':
    case 'MAP_GET_FD_BY_ID':
    case 'PROG_GET_FD_BY_ID':
      return `finding objects by id or name takes CAP_SYS_ADMIN: opening a pin of mode 0444 takes no capability${confined}`;
    case 'BTF_GET_FD_BY_ID':
      return `reading types takes CAP_SYS_ADMIN: describe the shape of the map instead${confined}`;
    case 'OBJ_PIN':
      // Source: Linux, `bpf_lookup` in `kernel/bpf/inode.c`.
      if (basename(object).includes('.')) return 'the name of a pin has no dot: choose another one';
      return isInBpffs(object)
        ? `pinning takes CAP_BPF and the permission to write to that folder${confined}`
        : `objects are pinned in a bpffs only: \`mount -t bpf bpf /sys/fs/bpf\`${confined}`;
    case 'MAP_UPDATE_ELEM':
    case 'MAP_DELETE_ELEM':
      return 'the map was opened for reading only';
    case 'PROG_LOAD':
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

/** The end of a sentence about a refusal, for a process that a filter may keep from bpf(2). Empty for other processes. */
export function noteConfinement(): string {
  const isConfined = /^Seccomp:\s*2$/m.test(readTextFile('/proc/self/status'));
  return isConfined
    ? '; this process runs under a seccomp filter, as in a container, which may forbid bpf(2)'
    : '';
}

/** Subject of a system call. */
export interface Subject extends Pick<KernelErrorDetails, 'path' | 'id'> {
  /** The object as messages name it: `map 42`, or a path. */
  readonly object: string;
}

/** A call that the kernel refused. */
export interface Refusal extends Subject {
  readonly command: Command;
  readonly errno: number;
  /** Output of the verifier. */
  readonly log?: string;
}

/** The `cause` of a refusal, in the form of a system error of Node.js. */
interface KernelErrno extends Error {
  /** `EPERM` */
  readonly code: string;
  readonly errno: number;
  /** `bpf(OBJ_GET)` */
  readonly syscall: string;
}

/** Builds the error for a refusal: the call, its object, the name of the errno, and the cure when it is known. */
export function refusal({ command, object, errno, log, ...where }: Refusal): HdrscopeError<KernelErrorCode> {
  const code = errnoName(errno);
  const syscall = `bpf(${command})`;
  const [, meaning] = getSystemErrorMap().get(-errno) ?? [];
  const reason = meaning === undefined ? code : `${code}, ${meaning}`;
  const cure = cureOf(command, object, code);
  const cause: KernelErrno = Object.assign(new Error(`${syscall}: ${reason}`), { code, errno, syscall });
  const sentence = `${syscall} refused ${object}: ${reason}`;
  const message = cure === undefined ? sentence : `${sentence}; ${cure}`;
  return kernelError(log ? `${message}\n${log}` : message, { ...where, syscall, errno: code }, cause);
}
