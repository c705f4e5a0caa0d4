import { HdrscopeError } from '@hdrscope/core';
import { assertOptions, milliseconds, type OptionsOwner } from '@hdrscope/core/internal';
import type { Patience } from '../slices.ts';
import { backoffMs, type DeliveryHints } from './backoff.ts';

/** How often work is done, and how long the loop may wait. */
export interface DeliveryPace {
  /** The time between two starts of the work, in milliseconds. */
  readonly intervalMs: number;
  /** The longest time that the receiver may ask to wait. */
  readonly mostWaitMs: number;
  /** Whether the loop lets the process end. */
  readonly unref: boolean;
}

// Work that is to be done each ten seconds may take five of them.
const PATIENT_SHARE = 0.5;
const MOST_PATIENT_MS = 5000;

/** Loops that share this take turns. */
export interface DeliveryTurns {
  /** The work of all, one after the other. */
  work: Promise<unknown>;
}

/**
 * Does work at intervals until it is stopped, one at a time, and waits longer after failures. The work rejects when it was not
 * done, with a `HdrscopeError` whose `details` are `DeliveryHints`, or with any other error.
 */
export class DeliveryLoop {
  readonly #pace: DeliveryPace;
  readonly #deliver: (isAtOnce: boolean, patience: Patience) => Promise<void>;
  readonly #turns: DeliveryTurns;
  readonly #end = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #failures = 0;
  #stopping: Promise<void> | undefined;
  readonly #patience: Patience = { untilMs: 0 };

  /** @param deliver The work. `isAtOnce` says that somebody waits for it. It may rest as `patience` allows. */
  constructor(
    pace: DeliveryPace,
    deliver: (isAtOnce: boolean, patience: Patience) => Promise<void>,
    turns: DeliveryTurns = { work: Promise.resolve() },
  ) {
    this.#pace = pace;
    this.#deliver = deliver;
    this.#turns = turns;
    this.#wait(pace.intervalMs);
  }

  /** Is aborted when the loop has no more time. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  /** The receiver has taken something: the next wait is the shortest again. */
  noteProgress(): void {
    this.#failures = 0;
  }

  /** Does the work now. Rejects when it fails. */
  async flush(): Promise<void> {
    // The work under way is waited for, too.
    this.#patience.untilMs = 0;
    await this.#inTurn(() => this.#work(true));
  }

  /** Does the work once more, and ends. A second call returns the same promise. */
  stop(options: { readonly timeoutMs?: number } = {}): Promise<void> {
    try {
      assertOptions(options, CLOSE);
    } catch (error) {
      return Promise.reject(error);
    }
    this.#stopping ??= this.#stop(options.timeoutMs);
    return this.#stopping;
  }

  async #stop(timeoutMs: number | undefined): Promise<void> {
    clearTimeout(this.#timer);
    const cut = timeoutMs === undefined ? undefined : setTimeout(() => this.#end.abort(), timeoutMs);
    try {
      await this.flush();
    } finally {
      clearTimeout(cut);
    }
  }

  #wait(ms: number): void {
    if (this.#stopping !== undefined) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#tick(), ms);
    if (this.#pace.unref) this.#timer.unref();
  }

  async #tick(): Promise<void> {
    const { intervalMs, mostWaitMs } = this.#pace;
    const startMs = performance.now();
    let waitMs = 0;
    try {
      await this.#inTurn(() => {
        if (this.#stopping !== undefined) return undefined;
        const untilMs = performance.now() + Math.min(PATIENT_SHARE * intervalMs, MOST_PATIENT_MS);
        return this.#work(false, untilMs);
      });
      waitMs = Math.max(0, startMs + intervalMs - performance.now());
    } catch (error) {
      const hints = error instanceof HdrscopeError ? (error.details as unknown as DeliveryHints) : undefined;
      waitMs = backoffMs(this.#failures, intervalMs, hints, mostWaitMs);
    }
    this.#wait(waitMs);
  }

  #inTurn<Result>(work: () => Result): Promise<Awaited<Result>> {
    const turn = this.#turns.work.then(work);
    this.#turns.work = turn.catch(() => {});
    return turn as Promise<Awaited<Result>>;
  }

  async #work(isAtOnce: boolean, patientUntilMs = 0): Promise<void> {
    try {
      this.#patience.untilMs = patientUntilMs;
      await this.#deliver(isAtOnce, this.#patience);
    } catch (error) {
      this.#failures++;
      throw error;
    }
  }
}

const CLOSE: OptionsOwner<{ readonly timeoutMs?: number }> = {
  name: 'close',
  names: { timeoutMs: milliseconds({ from: 0 }) },
};
