import { constants } from 'node:os';

/** Numbers of the commands of bpf(2). Source: Linux, `include/uapi/linux/bpf.h`, `enum bpf_cmd`. */
export const COMMANDS = {
  MAP_CREATE: 0,
  MAP_LOOKUP_ELEM: 1,
  MAP_UPDATE_ELEM: 2,
  MAP_DELETE_ELEM: 3,
  MAP_GET_NEXT_KEY: 4,
  PROG_LOAD: 5,
  OBJ_PIN: 6,
  OBJ_GET: 7,
  PROG_TEST_RUN: 10,
  PROG_GET_NEXT_ID: 11,
  MAP_GET_NEXT_ID: 12,
  PROG_GET_FD_BY_ID: 13,
  MAP_GET_FD_BY_ID: 14,
  OBJ_GET_INFO_BY_FD: 15,
  BTF_LOAD: 18,
  BTF_GET_FD_BY_ID: 19,
  MAP_LOOKUP_BATCH: 24,
  ENABLE_STATS: 32,
} as const;

/** A command of bpf(2), without the prefix `BPF_`. */
export type Command = keyof typeof COMMANDS;

/** Numbers of the map types that can hold histograms, or maps with histograms. Source: `enum bpf_map_type`. */
export const MAP_TYPES = {
  hash: 1,
  array: 2,
  percpu_hash: 5,
  percpu_array: 6,
  lru_hash: 9,
  lru_percpu_hash: 10,
  array_of_maps: 12,
  hash_of_maps: 13,
} as const;

/** A map type, as bpftool prints it. */
export type MapType = keyof typeof MAP_TYPES;

/** `BPF_F_RDONLY`: the map is opened for reading only. */
export const READ_ONLY = 8;

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

// Source: Linux, `include/uapi/asm-generic/errno-base.h` and `errno.h`, from 1 on. Node.js knows only some of them.
const NAMES =
  `EPERM ENOENT ESRCH EINTR EIO ENXIO E2BIG ENOEXEC EBADF ECHILD EAGAIN ENOMEM EACCES EFAULT ENOTBLK EBUSY EEXIST
EXDEV ENODEV ENOTDIR EISDIR EINVAL ENFILE EMFILE ENOTTY ETXTBSY EFBIG ENOSPC ESPIPE EROFS EMLINK EPIPE EDOM ERANGE EDEADLK
ENAMETOOLONG ENOLCK ENOSYS ENOTEMPTY ELOOP - ENOMSG EIDRM ECHRNG EL2NSYNC EL3HLT EL3RST ELNRNG EUNATCH ENOCSI EL2HLT EBADE
EBADR EXFULL ENOANO EBADRQC EBADSLT - EBFONT ENOSTR ENODATA ETIME ENOSR ENONET ENOPKG EREMOTE ENOLINK EADV ESRMNT ECOMM EPROTO
EMULTIHOP EDOTDOT EBADMSG EOVERFLOW ENOTUNIQ EBADFD EREMCHG ELIBACC ELIBBAD ELIBSCN ELIBMAX ELIBEXEC EILSEQ ERESTART ESTRPIPE
EUSERS ENOTSOCK EDESTADDRREQ EMSGSIZE EPROTOTYPE ENOPROTOOPT EPROTONOSUPPORT ESOCKTNOSUPPORT EOPNOTSUPP EPFNOSUPPORT
EAFNOSUPPORT EADDRINUSE EADDRNOTAVAIL ENETDOWN ENETUNREACH ENETRESET ECONNABORTED ECONNRESET ENOBUFS EISCONN ENOTCONN ESHUTDOWN
ETOOMANYREFS ETIMEDOUT ECONNREFUSED EHOSTDOWN EHOSTUNREACH EALREADY EINPROGRESS ESTALE EUCLEAN ENOTNAM ENAVAIL EISNAM EREMOTEIO
EDQUOT ENOMEDIUM EMEDIUMTYPE ECANCELED ENOKEY EKEYEXPIRED EKEYREVOKED EKEYREJECTED EOWNERDEAD ENOTRECOVERABLE ERFKILL
EHWPOISON`.split(/\s+/);

/** The name of a number of 1 to 133; `undefined` for other numbers. */
export function errnoNameOf(number: string): string | undefined {
  const name = NAMES[Number(number) - 1];
  return name === '-' ? undefined : name;
}
