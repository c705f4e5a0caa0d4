import { kernelError } from '../errors.ts';

/** Access to the kernel. Tests replace it. */
export interface Bpf {
  /** Calls bpf(2) with the number of a command, and returns its result, or its errno as a negative number. */
  call(command: number, attr: Uint8Array): number;
  /** Address of memory that `call` points at. The memory must have a buffer of its own, and outlive the call. */
  address(memory: Uint8Array): bigint;
  /** Closes a file descriptor: close(2). */
  close(fd: number): void;
}

/** Number of bpf(2) on each architecture that Node.js is built for. Source: the system call tables of Linux 6.18. */
const SYSCALL_NUMBERS: Readonly<Record<string, number>> = {
  arm: 386,
  arm64: 280,
  ia32: 357,
  loong64: 280,
  ppc64: 361,
  riscv64: 280,
  s390x: 351,
  x64: 321,
};

let loaded: Promise<Bpf> | undefined;

/**
 * Access to bpf(2) of this machine through koffi, which is loaded once.
 *
 * @throws HdrscopeError `ERR_KERNEL` when koffi is missing, and on systems other than Linux.
 */
export function loadBpf(): Promise<Bpf> {
  loaded ??= loadKoffi()
    .then((koffi) => bpfThrough(koffi))
    .catch((error) => {
      // koffi may be installed while the process runs.
      loaded = undefined;
      throw error;
    });
  return loaded;
}

/** Access to bpf(2) through the C library that this process has loaded: glibc or musl, as Node.js was built. */
export function bpfThrough(
  koffi: Koffi,
  { platform, arch }: { readonly platform: string; readonly arch: string } = process,
): Bpf {
  const number = platform === 'linux' ? SYSCALL_NUMBERS[arch] : undefined;
  if (number === undefined) {
    throw kernelError(`bpf(2) exists on Linux only, not on ${platform} with ${arch}`);
  }
  const libc = koffi.load(null);
  const syscall = libc.func('long syscall(long number, long command, void *attr, unsigned long size)');
  const close = libc.func('int close(int fd)');
  return {
    call: (command, attr) => {
      const result = Number(syscall(number, command, attr, attr.length));
      return result < 0 ? -koffi.errno() : result;
    },
    address: (memory) => koffi.address(memory),
    close: (fd) => void close(fd),
  };
}

/** A function of a C library. It takes numbers, memory and texts. */
export type NativeFunction = (...args: readonly unknown[]) => number;

/** The part of koffi that makes system calls. */
export interface Koffi {
  load(library: string | null): { func(prototype: string): NativeFunction };
  address(memory: Uint8Array): bigint;
  errno(): number;
}

/** What takes koffi, for the error without it. */
export interface KoffiTask {
  /** A gerund, with its object. */
  readonly what: string;
  /** The way without koffi, in the imperative. */
  readonly otherwise: string;
}

const READING_MAPS: KoffiTask = { what: 'reading kernel maps', otherwise: 'read through bpftool' };

/**
 * Loads koffi, the optional peer dependency that calls C functions.
 *
 * @param importKoffi Replaces the import in tests.
 * @throws HdrscopeError `ERR_KERNEL` when koffi is not installed, or has no binary for this platform.
 */
export async function loadKoffi(
  importKoffi: () => Promise<unknown> = () => import('koffi'),
  { what, otherwise }: KoffiTask = READING_MAPS,
): Promise<Koffi> {
  try {
    const loaded = (await importKoffi()) as { default: Koffi };
    return loaded.default;
  } catch (cause) {
    const isAbsent = ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'].includes((cause as { code: string }).code);
    const reason = isAbsent
      ? `${what} takes the package koffi, which is not installed`
      : `${what} takes the package koffi, which does not load: ${(cause as Error).message}`;
    throw kernelError(
      `${reason}: run \`npm install koffi\`, with --global where hdrscope is installed so, or ${otherwise}`,
      { program: 'koffi' },
      cause,
    );
  }
}
