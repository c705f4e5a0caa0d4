import type { ServerResponse } from 'node:http';

/** What a client watches besides the table. */
export interface Watched {
  /** A series, by its id. */
  readonly series: number | undefined;
  /** A view, by its name. */
  readonly view: string | undefined;
}

/** One message: the kind of an event, its JSON in one line, and the id that a client gives when it comes back. */
export interface Message {
  readonly event: 'table' | 'detail' | 'view';
  readonly data: string;
  readonly id?: string;
}

// A client that has not taken a message for so long is gone, whatever its connection says.
const MOST_STALLED_MS = 60_000;

// How long a browser waits before it comes back.
const RETRY_MS = 1000;

/**
 * A client that watches, by server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html. One that
 * reads slowly is left out of updates until it has read what it was sent, so that for each there is one update in memory at
 * most; the next one tells it all that has changed in between.
 */
export class Subscriber {
  readonly watched: Watched;
  /** The update that it was told last; 0 for none. */
  seen: number;
  /** The view that it was told last, as JSON. */
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
      // Some proxies would keep events until there are many.
      'x-accel-buffering': 'no',
    });
    response.write(`retry: ${RETRY_MS}\n\n`);
  }

  /** Whether it may be sent something. */
  get isReady(): boolean {
    return !this.#response.destroyed && !this.#response.writableNeedDrain;
  }

  send(messages: readonly Message[]): void {
    const texts = messages.map(
      ({ event, data, id }) => `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${data}\n\n`,
    );
    this.#response.write(texts.join(''));
  }

  /** Shows that the server is there, and ends clients that are not. */
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
    // Whoever does not read would keep the connection.
    if (!this.isReady) this.#response.destroy();
  }
}
