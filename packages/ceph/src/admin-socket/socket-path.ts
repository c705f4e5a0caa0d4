import { join } from 'node:path';
import { mustBe } from '@hdrscope/core';

/**
 * What the kernel has room for, without the NUL at the end. Node.js cuts longer paths, and says nothing:
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
 * A path for each process of a cluster: `FOLDER/NAME.PID.asok`, which is how Ceph's programs name theirs.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` for a name that has a `/`, and for paths of more than 107 bytes.
 * @example
 * ```ts
 * import { adminSocketPath } from '@hdrscope/ceph';
 *
 * adminSocketPath('/run/shop', 'checkout', 4711); //=> '/run/shop/checkout.4711.asok'
 * ```
 */
export function adminSocketPath(folder: string, name: string, pid: number = process.pid): string {
  if (name === '' || name.includes('/')) throw mustBe('ERR_INVALID_OPTION', 'name', 'a name without /', name);
  const path = join(folder, `${name}.${pid}.asok`);
  assertSocketPath(path);
  return path;
}
