import type { Socket } from 'node:net';

/** The least that a client may send or take while others wait: 16 KiB in a second, in bytes per millisecond. */
const LEAST_PACE = 16.384;

/** A request of HTTP/1, or a stream of HTTP/2, as far as the room depends on it. */
export interface RoomRequest {
  readonly socket: Socket;
  /** Whether all of it has come. */
  readonly complete: boolean;
}

/** The answer to it. */
export interface RoomResponse {
  readonly headersSent: boolean;
  readonly writableLength: number;
  once(event: 'close', listener: () => void): unknown;
}

/** A request under way and its answer. */
export class Exchange {
  readonly request: RoomRequest;
  readonly response: RoomResponse;
  /** Parts of the body of the answer that the handler holds. Answers may share them. */
  parts: readonly Uint8Array[] = [];
  /** The bytes that the handler holds for this request alone, such as the part of its body that has come. */
  heldBytes = 0;
  /** How far the client is behind the least pace, in milliseconds; 0 while it is the turn of the server. */
  #behindMs = 0;
  #movedBytes: number;

  constructor(request: RoomRequest, response: RoomResponse) {
    this.request = request;
    this.response = response;
    this.#movedBytes = this.#countMoved();
  }

  get behindMs(): number {
    return this.#behindMs;
  }

  /** Whether the client waits for the beginning of its answer, or still sends its request. */
  get isBeginning(): boolean {
    return !this.response.headersSent;
  }

  /** The bytes that wait for this client, besides `parts`. */
  get pendingBytes(): number {
    return this.heldBytes + this.response.writableLength;
  }

  /** @param elapsedMs The time since the last look. */
  look(elapsedMs: number): void {
    const moved = this.#countMoved();
    const aheadMs = (moved - this.#movedBytes) / LEAST_PACE;
    this.#movedBytes = moved;
    const isClientsTurn = !this.request.complete || this.response.writableLength > 0;
    this.#behindMs = isClientsTurn ? Math.max(0, this.#behindMs + elapsedMs - aheadMs) : 0;
  }

  /** How many bytes the client has sent and taken on its connection. */
  #countMoved(): number {
    const { bytesRead, bytesWritten, writableLength } = this.request.socket;
    return bytesRead + bytesWritten - writableLength;
  }
}
