import { createSocket, type Socket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { unlinkSync } from 'node:fs';
import type { ListenAddress } from '../config/values.ts';
import { readKernelDrops } from './kernel-drops.ts';
import {
  createReceiver,
  HAS_SOCKET_CALLS,
  loadSocketCalls,
  openUdp,
  openUnix,
  type SocketCalls,
  type TakePacket,
  watchSocket,
} from './sockets.ts';

/** A socket whose packets are taken. */
export interface Receiver {
  /** The port; `undefined` for a Unix socket. */
  readonly port: number | undefined;
  /** Bytes of the buffer of the kernel, with what it needs itself; `undefined` for a Unix socket, which has a limit of packets. */
  readonly bufferBytes: number | undefined;
  /** How many packets the kernel has dropped; `undefined` when it does not say. A Unix socket drops none: senders wait, or hear of it. */
  readDrops(): Promise<number | undefined>;
  /** Takes the packets that wait. */
  drain(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Receives UDP. With koffi on Linux, many packets come with one call; without it, Node.js receives each alone, which takes several times as
 * long.
 *
 * @param failed Hears of errors after which the socket goes on.
 * @param loadCalls Replaces koffi in tests: `undefined` is a machine without it.
 */
export async function receiveUdp(
  { host, port }: ListenAddress,
  receiveBuffer: number,
  take: TakePacket,
  failed: (error: Error) => void,
  loadCalls: () => Promise<SocketCalls | undefined> = loadIfPossible,
): Promise<Receiver> {
  const { address, family } = await lookup(host);
  const calls = await loadCalls();
  const ip = family === 6 ? 6 : 4;
  // It throws when the port is taken: before anything else is open.
  const fd = calls && openUdp(calls, { address, port, family: ip }, receiveBuffer);
  const socket = createSocket(family === 6 ? 'udp6' : 'udp4');
  // A descriptor that is bound already listens at once.
  const listening = once(socket, 'listening');
  let takeRest = (): boolean => false;
  socket.on('message', (packet) => {
    take(packet, 0, packet.length, false);
    takeRest();
  });
  if (calls === undefined || fd === undefined) socket.bind({ address, port, exclusive: true });
  else {
    takeRest = createReceiver(calls, fd, take);
    socket.bind({ fd, exclusive: true });
  }
  await listening;
  socket.on('error', failed);
  if (calls === undefined) setReceiveBuffer(socket, receiveBuffer);
  const bound = socket.address();
  return {
    port: bound.port,
    bufferBytes: socket.getRecvBufferSize(),
    readDrops: () => readKernelDrops(bound.address, bound.port),
    async drain() {
      if (calls === undefined) await takeWaiting(socket);
      else takeAll(takeRest);
    },
    async close() {
      socket.close();
      await once(socket, 'close');
    },
  };
}

async function loadIfPossible(): Promise<SocketCalls | undefined> {
  return HAS_SOCKET_CALLS ? loadSocketCalls().catch(() => undefined) : undefined;
}

/** The kernel cuts what is more than it allows; other systems refuse it. */
function setReceiveBuffer(socket: Socket, bytes: number): void {
  try {
    socket.setRecvBufferSize(bytes);
  } catch {
    // The size that it has is reported.
  }
}

/** Takes packets until none waits, or the time is over: senders may go on. */
function takeAll(takeMore: () => boolean): void {
  const endMs = performance.now() + DRAIN_MS;
  while (takeMore() && performance.now() < endMs);
}

/** As `takeAll`, where Node.js brings the packets. */
async function takeWaiting(socket: Socket): Promise<void> {
  let count = 0;
  const counted = (): void => {
    count++;
  };
  socket.on('message', counted);
  const endMs = performance.now() + DRAIN_MS;
  for (let before = -1; count > before && performance.now() < endMs; ) {
    before = count;
    // Node.js looks at its sockets between two of these.
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
  socket.off('message', counted);
}

/** The most time for packets that wait when a source ends. */
const DRAIN_MS = 1000;

/** Receives Unix datagrams. @throws HdrscopeError `ERR_KERNEL` when koffi is not installed. */
export async function receiveUnix(path: string, take: TakePacket): Promise<Receiver> {
  if (!HAS_SOCKET_CALLS) {
    throw new Error(
      `Unix datagrams are received on 64-bit Linux only, not on ${process.platform} with ${process.arch}: let clients send to an address by UDP`,
    );
  }
  const calls: SocketCalls = await loadSocketCalls();
  const fd = openUnix(calls, path, unlinkSync);
  const receive = createReceiver(calls, fd, take);
  const stopWatching = watchSocket(calls, fd, receive);
  return {
    port: undefined,
    bufferBytes: undefined,
    readDrops: async () => 0,
    async drain() {
      await stopWatching();
      takeAll(receive);
    },
    async close() {
      await stopWatching();
      calls.close(fd);
      unlinkSync(path);
    },
  };
}
