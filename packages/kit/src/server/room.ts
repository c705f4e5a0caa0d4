import type { Socket } from 'node:net';
import { Exchange, type RoomRequest, type RoomResponse } from './exchange.ts';
import type { ServerLimits } from './limits.ts';
import type { ServerRefusals } from './refusals.ts';

const LOOK_MS = 100;
/** How far a client may be behind before it is closed for a request that waits. */
const PATIENCE_MS = 1000;
/** The same where many requests wait, and for a new connection, which cannot wait. */
const SHORT_PATIENCE_MS = 100;

/** The exchange of a request and of its response, for the handlers of a guarded server. */
const exchanges = new WeakMap<object, { readonly exchange: Exchange; readonly room: Room }>();

/**
 * The requests under way on a server, and the bytes that it holds for them. A request that finds too many before it waits. When one
 * waits, clients that neither send nor take at the least pace are closed, the slowest first.
 */
export class Room {
  readonly #limits: Pick<ServerLimits, 'requests' | 'pendingBytes'>;
  readonly #refusals: ServerRefusals;
  readonly #underWay = new Set<Exchange>();
  /** Those among them whose connections are being closed. */
  readonly #closing = new Set<Exchange>();
  readonly #waiting = new Map<Exchange, () => void>();
  readonly #parts = new SharedParts();
  #timer: NodeJS.Timeout | undefined;
  #lookedMs = 0;

  constructor(limits: Pick<ServerLimits, 'requests' | 'pendingBytes'>, refusals: ServerRefusals) {
    this.#limits = limits;
    this.#refusals = refusals;
  }

  /** The bytes that wait for clients, without those that are being closed. */
  get pendingBytes(): number {
    let bytes = this.#parts.bytes;
    for (const exchange of this.#underWay) if (!this.#closing.has(exchange)) bytes += exchange.pendingBytes;
    return bytes;
  }

  /** Begins the work for a request as soon as there is room for it, unless it has its answer by then. */
  enter(request: RoomRequest, response: RoomResponse, begin: () => void): void {
    const exchange = new Exchange(request, response);
    for (const message of [request, response]) exchanges.set(message, { exchange, room: this });
    response.once('close', () => {
      this.#leave(exchange);
      this.#admit();
    });
    this.#waiting.set(exchange, begin);
    this.#admit();
    this.#watch();
  }

  /** Whether a request waits until there is room for it. */
  isWaiting(response: RoomResponse): boolean {
    const known = exchanges.get(response);
    return known !== undefined && this.#waiting.has(known.exchange);
  }

  /** The connection of the slowest client; `undefined` when none is slow. */
  findSlowest(isMeant: (socket: Socket) => boolean): Socket | undefined {
    return this.#slowerThan(SHORT_PATIENCE_MS).find(({ request }) => isMeant(request.socket))?.request.socket;
  }

  /** Notes the parts of the body of an answer. */
  hold(exchange: Exchange, parts: readonly Uint8Array[]): void {
    if (!this.#underWay.has(exchange) || this.#closing.has(exchange)) return;
    this.#parts.add(parts);
    this.#parts.remove(exchange.parts);
    exchange.parts = parts;
  }

  /** Whether the server holds as many bytes as it may. */
  get isFull(): boolean {
    return this.pendingBytes >= this.#limits.pendingBytes;
  }

  get #hasRoom(): boolean {
    // Their bytes are counted no longer, and are there until they are closed.
    if (this.#closing.size > 0) return false;
    let beginning = 0;
    for (const { isBeginning } of this.#underWay) if (isBeginning) beginning++;
    return beginning < this.#limits.requests && !this.isFull;
  }

  #admit(): void {
    for (const [exchange, begin] of this.#waiting) {
      if (!this.#hasRoom) return;
      this.#waiting.delete(exchange);
      // The time for its answer was over, and it is being refused.
      if (exchange.response.headersSent) continue;
      this.#underWay.add(exchange);
      begin();
    }
  }

  #leave(exchange: Exchange): void {
    this.#waiting.delete(exchange);
    this.#closing.delete(exchange);
    if (this.#underWay.delete(exchange)) this.#release(exchange);
  }

  #release(exchange: Exchange): void {
    this.#parts.remove(exchange.parts);
    exchange.parts = [];
  }

  /** Returns how many bytes this frees: parts that others hold too stay. */
  #close(exchange: Exchange): number {
    const before = this.#parts.bytes;
    const { pendingBytes } = exchange;
    this.#closing.add(exchange);
    this.#release(exchange);
    exchange.request.socket.destroy();
    return before - this.#parts.bytes + pendingBytes;
  }

  /** The exchanges that are behind, the slowest first. */
  #slowerThan(patienceMs: number): Exchange[] {
    const isSlow = (one: Exchange): boolean => one.behindMs >= patienceMs && !this.#closing.has(one);
    return [...this.#underWay].filter(isSlow).sort((a, b) => b.behindMs - a.behindMs);
  }

  #watch(): void {
    if (this.#timer !== undefined) return;
    this.#lookedMs = performance.now();
    this.#timer = setInterval(() => this.#look(), LOOK_MS).unref();
  }

  #look(): void {
    if (this.#underWay.size === 0 && this.#waiting.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    const nowMs = performance.now();
    // While the event loop stood still, no client could send or take anything.
    const elapsedMs = Math.min(nowMs - this.#lookedMs, 2 * LOOK_MS);
    this.#lookedMs = nowMs;
    for (const exchange of this.#underWay) exchange.look(elapsedMs);
    this.#makeRoom();
    this.#admit();
  }

  #makeRoom(): void {
    let overBytes = this.pendingBytes - this.#limits.pendingBytes;
    const isFull = overBytes >= 0;
    // One that waits takes the place of one that is closed, and begins when it is. A single answer may be larger than the limit.
    let needed = this.#hasRoom ? 0 : this.#waiting.size;
    const isWaitedFor = needed > 0;
    if (!isWaitedFor && isFull && this.#underWay.size > 1) needed = 1;
    const slow = this.#slowerThan(Math.max(SHORT_PATIENCE_MS, PATIENCE_MS / needed));
    // Whoever is much less behind than the slowest one may not be slow at all.
    const leastMs = (slow[0]?.behindMs ?? 0) / 2;
    for (const exchange of slow) {
      // The bytes that many slow clients share are free when the last of them is closed.
      const isEnough = needed <= 0 && !(isWaitedFor && overBytes >= 0);
      if (isEnough || exchange.behindMs < leastMs) return;
      if (!isFull && !exchange.isBeginning) continue;
      needed--;
      this.#refusals.timeout++;
      overBytes -= this.#close(exchange);
    }
  }
}

/** The bytes of arrays that several answers may share: each one counts once. */
class SharedParts {
  bytes = 0;
  readonly #uses = new Map<Uint8Array, number>();

  add(parts: readonly Uint8Array[]): void {
    for (const part of parts) {
      const uses = this.#uses.get(part) ?? 0;
      if (uses === 0) this.bytes += part.length;
      this.#uses.set(part, uses + 1);
    }
  }

  remove(parts: readonly Uint8Array[]): void {
    for (const part of parts) {
      const uses = this.#uses.get(part)! - 1;
      if (uses > 0) this.#uses.set(part, uses);
      else if (this.#uses.delete(part)) this.bytes -= part.length;
    }
  }
}

/**
 * Counts the body of an answer among the bytes that a guarded server holds, until the answer ends. Parts that several answers share
 * count once. Has no effect on responses of other servers.
 *
 * @param parts In place of those before.
 */
export function holdParts(response: object, parts: readonly Uint8Array[]): void {
  const known = exchanges.get(response);
  known?.room.hold(known.exchange, parts);
}

/**
 * Counts bytes that a handler holds for a request among those of a guarded server, such as the part of its body that has come. Has no
 * effect on requests of other servers.
 *
 * @param bytes From 0, in place of those before.
 */
export function holdBytes(request: object, bytes: number): void {
  const known = exchanges.get(request);
  if (known !== undefined) known.exchange.heldBytes = bytes;
}

/** Whether a guarded server holds fewer bytes than it may, so that a handler may make more; `true` for responses of other servers. */
export function hasRoom(response: object): boolean {
  return exchanges.get(response)?.room.isFull !== true;
}
