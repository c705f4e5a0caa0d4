import type { Socket } from 'node:net';
import { isLoopback } from './host.ts';
import type { ServerLimits } from './limits.ts';

interface Use {
  /** Requests that wait or are being answered. */
  requests: number;
  /** Whether a request has been answered. */
  isServed: boolean;
}

/** The open connections of a server, oldest first. */
export class Connections {
  readonly #limits: Pick<ServerLimits, 'connections' | 'connectionsOfAddress'>;
  readonly #uses = new Map<Socket, Use>();

  constructor(limits: Pick<ServerLimits, 'connections' | 'connectionsOfAddress'>) {
    this.#limits = limits;
  }

  /** Takes a new connection, and closes another one, or this one, where there would be too many. */
  add(socket: Socket): void {
    const { connections, connectionsOfAddress } = this.#limits;
    const { remoteAddress: address } = socket;
    this.#uses.set(socket, { requests: 0, isServed: false });
    socket.once('close', () => this.#uses.delete(socket));
    if (this.#uses.size > connections) this.#closeOne(socket, () => true);
    // A proxy on this machine connects for many clients.
    if (address === undefined || isLoopback(address)) return;
    const isOfAddress = (one: Socket): boolean => one.remoteAddress === address;
    let ofAddress = 0;
    for (const one of this.#uses.keys()) if (isOfAddress(one)) ofAddress++;
    if (ofAddress > connectionsOfAddress) this.#closeOne(socket, isOfAddress);
  }

  /** Counts a request that has come. Returns how many of its connection wait or are being answered. */
  begin(socket: Socket): number {
    const use = this.#uses.get(socket);
    return use === undefined ? 1 : ++use.requests;
  }

  /** Counts a request that is done. */
  end(socket: Socket): void {
    const use = this.#uses.get(socket);
    if (use === undefined) return;
    use.requests--;
    use.isServed = true;
  }

  /**
   * Closes the oldest connection that has sent no whole request yet, else the oldest one that waits between two requests, as those of
   * a scraper do, and else the new one.
   */
  #closeOne(added: Socket, isMeant: (socket: Socket) => boolean): void {
    let oldest: Socket | undefined;
    for (const [socket, { requests, isServed }] of this.#uses) {
      if (requests > 0 || socket === added || !isMeant(socket)) continue;
      oldest ??= socket;
      if (isServed) continue;
      oldest = socket;
      break;
    }
    const closed = oldest ?? added;
    this.#uses.delete(closed);
    closed.destroy();
  }
}
