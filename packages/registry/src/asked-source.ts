import { custom, type OptionRule } from '@hdrscope/core/internal';
import { LONGEST_TIMER_MS, TimeoutError, within } from '@hdrscope/kit';
import { type Clock, systemClock } from './clock.ts';

/** How long a gather without a limit waits for the call of another one before it has the source called again. */
const LONGEST_JOIN_MS = 1000;

/** The times of a source, in milliseconds. */
interface SourceLimits {
  /** For gathers that state no time. */
  readonly timeoutMs: number;
  /** For all gathers. */
  readonly maxTimeoutMs: number;
}

/** A call of a source. */
interface Call {
  readonly ended: Promise<void>;
  /** When it began, on the clock of the runtime, which timers follow. */
  readonly beganMs: number;
  /** The longest time that a gather has given it in vain. */
  spentMs: number;
}

/**
 * A source as a registry asks it: one call at a time, whose answer serves all who ask meanwhile.
 *
 * A gather gives a call the time that it states, from the moment when the call began. So a longer time helps a call that another
 * gather has waited for in vain, and a call that hangs makes no gather late that gives it no more than it has had.
 */
export class AskedSource {
  readonly name: string;
  readonly #collect: (timeoutMs: number) => void | Promise<void>;
  readonly #limits: SourceLimits;
  readonly #clock: Clock;
  /** The call that goes on. */
  #call: Call | undefined;
  /** When the last successful call began, on the monotonic clock. */
  #answeredMs = Number.NEGATIVE_INFINITY;

  /**
   * @param collect Brings the registry up to date, within the time that the gather waits.
   */
  constructor(
    name: string,
    collect: (timeoutMs: number) => void | Promise<void>,
    clock: Clock,
    limits: SourceLimits,
  ) {
    this.name = name;
    this.#collect = collect;
    this.#clock = clock;
    this.#limits = limits;
  }

  /**
   * Has the source bring the registry up to date, unless it has done so within the last `maxAgeMs`.
   *
   * @param statedMs The time that the gather states, in milliseconds; `undefined` for the source's own.
   * @throws The error of the source, or a `TimeoutError` when the time is over.
   */
  async ask(statedMs: number | undefined, maxAgeMs: number): Promise<void> {
    if (maxAgeMs > 0 && this.#clock.monotonicMs() - this.#answeredMs <= maxAgeMs) return;
    const { timeoutMs: ownMs, maxTimeoutMs } = this.#limits;
    const timeoutMs = Math.min(statedMs ?? ownMs, maxTimeoutMs);
    const running = this.#call;
    const call = running ?? this.#begin(timeoutMs);
    if (timeoutMs < Number.POSITIVE_INFINITY) return this.#waitFor(call, timeoutMs);
    return running === undefined ? call.ended : this.#join(running);
  }

  /** Waits for a call that another gather began. One that hangs must not stop all gathers for ever: then it is called again. */
  async #join(running: Call): Promise<void> {
    try {
      await within(running.ended, LONGEST_JOIN_MS);
    } catch (error) {
      if (!(error instanceof TimeoutError)) throw error;
      if (this.#call === running) this.#begin(Number.POSITIVE_INFINITY);
      await this.#call?.ended;
    }
  }

  #begin(timeoutMs: number): Call {
    const ended = this.#collected(timeoutMs).finally(() => {
      if (this.#call === call) this.#call = undefined;
    });
    const call: Call = { ended, beganMs: systemClock.monotonicMs(), spentMs: 0 };
    this.#call = call;
    return call;
  }

  /** In an async function, an error that is thrown at once is a rejection too. */
  async #collected(timeoutMs: number): Promise<void> {
    const beganMs = this.#clock.monotonicMs();
    await this.#collect(timeoutMs);
    this.#answeredMs = beganMs;
  }

  async #waitFor(call: Call, timeoutMs: number): Promise<void> {
    const spentMs = Math.max(systemClock.monotonicMs() - call.beganMs, call.spentMs);
    if (spentMs >= timeoutMs) throw this.#timeoutError('has not answered an earlier gather yet');
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        // Timers may fire a little early.
        call.spentMs = Math.max(call.spentMs, timeoutMs);
        reject(this.#timeoutError(`must answer within ${timeoutMs} ms`));
      }, timeoutMs - spentMs);
      call.ended.finally(() => clearTimeout(timer)).then(resolve, reject);
    });
  }

  #timeoutError(problem: string): TimeoutError {
    const isKnown = this.#answeredMs > Number.NEGATIVE_INFINITY;
    const used = isKnown
      ? 'its earlier counts are used'
      : 'it has not answered before, so its counts are missing';
    return new TimeoutError(`the source "${this.name}" ${problem}: ${used}`);
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
