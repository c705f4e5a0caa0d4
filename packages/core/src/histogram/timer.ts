// For users who compile without the types of Node.js, which declare `Symbol.dispose`.
/// <reference lib="esnext.disposable" preserve="true" />

import { mustBe } from '../errors.ts';
import { assertOptions, callback, flag, type OptionsOwner, oneOf } from '../options.ts';

/** The unit in which a duration is recorded. */
export type TimeUnit = 'ns' | 'us' | 'ms' | 's';

/** A target for durations: a `Histogram`, a `Recorder`, or any object that records numbers. */
export interface TimerTarget {
  /** Takes a duration, in the unit of the timer. */
  record(value: number): void;
}

/** Options of a timer. */
export interface TimerOptions {
  /** The unit in which durations are recorded. @default 'ns' */
  readonly unit?: TimeUnit;
  /** Whether durations are rounded to whole units. @default true, and false for seconds, which are fractions as a rule */
  readonly rounded?: boolean;
  /** Returns the time in milliseconds from any start. @default performance.now */
  readonly clock?: () => number;
  /**
   * Runs when the target refuses a duration, with the error of the target; its own errors reach the caller. Without it, the
   * target alone notes a refusal, in its `outliers`: a measurement must not break the measured code.
   */
  readonly onRefused?: (error: unknown) => void;
}

/** A duration that is being measured. */
export interface Timer {
  /** Records the time since the start, and returns it in the unit of the timer. Further calls only return the same time. */
  stop(): number;
  /** Ends the timer without a record, unless it has stopped before. */
  cancel(): void;
  /** Stops: `using timer = startTimer(histogram)`. */
  [Symbol.dispose](): void;
}

const UNITS_PER_MS: Readonly<Record<TimeUnit, number>> = { ns: 1e6, us: 1e3, ms: 1, s: 1e-3 };

/**
 * Starts to measure a duration. Stopping the timer records it.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option is outside the range stated on it, or the target records nothing.
 * @example
 * ```ts
 * import { Histogram, startTimer } from '@hdrscope/core';
 *
 * let now = 5; // milliseconds; without this clock, a timer reads performance.now()
 * const latencies = new Histogram({ highestTrackableValue: 3_600_000_000 });
 * const timer = startTimer(latencies, { unit: 'us', clock: () => now });
 * now = 7.25;
 * timer.stop(); //=> 2250
 * latencies.totalCount; //=> 1
 * ```
 */
export function startTimer(target: TimerTarget, options: TimerOptions = {}): Timer {
  return new RunningTimer(target, options);
}

/**
 * Records how long a function takes; when it returns a promise, how long that takes to settle. A call that throws or rejects is
 * recorded too.
 *
 * @returns The result of the function.
 * @throws HdrscopeError `ERR_INVALID_OPTION` as `startTimer` does, or when `action` is not a function; else the error of the function. A
 *   refusal by the target throws nothing, unless `onRefused` does.
 * @example
 * ```ts
 * import { Histogram, time } from '@hdrscope/core';
 *
 * let now = 0;
 * const latencies = new Histogram({ highestTrackableValue: 3_600_000_000 });
 * const work = (): string => {
 *   now += 3;
 *   return 'done';
 * };
 * time(latencies, work, { unit: 'ms', clock: () => now }); //=> 'done'
 * latencies.max; //=> 3
 * ```
 */
export function time<T>(target: TimerTarget, action: () => T, options: TimerOptions = {}): T {
  if (typeof action !== 'function') throw mustBe('ERR_INVALID_OPTION', 'action', 'a function', action);
  const timer = startTimer(target, options);
  let result: T;
  try {
    result = action();
  } catch (error) {
    timer.stop();
    throw error;
  }
  if (isPromise(result)) return settled(result, timer) as T;
  timer.stop();
  return result;
}

const OWNER: OptionsOwner<TimerOptions> = {
  name: 'startTimer',
  names: {
    unit: /* @__PURE__ */ oneOf(['ns', 'us', 'ms', 's']),
    rounded: flag,
    clock: /* @__PURE__ */ callback(),
    onRefused: /* @__PURE__ */ callback(),
  },
  call: "startTimer(histogram, { unit: 'us' })",
};

class RunningTimer implements Timer {
  readonly #target: TimerTarget;
  readonly #clock: () => number;
  readonly #unitsPerMs: number;
  readonly #rounded: boolean;
  readonly #onRefused: ((error: unknown) => void) | undefined;
  readonly #startMs: number;
  /** The duration in the unit; `undefined` while the timer runs. */
  #elapsed: number | undefined = undefined;

  constructor(target: TimerTarget, options: TimerOptions) {
    assertOptions(options, OWNER);
    if (typeof target?.record !== 'function') {
      throw mustBe(
        'ERR_INVALID_OPTION',
        'the target',
        'a histogram, or an object with a method record',
        target,
      );
    }
    const { unit = 'ns', rounded = unit !== 's', clock = now, onRefused } = options;
    this.#target = target;
    this.#clock = clock;
    this.#unitsPerMs = UNITS_PER_MS[unit];
    this.#rounded = rounded;
    this.#onRefused = onRefused;
    this.#startMs = clock();
  }

  stop(): number {
    if (this.#elapsed !== undefined) return this.#elapsed;
    const elapsed = this.#measured();
    try {
      this.#target.record(elapsed);
    } catch (error) {
      this.#onRefused?.(error);
    }
    return elapsed;
  }

  cancel(): void {
    if (this.#elapsed === undefined) this.#measured();
  }

  // In a runtime without `Symbol.dispose` this is a method named 'undefined', which nobody calls.
  [Symbol.dispose](): void {
    this.stop();
  }

  #measured(): number {
    // A clock may be set back.
    const elapsed = Math.max(0, this.#clock() - this.#startMs) * this.#unitsPerMs;
    this.#elapsed = this.#rounded ? Math.round(elapsed) : elapsed;
    return this.#elapsed;
  }
}

function now(): number {
  return performance.now();
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return (
    (typeof value === 'object' || typeof value === 'function') &&
    value !== null &&
    typeof (value as { readonly then?: unknown }).then === 'function'
  );
}

async function settled(promise: PromiseLike<unknown>, timer: Timer): Promise<unknown> {
  try {
    return await promise;
  } finally {
    timer.stop();
  }
}
