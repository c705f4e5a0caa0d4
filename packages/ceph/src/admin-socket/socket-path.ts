import { join } from 'node:path';
import { mustBe } from '@hdrscope/core/internal';

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
  if (name === '' || name.includes('/'))
    throw mustBe('ERR_INVALID_OPTION', 'name', 'a non-empty name without /', name);
  const path = join(folder, `${name}.${pid}.asok`);
  assertSocketPath(path);
  return path;
}
