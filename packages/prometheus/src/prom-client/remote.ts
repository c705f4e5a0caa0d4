import { type Channel, openChannel, type RemotePort, reasonOf, within } from '@hdrscope/kit';
import { type Answer, questionMessage, readAnswer } from './messages.ts';
import type { PromMetric } from './metrics.ts';

interface Waiting {
  readonly answer: Promise<void>;
  settle(error?: Error): void;
}

/** A process or a thread that serves its metrics. */
export class PromClientRemote {
  readonly name: string;
  readonly #channel: Channel;
  readonly #onEnd: (remote: PromClientRemote) => void;
  #metrics: readonly PromMetric[];
  #lastRequest = 0;
  /** The newest question that was answered. */
  #lastAnswered = 0;
  /** The answer that gathers wait for. */
  #waiting: Waiting | undefined;
  #hasEnded = false;
  #isGone = false;

  /**
   * @param metrics Shown until its first answer.
   * @throws HdrscopeError `ERR_INVALID_OPTION` when nothing can be sent through the port.
   */
  constructor(
    port: RemotePort,
    name: string,
    metrics: readonly PromMetric[],
    onEnd: (remote: PromClientRemote) => void,
  ) {
    this.name = name;
    this.#metrics = metrics;
    this.#onEnd = onEnd;
    this.#channel = openChannel(port, {
      onMessage: (message) => this.#receive(message),
      onEnd: () => this.#leave(),
    });
  }

  /** Whether it has ended by itself: it will never count on. */
  get isGone(): boolean {
    return this.#isGone;
  }

  /** The metrics of its last answer. */
  get metrics(): readonly PromMetric[] {
    return this.#metrics;
  }

  /** Asks for its metrics. Gathers that overlap share an answer. Rejects when no answer comes in time; the last metrics stay then. */
  async update(timeoutMs: number): Promise<void> {
    if (this.#hasEnded) return;
    this.#waiting ??= this.#ask();
    const waiting = this.#waiting;
    try {
      await within(waiting.answer, timeoutMs);
    } finally {
      // The question may be lost, as when the other side did not listen yet.
      if (this.#waiting === waiting) this.#waiting = undefined;
    }
  }

  /** Ends asking and listening. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#channel.close();
    this.#settle();
    this.#onEnd(this);
  }

  #leave(): void {
    this.#isGone = true;
    this.end();
  }

  #ask(): Waiting {
    let settle = (_error?: Error): void => {};
    const answer = new Promise<void>((resolve, reject) => {
      settle = (error) => (error === undefined ? resolve() : reject(error));
    });
    // Whoever waits gets the failure.
    answer.catch(() => {});
    this.#channel.post(questionMessage(++this.#lastRequest)).catch(() => this.#leave());
    return { answer, settle };
  }

  #settle(error?: Error): void {
    this.#waiting?.settle(error);
    this.#waiting = undefined;
  }

  #receive(message: unknown): void {
    let answer: Answer | undefined;
    try {
      answer = readAnswer(message);
    } catch (error) {
      this.#settle(new Error(reasonOf(error)));
      return;
    }
    if (answer === undefined) return;
    // Answers can overtake each other: a worker may collect for several questions at once. Questions from before the worker was
    // added again have numbers of their own.
    const { request } = answer;
    if (!answer.isLast && (request < this.#lastAnswered || request > this.#lastRequest)) return;
    this.#lastAnswered = Math.max(this.#lastAnswered, request);
    if (answer.error === undefined) this.#metrics = answer.metrics;
    this.#settle(answer.error === undefined ? undefined : new Error(answer.error));
    if (answer.isLast) this.#leave();
  }
}
