import { type Dirent, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mustBe } from '@hdrscope/core/internal';
import { kernelError } from './errors.ts';

/**
 * Numbers of the CPUs that this machine may ever have, ascending. A per-CPU value has one part for each of them, without
 * gaps: part k belongs to CPU k of this list, whatever its number. A CPU that goes offline keeps its part.
 *
 * @throws HdrscopeError `ERR_KERNEL` when sysfs does not list them.
 */
export function possibleCpus(): readonly number[] {
  return cpusOf('/sys/devices/system/cpu/possible');
}

/**
 * Numbers of the CPUs that run now, ascending.
 *
 * @throws HdrscopeError `ERR_KERNEL` when sysfs does not list them.
 */
export function onlineCpus(): readonly number[] {
  return cpusOf('/sys/devices/system/cpu/online');
}

function cpusOf(path: string): readonly number[] {
  try {
    return parseCpuList(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw kernelError(`${path} must list the CPUs of this machine, and cannot be read`, { path }, cause);
  }
}

/** Far above `CONFIG_NR_CPUS` of any machine. */
const MOST_CPUS = 2 ** 16;

/**
 * Parses a list of CPUs as the kernel prints it: `0-3,8`.
 *
 * @throws HdrscopeError `ERR_KERNEL` when the text is not a list of CPUs.
 */
export function parseCpuList(text: string): readonly number[] {
  return text
    .trim()
    .split(',')
    .flatMap((range) => {
      const [, first, last = first] = /^(\d+)(?:-(\d+))?$/.exec(range) ?? [];
      if (first === undefined || !(Number(last) < MOST_CPUS))
        throw mustBe('ERR_KERNEL', 'a list of CPUs', 'as in 0-3,8', text);
      return Array.from({ length: Number(last) - Number(first) + 1 }, (_, i) => Number(first) + i);
    });
}

/** A mounted file system. */
export interface Mount {
  /** Where it is mounted. */
  readonly path: string;
  /** Its type, such as `bpf` or `cgroup2`. */
  readonly type: string;
}

/** Parses `/proc/self/mountinfo`. Source: proc(5). */
export function mountsIn(mountinfo: string): readonly Mount[] {
  return mountinfo.split('\n').flatMap((line) => {
    const [before = '', after = ''] = line.split(' - ');
    const path = before.split(' ')[4];
    const [type = ''] = after.split(' ');
    return path === undefined || type === '' ? [] : [{ path: withoutEscapes(path), type }];
  });
}

/** Blanks and some other characters are octal numbers. */
function withoutEscapes(path: string): string {
  return path.replace(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}

/** The mounted file systems that this process sees. */
export function readMounts(mountinfo = '/proc/self/mountinfo'): readonly Mount[] {
  return mountsIn(readFileSync(mountinfo, 'utf8'));
}

/** The text of a file; empty when it is absent, its process has ended, or this user may not read it. */
export function readTextFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** The entries of a folder; empty when this user may not list it. */
function listFolder(path: string): readonly Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** The names in a folder; empty when this user may not list it. */
export function namesIn(folder: string): readonly string[] {
  return listFolder(folder).map(({ name }) => name);
}

/** The ids of the maps of the kernel that a process has open; empty when it has ended, or this user may not see them. */
export function mapIdsOfProcess(pid: string): readonly number[] {
  return namesIn(`/proc/${pid}/fdinfo`).flatMap((fd) => {
    const [, id] = /^map_id:\s*(\d+)$/m.exec(readTextFile(`/proc/${pid}/fdinfo/${fd}`)) ?? [];
    return id === undefined ? [] : [Number(id)];
  });
}

/** A folder and the folders in it at any depth, with their entries. Each is listed when it is asked for. */
export function* foldersBelow(
  root: string,
): Generator<{ readonly path: string; readonly entries: readonly Dirent[] }> {
  const waiting = [root];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const entries = listFolder(path);
    for (const entry of entries) if (entry.isDirectory()) waiting.push(join(path, entry.name));
    yield { path, entries };
  }
}
