import { custom, type OptionRule } from '@hdrscope/core/internal';
import { LONGEST_TIMER_MS, TimeoutError, within } from '@hdrscope/kit';
import type { Clock } from './clock.ts';

/** How long a gather without a limit waits for the call of another one before it has the source called again. */
const LONGEST_JOIN_MS = 1000;

/** A source as a registry asks it: one call at a time, whose answer serves all who ask meanwhile. */
export class AskedSource {
  readonly name: string;
  readonly #collect: () => void | Promise<void>;
  readonly #timeoutMs: number;
  readonly #clock: Clock;
  /** The call that goes on. */
  #call: Promise<void> | undefined;
  /** Whether a gather has waited for that call in vain. */
  #isLate = false;
  /** When the last successful call began, on the monotonic clock. */
  #answeredMs = Number.NEGATIVE_INFINITY;

  /**
   * @param collect Brings the registry up to date.
   */
  constructor(name: string, collect: () => void | Promise<void>, clock: Clock, timeoutMs: number) {
    this.name = name;
    this.#collect = collect;
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Has the source bring the registry up to date, unless it has done so within the last `maxAgeMs`.
   *
   * @param atMostMs A further time limit, in milliseconds: the shorter of both holds.
   * @throws The error of the source, or a `TimeoutError` when the time is over.
   */
  async ask(atMostMs: number, maxAgeMs: number): Promise<void> {
    if (maxAgeMs > 0 && this.#clock.monotonicMs() - this.#answeredMs <= maxAgeMs) return;
    const timeoutMs = Math.min(this.#timeoutMs, atMostMs);
    // Gathers must not wait again and again for a call that hangs.
    if (this.#isLate && timeoutMs < Number.POSITIVE_INFINITY) {
      throw this.#timeoutError('has not answered an earlier gather yet');
    }
    const running = this.#call;
    const call = running ?? this.#begin();
    if (timeoutMs < Number.POSITIVE_INFINITY) return this.#waitFor(call, timeoutMs);
    return running === undefined ? call : this.#join(running);
  }

  /** Waits for a call that another gather began. One that hangs must not stop all gathers for ever: then it is called again. */
  async #join(running: Promise<void>): Promise<void> {
    try {
      await within(running, LONGEST_JOIN_MS);
    } catch (error) {
      if (!(error instanceof TimeoutError)) throw error;
      if (this.#call === running) this.#begin();
      await this.#call;
    }
  }

  #begin(): Promise<void> {
    const call = this.#collected().finally(() => {
      if (this.#call !== call) return;
      this.#call = undefined;
      this.#isLate = false;
    });
    this.#call = call;
    return call;
  }

  /** In an async function, an error that is thrown at once is a rejection too. */
  async #collected(): Promise<void> {
    const beganMs = this.#clock.monotonicMs();
    await this.#collect();
    this.#answeredMs = beganMs;
  }

  #waitFor(call: Promise<void>, timeoutMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#isLate = this.#call === call;
        reject(this.#timeoutError(`must answer within ${timeoutMs} ms`));
      }, timeoutMs);
      call.finally(() => clearTimeout(timer)).then(resolve, reject);
    });
  }

  #timeoutError(problem: string): TimeoutError {
    return new TimeoutError(`the source "${this.name}" ${problem}: its earlier counts are used`);
  }
}

/** How long to wait, in milliseconds. */
export const timeout: OptionRule<number> = /* @__PURE__ */ custom(
  `above 0 and at most ${LONGEST_TIMER_MS}, or Infinity`,
  (value) =>
    typeof value === 'number' &&
    value > 0 &&
    (value <= LONGEST_TIMER_MS || value === Number.POSITIVE_INFINITY),
);

/** Every runtime has them, but the library of the language does not declare them. */
declare function setTimeout(callback: () => void, delayMs: number): unknown;
declare function clearTimeout(timer: unknown): void;
