import { getSystemErrorName } from 'node:util';
import { type Koffi, loadKoffi, type NativeFunction } from '@hdrscope/ebpf/internal';
import { readAddress } from './kernel-drops.ts';

// Datagram sockets of Linux through koffi: many packets with one call, and Unix datagrams, which Node.js does not have. The numbers and the
// layouts are those of glibc and musl on 64-bit machines with little ends.

const [AF_UNIX, AF_INET, AF_INET6, SOCK_DGRAM] = [1, 2, 10, 2] as const;
const [SOCK_CLOEXEC, SOCK_NONBLOCK] = [0o2000000, 0o4000] as const;
const [SOL_SOCKET, SO_RCVBUF] = [1, 8] as const;
const [MSG_DONTWAIT, MSG_TRUNC, POLLIN] = [0x40, 0x20, 1] as const;
const [EADDRINUSE, ECONNREFUSED] = [98, 111] as const;

/** How many packets a call takes. */
const BATCH = 256;
/** No packet of UDP is larger; a larger one of a Unix socket is cut. */
const PACKET_BYTES = 65_536;
/** How many calls follow each other before other work of the process runs. */
const MOST_CALLS = 16;
/** The time after which a wait looks for sockets that have opened or closed meanwhile. */
const POLL_MS = 100;

const [IOVEC_BYTES, MMSGHDR_BYTES, POLLFD_BYTES] = [16, 64, 8] as const;
const [IOV_AT, IOVLEN_AT, FLAGS_AT, LENGTH_AT] = [16, 24, 48, 56] as const;

/** Takes a packet: the bytes from `from` up to `end`. They are overwritten afterwards. */
export type TakePacket = (bytes: Uint8Array, from: number, end: number, isCut: boolean) => void;

/** A function that another thread may call, too. The last argument is a function that gets the result. */
interface AsyncFunction extends NativeFunction {
  async(...args: readonly unknown[]): void;
}

/** Calls of the C library. */
export interface SocketCalls {
  readonly koffi: Koffi;
  readonly socket: NativeFunction;
  readonly bind: NativeFunction;
  readonly connect: NativeFunction;
  readonly setsockopt: NativeFunction;
  readonly recvmmsg: NativeFunction;
  readonly poll: AsyncFunction;
  readonly close: NativeFunction;
}

/** Whether the layouts of this file are those of this machine. */
export const HAS_SOCKET_CALLS: boolean =
  process.platform === 'linux' && ['x64', 'arm64', 'riscv64', 'loong64'].includes(process.arch);

/** @throws HdrscopeError `ERR_KERNEL` when koffi is not installed. */
export async function loadSocketCalls(): Promise<SocketCalls> {
  const koffi = await loadKoffi(undefined, {
    what: 'receiving Unix datagrams',
    otherwise: 'let clients send to an address by UDP',
  });
  const libc = koffi.load(null);
  return {
    koffi,
    socket: libc.func('int socket(int domain, int type, int protocol)'),
    bind: libc.func('int bind(int fd, void *address, uint32_t length)'),
    connect: libc.func('int connect(int fd, void *address, uint32_t length)'),
    setsockopt: libc.func('int setsockopt(int fd, int level, int name, void *value, uint32_t length)'),
    recvmmsg: libc.func('int recvmmsg(int fd, void *messages, uint32_t count, int flags, void *timeout)'),
    poll: libc.func('int poll(void *fds, uint64_t count, int timeout)') as AsyncFunction,
    close: libc.func('int close(int fd)'),
  };
}

/**
 * Opens a UDP socket.
 *
 * @param address An address and no name.
 * @returns The file descriptor.
 * @throws Error with the `code` of the system.
 */
export function openUdp(
  calls: SocketCalls,
  { address, family, port }: { readonly address: string; readonly family: 4 | 6; readonly port: number },
  receiveBuffer: number,
): number {
  const fd = openSocket(calls, family === 4 ? AF_INET : AF_INET6);
  setOption(calls, fd, SO_RCVBUF, receiveBuffer);
  const bytes = Buffer.alloc(family === 4 ? 16 : 28);
  bytes.writeUInt16LE(family === 4 ? AF_INET : AF_INET6, 0);
  bytes.writeUInt16BE(port, 2);
  readAddress(address).copy(bytes, family === 4 ? 4 : 8);
  return bindSocket(calls, fd, bytes, `${address}:${port}`);
}

/**
 * Opens a Unix datagram socket, and removes one that a program has left behind.
 *
 * @param unlink Removes the file of a socket that nobody reads.
 */
export function openUnix(calls: SocketCalls, path: string, unlink: (path: string) => void): number {
  const name = Buffer.from(path);
  if (name.length > 107)
    throw new Error(`${path} must be a path of at most 107 bytes: a socket cannot have a longer one`);
  const bytes = Buffer.alloc(2 + name.length + 1);
  bytes.writeUInt16LE(AF_UNIX, 0);
  name.copy(bytes, 2);
  const fd = openSocket(calls, AF_UNIX);
  if (calls.bind(fd, bytes, bytes.length) === 0) return fd;
  const isTaken = calls.koffi.errno() === EADDRINUSE;
  if (isTaken && calls.connect(fd, bytes, bytes.length) < 0 && calls.koffi.errno() === ECONNREFUSED)
    unlink(path);
  return bindSocket(calls, fd, bytes, path);
}

function openSocket(calls: SocketCalls, domain: number): number {
  const fd = calls.socket(domain, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) throw systemError(calls, 'socket', 'a datagram socket');
  return fd;
}

function setOption({ setsockopt }: SocketCalls, fd: number, name: number, value: number): void {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  setsockopt(fd, SOL_SOCKET, name, bytes, 4);
}

function bindSocket(calls: SocketCalls, fd: number, address: Buffer, what: string): number {
  if (calls.bind(fd, address, address.length) === 0) return fd;
  const error = systemError(calls, 'bind', what);
  calls.close(fd);
  throw error;
}

function systemError({ koffi }: SocketCalls, call: string, what: string): Error {
  const errno = koffi.errno();
  const code = getSystemErrorName(-errno);
  return Object.assign(new Error(`${call} ${code} ${what}`), { code, errno, syscall: call });
}

/** Makes a function that takes the packets that wait in a socket, a few thousand at most, and returns whether more may wait. */
export function createReceiver(
  { koffi, recvmmsg }: SocketCalls,
  fd: number,
  take: TakePacket,
): () => boolean {
  // One array, so that nothing of it is freed while the kernel knows its address.
  const vectors = BATCH * MMSGHDR_BYTES;
  const packets = vectors + BATCH * IOVEC_BYTES;
  const memory = Buffer.from(new ArrayBuffer(packets + BATCH * PACKET_BYTES));
  const start = koffi.address(memory);
  for (let i = 0; i < BATCH; i++) {
    const [header, vector] = [i * MMSGHDR_BYTES, vectors + i * IOVEC_BYTES];
    memory.writeBigUInt64LE(start + BigInt(vector), header + IOV_AT);
    memory.writeBigUInt64LE(1n, header + IOVLEN_AT);
    memory.writeBigUInt64LE(start + BigInt(packets + i * PACKET_BYTES), vector);
    memory.writeBigUInt64LE(BigInt(PACKET_BYTES), vector + 8);
  }
  const headers = new Int32Array(memory.buffer, 0, vectors / 4);
  return () => {
    for (let call = 0; call < MOST_CALLS; call++) {
      const count = recvmmsg(fd, memory, BATCH, MSG_DONTWAIT, null);
      for (let i = 0; i < count; i++) {
        const header = (i * MMSGHDR_BYTES) / 4;
        const from = packets + i * PACKET_BYTES;
        take(
          memory,
          from,
          from + headers[header + LENGTH_AT / 4]!,
          (headers[header + FLAGS_AT / 4]! & MSG_TRUNC) !== 0,
        );
      }
      if (count < BATCH) return false;
    }
    return true;
  };
}

/** What waits for packets, by file descriptor. */
const waiting = new Map<number, () => void>();
/** The wait that is under way. */
let wait: Promise<unknown> | undefined;

/**
 * Calls a function whenever packets wait in a socket. All sockets of the process share a wait, which takes a thread of the pool of Node.js.
 *
 * @returns A function that ends this. The socket may be closed when its promise resolves.
 */
export function watchSocket(calls: SocketCalls, fd: number, ready: () => void): () => Promise<void> {
  waiting.set(fd, ready);
  if (wait === undefined) void pollSockets(calls);
  return async () => {
    waiting.delete(fd);
    await wait;
  };
}

async function pollSockets({ poll }: SocketCalls): Promise<void> {
  while (waiting.size > 0) {
    const fds = [...waiting.keys()];
    const bytes = Buffer.from(new ArrayBuffer(fds.length * POLLFD_BYTES));
    for (const [i, fd] of fds.entries()) {
      bytes.writeInt32LE(fd, i * POLLFD_BYTES);
      bytes.writeInt16LE(POLLIN, i * POLLFD_BYTES + 4);
    }
    wait = new Promise((resolve) => poll.async(bytes, fds.length, POLL_MS, resolve));
    await wait;
    for (const [i, fd] of fds.entries()) {
      if (bytes.readInt16LE(i * POLLFD_BYTES + 6) !== 0) waiting.get(fd)?.();
    }
  }
  wait = undefined;
}
