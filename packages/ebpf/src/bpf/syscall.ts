import { HdrscopeError } from '@hdrscope/core';
import { type Koffi, loadKoffi } from './koffi.ts';

/** The way to the kernel. Tests put another one in its place. */
export interface Bpf {
  /** bpf(2): what it returned, or its errno as a negative number. */
  call(command: number, attr: Uint8Array): number;
  /** Where memory is that `call` points at. The memory must have a buffer of its own, and outlive the call. */
  address(memory: Uint8Array): bigint;
  /** close(2). */
  close(fd: number): void;
}

/** The number of bpf(2) on each architecture that Node.js has builds for. Source: the tables of Linux 6.18. */
const NUMBERS: Readonly<Record<string, number>> = {
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
 * The bpf(2) of this machine, through koffi, which is loaded once.
 *
 * @throws HdrscopeError `ERR_KERNEL` without koffi, and where there is no Linux.
 */
export function loadBpf(): Promise<Bpf> {
  loaded ??= loadKoffi()
    .then((koffi) => bpfThrough(koffi))
    .catch((error) => {
      // It may be installed while the process waits.
      loaded = undefined;
      throw error;
    });
  return loaded;
}

/** bpf(2) of a C library that this process has loaded already: glibc or musl, whichever Node.js was built for. */
export function bpfThrough(
  koffi: Koffi,
  { platform, arch }: { readonly platform: string; readonly arch: string } = process,
): Bpf {
  const number = platform === 'linux' ? NUMBERS[arch] : undefined;
  if (number === undefined) {
    throw new HdrscopeError(
      'ERR_KERNEL',
      `there is no bpf(2) to call on ${platform} with ${arch}: it takes Linux`,
    );
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
