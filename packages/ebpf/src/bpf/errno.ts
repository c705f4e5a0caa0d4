import { constants } from 'node:os';

/** An errno internal to the kernel. bpf(2) returns it for an operation that a map type does not support. */
const ENOTSUPP = 524;

const names: ReadonlyMap<number, string> = new Map([
  // When one number has two names, such as EAGAIN and EWOULDBLOCK, the first is the common one.
  ...Object.entries(constants.errno)
    .reverse()
    .map(([name, number]): [number, string] => [number, name]),
  [ENOTSUPP, 'ENOTSUPP'],
]);

/** Errnos that the code handles. It only reports all others. */
export const ERRNO: Readonly<Record<'ENOENT' | 'EINVAL' | 'ENOSPC' | 'ENOTSUPP', number>> = {
  ENOENT: constants.errno.ENOENT,
  EINVAL: constants.errno.EINVAL,
  ENOSPC: constants.errno.ENOSPC,
  ENOTSUPP,
};

/** Name of an errno: `ENOENT` for 2, and `errno 9999` for a number that has no name. */
export function errnoName(errno: number): string {
  return names.get(errno) ?? `errno ${errno}`;
}
