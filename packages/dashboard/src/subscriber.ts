import type { ServerResponse } from 'node:http';
import { hasRoom } from '@hdrscope/kit/server';
import type { Answer } from './answer/answers.ts';
import type { AnswerTexts } from './answer/running-answers.ts';
import { changesQuestion, keyOfQuestion, type Question } from './question.ts';

/** A server-sent event. */
export interface Message {
  readonly event: 'table' | keyof Answer;
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
  /** What it wants to see besides the table. */
  readonly question: Question;
  /** The key of the question. */
  readonly key: string;
  /** The key of the question which rows have changed. */
  readonly changesKey: string;
  /** The number of the last update that it was sent; 0 before the first one. */
  seen: number;
  readonly #response: ServerResponse;
  /** The last parts of an answer that it was sent, by their event, as JSON. */
  readonly #seenParts = new Map<Message['event'], string>();
  /** An answer that waits until the client has read what it was sent. */
  #waiting: AnswerTexts | undefined;
  #stalledSinceMs: number | undefined;

  constructor(response: ServerResponse, seen: number, question: Question) {
    this.#response = response;
    this.seen = seen;
    this.question = question;
    this.key = keyOfQuestion(question);
    this.changesKey = keyOfQuestion(changesQuestion(question));
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      // Keeps proxies from collecting events before they pass them on.
      'x-accel-buffering': 'no',
    });
    response.write(`retry: ${RETRY_MS}\n\n`);
    response.on('drain', () => {
      const texts = this.#waiting;
      this.#waiting = undefined;
      if (texts !== undefined) this.answer(texts);
    });
  }

  /** Whether the client keeps up, and the server may hold more bytes, so that it may be sent more. */
  get isReady(): boolean {
    return !this.isBehind && hasRoom(this.#response);
  }

  /** Whether the client has not read what it was sent, or has gone. */
  get isBehind(): boolean {
    return this.#response.destroyed || this.#response.writableNeedDrain;
  }

  /** @param messages Their bytes: see `encodeMessages`. */
  send(messages: Buffer): void {
    this.#response.write(messages);
  }

  /** Sends the parts of an answer that the client does not have: now, or when it has read what it was sent. */
  answer(texts: AnswerTexts): void {
    if (this.isBehind) {
      // Those of the answer and those of the explanation come apart.
      this.#waiting = new Map([...(this.#waiting ?? []), ...texts]);
      return;
    }
    const parts: Message[] = [];
    for (const [event, data] of texts) {
      if (this.#seenParts.get(event) === data) continue;
      this.#seenParts.set(event, data);
      parts.push({ event, data });
    }
    if (parts.length > 0) this.send(encodeMessages(parts));
  }

  /** Keeps the connection alive, and ends a client that has stopped reading. */
  beat(): void {
    if (!this.isBehind) {
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
    if (this.isBehind) this.#response.destroy();
  }
}

/** Messages as the stream has them. Several clients may get the same bytes. */
export function encodeMessages(messages: readonly Message[]): Buffer {
  const texts = messages.map(
    ({ event, data, id }) => `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${data}\n\n`,
  );
  return Buffer.from(texts.join(''));
}
