import { linkSync, lstatSync, mkdtempSync, rmSync, type Stats, unlinkSync } from 'node:fs';
import { createConnection } from 'node:net';
import { dirname, join } from 'node:path';
import { HdrscopeError } from '@hdrscope/core';
import { assertText, mustBe } from '@hdrscope/core/internal';

// A socket is created in a folder that only this user can enter, gets its mode there, and then its name, by a hard link. A
// link replaces nothing, so it never takes the path of another process's socket, and the socket never has another mode under
// its name. A umask cannot do this: it would apply to the files of other threads too, and workers cannot set it.

/** The time that a server has to answer after it accepted a connection. */
const ANSWER_TIMEOUT_MS = 1000;

/** A folder next to the path of a socket, which only this user can enter. The socket is created in it. */
export interface Nursery {
  readonly socketPath: string;
  remove(): void;
}

/** @throws HdrscopeError `ERR_INVALID_OPTION` when the path is too long for a folder next to it. */
export function createNursery(path: string): Nursery {
  // `join` would drop the dot.
  const prefix = `${dirname(path)}/.`;
  assertSocketPath(`${prefix}XXXXXX/s`, 'path, with .XXXXXX/s as its last part,');
  const folder = mkdtempSync(prefix);
  return {
    socketPath: join(folder, 's'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** A published socket. It can be distinguished from a file that took its path later. */
export interface Claim {
  /** Removes the name, unless it belongs to another file now. */
  release(): void;
}

/**
 * Gives a socket its name. It replaces a socket that a dead process left behind.
 *
 * @throws HdrscopeError `ERR_ALREADY_REGISTERED` when another server listens there; `ERR_INVALID_OPTION` when the path is
 *   that of a file which is not a socket.
 */
export async function publish(socketPath: string, path: string): Promise<Claim> {
  while (!linked(socketPath, path)) await removeStale(path);
  const mine = statOf(path);
  return {
    release(): void {
      const now = statOf(path);
      if (now !== undefined && now.ino === mine?.ino && now.dev === mine.dev) unlinkSync(path);
    },
  };
}

function linked(socketPath: string, path: string): boolean {
  try {
    linkSync(socketPath, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function removeStale(path: string): Promise<void> {
  const found = statOf(path);
  if (found === undefined) return;
  if (!found.isSocket()) {
    throw mustBe('ERR_INVALID_OPTION', 'path', 'unused, or a socket that was left behind', path);
  }
  if (await isServed(path)) {
    throw new HdrscopeError('ERR_ALREADY_REGISTERED', `${path} is served by another server`);
  }
  // Another process may have replaced it in the meantime.
  const now = statOf(path);
  if (now?.ino === found.ino && now.dev === found.dev) rmSync(path, { force: true });
}

/** Whether a server listens there, including a server of another protocol and one that is too busy to answer. */
function isServed(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createConnection(path);
    const settle = (served: boolean): void => {
      probe.destroy();
      resolve(served);
    };
    // Ceph's daemons ask each other the same.
    probe.on('connect', () => probe.write('{"prefix":"0"}\0'));
    probe.on('data', () => settle(true));
    probe.on('end', () => settle(true));
    probe.on('error', ({ code }: NodeJS.ErrnoException) =>
      settle(code !== 'ECONNREFUSED' && code !== 'ENOENT'),
    );
    probe.setTimeout(ANSWER_TIMEOUT_MS, () => settle(true));
  });
}

function statOf(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

/**
 * The room that the kernel has, without the NUL at the end. Node.js cuts longer paths without an error:
 * https://man7.org/linux/man-pages/man7/unix.7.html
 */
const LONGEST_PATH_BYTES = 107;

/** @throws HdrscopeError `ERR_INVALID_OPTION`. */
export function assertSocketPath(path: string, what = 'path'): void {
  if (typeof path !== 'string' || path === '' || path.includes('\0')) {
    throw mustBe('ERR_INVALID_OPTION', what, 'the path of a socket', path);
  }
  const bytes = Buffer.byteLength(path);
  if (bytes > LONGEST_PATH_BYTES) {
    throw mustBe(
      'ERR_INVALID_OPTION',
      what,
      `at most ${LONGEST_PATH_BYTES} bytes long`,
      `${path} of ${bytes} bytes`,
    );
  }
}

/**
 * A path for the socket of one process of a cluster: `FOLDER/NAME.PID.asok`, as in Ceph's programs.
 *
 * @param pid The id of the process. @default this process
 * @throws HdrscopeError `ERR_INVALID_OPTION` for an empty name or one with a `/`, and for a path of more than 107 bytes.
 * @example
 * ```ts
 * import { adminSocketPath } from '@hdrscope/ceph';
 *
 * adminSocketPath('/run/shop', 'checkout', 4711); //=> '/run/shop/checkout.4711.asok'
 * ```
 */
export function adminSocketPath(folder: string, name: string, pid: number = process.pid): string {
  assertText('the folder', folder);
  if (name === '' || name.includes('/'))
    throw mustBe('ERR_INVALID_OPTION', 'name', 'a non-empty name without /', name);
  const path = join(folder, `${name}.${pid}.asok`);
  assertSocketPath(path);
  return path;
}
