import type { ServerResponse } from 'node:http';
import { hasRoom } from '@hdrscope/kit/server';
import type { AnswerEvents } from './answer/running-answers.ts';
import { changesQuestion, keyOfQuestion, type Question } from './question.ts';
import { GZIP_HEADER, GzipEnd, type StreamEvent, storeBlock } from './stream-event.ts';

// A client that has read nothing for so long is gone, even if its connection is open.
const MOST_STALLED_MS = 60_000;

// The time that a browser waits before it connects again.
const RETRY_MS = 1000;

/**
 * A client, connected by server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html. A client that
 * reads slowly gets no updates until it has read the last one, so memory holds at most one update for each client. Its next
 * update has all changes since. Compressed streams take no more memory: see `StreamEvent`.
 */
export class Subscriber {
  /** What it wants to see besides the table. */
  readonly question: Question;
  /** The key of the question. */
  readonly key: string;
  /** The key of the question which rows have changed. */
  readonly changesKey: string;
  /** The number of the last update that it was sent; 0 before the first one. */
  seen: number;
  readonly #response: ServerResponse;
  readonly #onRead: () => void;
  /** The last parts of an answer that it was sent, by their event, as JSON. */
  readonly #seenParts = new Map<StreamEvent['name'], string>();
  /** An answer that waits until the client has read what it was sent. */
  #waiting: AnswerEvents | undefined;
  /** The end of a stream of gzip; `undefined` for a stream of text. */
  readonly #gzip: GzipEnd | undefined;
  /** Whether events are being compressed. */
  #isZipping = false;
  #stalledSinceMs: number | undefined;

  /**
   * @param isZipped Whether the client takes gzip.
   * @param onRead Called when the client has read what it was sent.
   */
  constructor(
    response: ServerResponse,
    seen: number,
    question: Question,
    isZipped: boolean,
    onRead: () => void,
  ) {
    this.#response = response;
    this.#onRead = onRead;
    this.#gzip = isZipped ? new GzipEnd() : undefined;
    this.seen = seen;
    this.question = question;
    this.key = keyOfQuestion(question);
    this.changesKey = keyOfQuestion(changesQuestion(question));
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      vary: 'accept-encoding',
      ...(isZipped && { 'content-encoding': 'gzip' }),
      // Keeps proxies from collecting events before they pass them on.
      'x-accel-buffering': 'no',
    });
    if (isZipped) response.write(GZIP_HEADER);
    this.#writeText(`retry: ${RETRY_MS}\n\n`);
    response.on('drain', () => this.#goOn());
  }

  /** Whether the client keeps up, and the server may hold more bytes, so that it may be sent more. */
  get isReady(): boolean {
    return !this.isBehind && hasRoom(this.#response);
  }

  /** Whether the client has not read what it was sent, or has gone. */
  get isBehind(): boolean {
    return this.#isZipping || this.#response.destroyed || this.#response.writableNeedDrain;
  }

  /** Sends events to a client that keeps up. */
  send(events: readonly StreamEvent[]): void {
    if (this.#gzip === undefined) {
      for (const { bytes } of events) this.#response.write(bytes);
    } else void this.#sendZipped(events, this.#gzip);
  }

  /** Sends the parts of an answer that the client does not have: now, or when it has read what it was sent. */
  answer(events: AnswerEvents): void {
    if (this.isBehind) {
      // Those of the answer and those of the explanation come apart.
      this.#waiting = new Map([...(this.#waiting ?? []), ...events]);
      return;
    }
    const parts: StreamEvent[] = [];
    for (const [name, event] of events) {
      if (this.#seenParts.get(name) === event.data) continue;
      this.#seenParts.set(name, event.data);
      parts.push(event);
    }
    if (parts.length > 0) this.send(parts);
  }

  /** Sends what has waited, when the client has read what it was sent. */
  #goOn(): void {
    if (this.isBehind) return;
    const events = this.#waiting;
    this.#waiting = undefined;
    if (events !== undefined) this.answer(events);
    this.#onRead();
  }

  async #sendZipped(events: readonly StreamEvent[], end: GzipEnd): Promise<void> {
    this.#isZipping = true;
    try {
      for (const event of events) {
        const blocks = await event.zip();
        if (this.#response.destroyed || this.#response.writableEnded) return;
        end.note(event.bytes);
        this.#response.write(blocks);
      }
    } catch {
      // The stream lacks an event. A browser connects again, and gets everything.
      this.#response.destroy();
    } finally {
      this.#isZipping = false;
    }
    this.#goOn();
  }

  #writeText(text: string): void {
    const bytes = Buffer.from(text);
    this.#gzip?.note(bytes);
    this.#response.write(this.#gzip === undefined ? bytes : storeBlock(bytes));
  }

  /** Keeps the connection alive, and ends a client that has stopped reading. */
  beat(): void {
    if (!this.isBehind) {
      this.#stalledSinceMs = undefined;
      this.#writeText(':\n\n');
      return;
    }
    this.#stalledSinceMs ??= performance.now();
    if (performance.now() - this.#stalledSinceMs > MOST_STALLED_MS) this.#response.destroy();
  }

  end(): void {
    // A client that does not read would keep the connection.
    const { isBehind } = this;
    this.#response.end(isBehind ? undefined : this.#gzip?.write());
    if (isBehind) this.#response.destroy();
  }
}
