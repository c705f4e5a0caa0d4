import type { Socket } from 'node:net';
import { isLoopback } from './host.ts';
import type { ServerLimits } from './limits.ts';
import { countError, type ServerRefusals } from './refusals.ts';
import type { Room } from './room.ts';

interface Use {
  /** Whether a request is being answered. */
  isBusy: boolean;
  /** Whether a request has been answered. */
  isServed: boolean;
  /** The work for the requests that were sent ahead, in their order. */
  readonly waiting: (() => void)[];
  /** The address of the client; `undefined` when it is of this machine. */
  readonly address: string | undefined;
}

// No client of ours sends requests ahead. Some libraries send a few.
const MOST_WAITING = 16;

/** The open connections of a server, oldest first. */
export class Connections {
  readonly #limits: Pick<ServerLimits, 'connections' | 'connectionsOfAddress'>;
  readonly #refusals: ServerRefusals;
  readonly #room: Room;
  readonly #uses = new Map<Socket, Use>();
  /** How many connections are open from each address of another machine. */
  readonly #ofAddresses = new Map<string, number>();
  /** Addresses of other machines from which connections have come since the last trim. */
  readonly #arrived = new Set<string>();
  #trimming: NodeJS.Immediate | undefined;

  /**
   * @param room The requests that are under way on these connections.
   * @param refusals Counts the connections that are closed.
   */
  constructor(
    limits: Pick<ServerLimits, 'connections' | 'connectionsOfAddress'>,
    room: Room,
    refusals: ServerRefusals,
  ) {
    this.#limits = limits;
    this.#room = room;
    this.#refusals = refusals;
  }

  /** Takes a new connection. Where there are too many then, some are closed soon. */
  add(socket: Socket): void {
    const { remoteAddress } = socket;
    // A proxy on this machine connects for many clients.
    const address = remoteAddress === undefined || isLoopback(remoteAddress) ? undefined : remoteAddress;
    this.#uses.set(socket, { isBusy: false, isServed: false, waiting: [], address });
    if (address !== undefined) {
      this.#ofAddresses.set(address, this.#countFrom(address) + 1);
      this.#arrived.add(address);
    }
    socket.once('close', () => this.#forget(socket));
    this.#watch(socket);
    // The next turn of the event loop reads what new connections have sent. Until then, none of them has sent a request.
    this.#trimming ??= setImmediate(() => {
      this.#trimming = setImmediate(() => {
        this.#trimming = undefined;
        this.#trim();
      });
    });
  }

  /** Runs after each new connection, so it reads no list of all connections unless one must close. */
  #trim(): void {
    const { connections, connectionsOfAddress } = this.#limits;
    for (const address of this.#arrived) {
      while (this.#countFrom(address) > connectionsOfAddress)
        this.#closeOne((use) => use.address === address);
    }
    this.#arrived.clear();
    while (this.#uses.size > connections) this.#closeOne(() => true);
  }

  #countFrom(address: string): number {
    return this.#ofAddresses.get(address) ?? 0;
  }

  #forget(socket: Socket): void {
    const address = this.#uses.get(socket)?.address;
    if (!this.#uses.delete(socket) || address === undefined) return;
    const left = this.#countFrom(address) - 1;
    if (left > 0) this.#ofAddresses.set(address, left);
    else this.#ofAddresses.delete(address);
  }

  /** Begins the work for a request when those before it on its connection are done. Closes a connection where too many wait. */
  begin(socket: Socket, work: () => void): void {
    const use = this.#uses.get(socket);
    if (use === undefined) socket.destroy();
    else if (!use.isBusy) {
      use.isBusy = true;
      work();
    } else if (use.waiting.length < MOST_WAITING) use.waiting.push(work);
    else if (!socket.destroyed) {
      this.#refusals.requests++;
      socket.destroy();
    }
  }

  /** Ends the work for a request, and begins that of the next one on its connection. */
  end(socket: Socket): void {
    const use = this.#uses.get(socket);
    if (use === undefined) return;
    use.isServed = true;
    const next = use.waiting.shift();
    use.isBusy = next !== undefined;
    next?.();
  }

  /** Closes the connections on which nothing has come. */
  closeUnused(): void {
    for (const socket of this.#uses.keys()) if (socket.bytesRead === 0) socket.destroy();
  }

  /** Counts why Node.js closes a connection. */
  #watch(socket: Socket): void {
    socket.once('error', (error) => countError(this.#refusals, error));
    socket.once('timeout', () => {
      const use = this.#uses.get(socket);
      // Clients may keep a connection between two requests: its end is not a refusal.
      if (use !== undefined && (use.isBusy || !use.isServed)) this.#refusals.timeout++;
    });
  }

  /**
   * Closes the oldest connection that has sent no whole request yet, else the oldest one that waits between two requests, as those of
   * a scraper do, else that of the slowest client, and else the newest one.
   */
  #closeOne(isMeant: (use: Use) => boolean): void {
    let oldest: Socket | undefined;
    let newest: Socket | undefined;
    for (const [socket, use] of this.#uses) {
      if (!isMeant(use)) continue;
      newest = socket;
      if (use.isBusy) continue;
      oldest ??= socket;
      if (use.isServed) continue;
      oldest = socket;
      break;
    }
    const isSlowMeant = (socket: Socket): boolean => {
      const use = this.#uses.get(socket);
      return use !== undefined && isMeant(use);
    };
    const closed = oldest ?? this.#room.findSlowest(isSlowMeant) ?? newest!;
    this.#refusals.connections++;
    this.#forget(closed);
    closed.destroy();
  }
}
