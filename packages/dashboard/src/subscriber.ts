import type { ServerResponse } from 'node:http';

/** The series or the view that a client watches besides the table. */
export interface Watched {
  /** The id of a series. */
  readonly series: number | undefined;
  /** The name of a view. */
  readonly view: string | undefined;
}

/** A server-sent event. */
export interface Message {
  readonly event: 'table' | 'detail' | 'view';
  /** JSON in one line. */
  readonly data: string;
  /** The id that a client sends when it connects again. */
  readonly id?: string;
}

// A client that has read nothing for so long is gone, even if its connection is open.
const MOST_STALLED_MS = 60_000;

// The time that a browser waits before it connects again.
const RETRY_MS = 1000;

/**
 * A client, connected by server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html. A client that
 * reads slowly gets no updates until it has read the last one, so memory holds at most one update for each client. Its next
 * update has all changes since.
 */
export class Subscriber {
  readonly watched: Watched;
  /** The number of the last update that it was sent; 0 before the first one. */
  seen: number;
  /** The last view that it was sent, as JSON. */
  seenView: string | undefined;
  readonly #response: ServerResponse;
  #stalledSinceMs: number | undefined;

  constructor(response: ServerResponse, seen: number, watched: Watched) {
    this.#response = response;
    this.seen = seen;
    this.watched = watched;
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      // Keeps proxies from collecting events before they pass them on.
      'x-accel-buffering': 'no',
    });
    response.write(`retry: ${RETRY_MS}\n\n`);
  }

  /** Whether the client keeps up, so that it may be sent more. */
  get isReady(): boolean {
    return !this.#response.destroyed && !this.#response.writableNeedDrain;
  }

  send(messages: readonly Message[]): void {
    const texts = messages.map(
      ({ event, data, id }) => `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${data}\n\n`,
    );
    this.#response.write(texts.join(''));
  }

  /** Keeps the connection alive, and ends a client that has stopped reading. */
  beat(): void {
    if (this.isReady) {
      this.#stalledSinceMs = undefined;
      this.#response.write(':\n\n');
      return;
    }
    this.#stalledSinceMs ??= performance.now();
    if (performance.now() - this.#stalledSinceMs > MOST_STALLED_MS) this.#response.destroy();
  }

  end(): void {
    this.#response.end();
    // A client that does not read would keep the connection.
    if (!this.isReady) this.#response.destroy();
  }
}
