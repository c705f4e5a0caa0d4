import type { Socket } from 'node:net';
import { isLoopback } from './host.ts';
import type { ServerLimits } from './limits.ts';

/** The open connections of a server, oldest first, each with the requests on it that wait or are being answered. */
export class Connections {
  readonly #limits: Pick<ServerLimits, 'connections' | 'connectionsOfAddress'>;
  readonly #requests = new Map<Socket, number>();

  constructor(limits: Pick<ServerLimits, 'connections' | 'connectionsOfAddress'>) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#requests.size;
  }

  /** Takes a new connection, and closes another one, or this one, where there would be too many. */
  add(socket: Socket): void {
    const { connections, connectionsOfAddress } = this.#limits;
    const { remoteAddress: address } = socket;
    this.#requests.set(socket, 0);
    socket.once('close', () => this.#requests.delete(socket));
    if (this.#requests.size > connections) this.#closeOldest(socket, () => true);
    // A proxy on this machine connects for many clients.
    if (address === undefined || isLoopback(address)) return;
    const isOfAddress = (one: Socket): boolean => one.remoteAddress === address;
    let ofAddress = 0;
    for (const one of this.#requests.keys()) if (isOfAddress(one)) ofAddress++;
    if (ofAddress > connectionsOfAddress) this.#closeOldest(socket, isOfAddress);
  }

  /** Counts a request that has come, or with -1 one that is done. */
  count(socket: Socket, change: 1 | -1): number {
    const requests = (this.#requests.get(socket) ?? 0) + change;
    if (this.#requests.has(socket)) this.#requests.set(socket, requests);
    return requests;
  }

  /** Closes the oldest connection without a request, and the new one where each other one has a request. */
  #closeOldest(added: Socket, isMeant: (socket: Socket) => boolean): void {
    for (const [socket, requests] of this.#requests) {
      if (requests > 0 || socket === added || !isMeant(socket)) continue;
      this.#requests.delete(socket);
      socket.destroy();
      return;
    }
    this.#requests.delete(added);
    added.destroy();
  }
}
