import { mustBe } from '@hdrscope/core/internal';
import { LONGEST_TIMER_MS, TimeoutError } from '@hdrscope/kit';

/** A source as a registry asks it: for no longer than its time limit, and not again while it is late. */
export class AskedSource {
  readonly name: string;
  readonly #collect: () => void | Promise<void>;
  readonly #timeoutMs: number;
  /** How many calls go on although their time limit is over. */
  #lateCalls = 0;

  /**
   * @param collect Brings the registry up to date.
   * @throws HdrscopeError `ERR_INVALID_OPTION` when `timeoutMs` is not a time limit.
   */
  constructor(
    name: string,
    collect: () => void | Promise<void>,
    timeoutMs: number = Number.POSITIVE_INFINITY,
  ) {
    assertTimeout(timeoutMs);
    this.name = name;
    this.#collect = collect;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Has the source bring the registry up to date.
   *
   * @param atMostMs A further time limit, in milliseconds: the shorter of both holds.
   * @throws The error of the source, or a `TimeoutError` when the time is over.
   */
  async ask(atMostMs: number): Promise<void> {
    const timeoutMs = Math.min(this.#timeoutMs, atMostMs);
    if (timeoutMs === Number.POSITIVE_INFINITY) return this.#collect();
    // Calls that hang must not pile up, and gathers must not wait for them again and again.
    if (this.#lateCalls > 0) throw this.#timeoutError('has not answered an earlier gather yet');
    return this.#askWithin(timeoutMs);
  }

  #askWithin(timeoutMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        this.#lateCalls++;
        reject(this.#timeoutError(`must answer within ${timeoutMs} ms`));
      }, timeoutMs);
      const end = (): void => {
        clearTimeout(timer);
        if (isLate) this.#lateCalls--;
      };
      // In an async function, an error that is thrown at once is a rejection too.
      (async () => this.#collect())().finally(end).then(resolve, reject);
    });
  }

  #timeoutError(problem: string): TimeoutError {
    return new TimeoutError(`the source "${this.name}" ${problem}: its earlier counts are used`);
  }
}

/** @throws HdrscopeError `ERR_INVALID_OPTION` */
export function assertTimeout(timeoutMs: number): void {
  const isTimeout =
    timeoutMs > 0 && (timeoutMs <= LONGEST_TIMER_MS || timeoutMs === Number.POSITIVE_INFINITY);
  if (isTimeout) return;
  const allowed = `above 0 and at most ${LONGEST_TIMER_MS}, or Infinity`;
  throw mustBe('ERR_INVALID_OPTION', 'timeoutMs', allowed, timeoutMs);
}

/** Every runtime has them, but the library of the language does not declare them. */
declare function setTimeout(callback: () => void, delayMs: number): unknown;
declare function clearTimeout(timer: unknown): void;
