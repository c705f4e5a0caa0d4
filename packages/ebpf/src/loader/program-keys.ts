import { readlinkSync, statSync } from 'node:fs';
import { basename, relative } from 'node:path';
import type { Attributes } from '@hdrscope/registry';
import { LITTLE_ENDIAN, textUntilNul, viewOf } from '../bpf/memory.ts';
import { addressText } from '../exporter-config/decoders.ts';
import { foldersBelow, readMounts } from '../system-files.ts';

/** Makes the attributes of a key from its bytes. */
type KeyReader = (key: Uint8Array) => Attributes;

/** A key of `runqueue.bpf.c` with the ids of a task, and its name. */
export function taskKey(key: Uint8Array): Attributes {
  const view = viewOf(key);
  const id = view.getBigUint64(0, LITTLE_ENDIAN);
  const [pid, tid] = [Number(id >> 32n), Number(id & 0xffff_ffffn)];
  return { comm: textUntilNul(key.subarray(8)), pid, tid };
}

/**
 * Makes readers of keys of `runqueue.bpf.c` with the id of a cgroup, one for each reading. The path of a cgroup is below the mount point
 * of version 2. When the cgroup no longer exists, its id stands for the path.
 */
export function cgroupKeys(mountinfo = '/proc/self/mountinfo'): () => KeyReader {
  // It is looked for when a key needs it, until it is found.
  let folder: string | undefined;
  return () => {
    // Its folders are listed once, when a key needs them.
    let paths: ReadonlyMap<bigint, string> | undefined;
    return (key) => {
      const id = viewOf(key).getBigUint64(0, LITTLE_ENDIAN);
      if (paths === undefined) {
        folder ??= cgroupFolder(mountinfo);
        paths = folder === undefined ? new Map() : cgroupPaths(folder);
      }
      return { cgroup: paths.get(id) ?? String(id) };
    };
  };
}

/** Where cgroups of version 2 are mounted; `undefined` when they are not. */
function cgroupFolder(mountinfo: string): string | undefined {
  return readMounts(mountinfo).find(({ type }) => type === 'cgroup2')?.path;
}

/** Paths of all cgroups by their ids, which are the inodes of their folders. */
function cgroupPaths(folder: string): ReadonlyMap<bigint, string> {
  const paths = new Map<bigint, string>();
  for (const { path } of foldersBelow(folder)) {
    try {
      paths.set(statSync(path, { bigint: true }).ino, `/${relative(folder, path)}`);
    } catch {
      // The cgroup was removed meanwhile, or this user may not enter it.
    }
  }
  return paths;
}

/**
 * Names of operations. Their numbers are the same since Linux 4.10; other numbers have changed since. Source: Linux,
 * `include/linux/blk_types.h`, `enum req_op`.
 */
const OPERATIONS: Readonly<Record<number, string>> = {
  0: 'read',
  1: 'write',
  2: 'flush',
  3: 'discard',
  5: 'secure_erase',
  9: 'write_zeroes',
  34: 'driver_in',
  35: 'driver_out',
};

/** A key of `blockio.bpf.c`. When the device no longer exists, its number stands for its name. */
export function deviceKey(key: Uint8Array): Attributes {
  const view = viewOf(key);
  const [major, minor, operation] = [0, 4, 8].map((offset) => view.getUint32(offset, LITTLE_ENDIAN));
  return {
    device: deviceName(major!, minor!),
    operation: OPERATIONS[operation!] ?? `operation_${operation}`,
  };
}

function deviceName(major: number, minor: number): string {
  const number = `${major}:${minor}`;
  if (number === '0:0') return 'none';
  try {
    return basename(readlinkSync(`/sys/dev/block/${number}`));
  } catch {
    return number;
  }
}

/** A key of `tcprtt.bpf.c`. */
export function remoteKey(key: Uint8Array): Attributes {
  return { remote: addressText(key) };
}
