import { constants } from 'node:os';

/** The kernel's own, which never was meant to leave it. bpf(2) gives it for what a type of map cannot do. */
const ENOTSUPP = 524;

const names: ReadonlyMap<number, string> = new Map([
  // Of two names for one number, as EAGAIN and EWOULDBLOCK, the first is the one that everybody says.
  ...Object.entries(constants.errno)
    .reverse()
    .map(([name, number]): [number, string] => [number, name]),
  [ENOTSUPP, 'ENOTSUPP'],
]);

/** The numbers that are acted upon, not only reported. */
export const ERRNO: Readonly<Record<'ENOENT' | 'EINVAL' | 'ENOSPC' | 'ENOTSUPP', number>> = {
  ENOENT: constants.errno.ENOENT,
  EINVAL: constants.errno.EINVAL,
  ENOSPC: constants.errno.ENOSPC,
  ENOTSUPP,
};

/** `ENOENT` for 2; the number itself where nobody has named it. */
export function errnoName(errno: number): string {
  return names.get(errno) ?? `errno ${errno}`;
}
