import { notify } from './notify.ts';

// What every sink needs that writes at intervals: rounds of work, and who hears of their failures.

/**
 * Runs rounds of work one at a time. One further round may wait for the running one. Work must not reject.
 *
 * @example
 * ```ts
 * import { Rounds } from '@hdrscope/kit';
 *
 * const rounds = new Rounds<string>();
 * rounds.tick(async () => 'at an interval');
 * rounds.tick(async () => 'left out, because the round before still runs');
 * await rounds.next(async () => 'afterwards'); //=> 'afterwards'
 * rounds.skippedTicks; //=> 1
 * ```
 */
export class Rounds<T> {
  #running: Promise<unknown> | undefined;
  #waiting: Promise<T> | undefined;
  #skippedTicks = 0;

  /** How many ticks were left out, because a round took too long. */
  get skippedTicks(): number {
    return this.#skippedTicks;
  }

  /** Starts a round now, unless one runs or waits. */
  tick(work: () => Promise<unknown>): void {
    if (this.#running !== undefined || this.#waiting !== undefined) this.#skippedTicks++;
    else void this.#run(work);
  }

  /** Starts a round after the running one, because that one may have gathered already. Callers meanwhile share it. */
  next(work: () => Promise<T>): Promise<T> {
    this.#waiting ??= (async () => {
      await this.#running;
      this.#waiting = undefined;
      return this.#run(work);
    })();
    return this.#waiting;
  }

  /** Resolves when no round runs or waits. */
  async idle(): Promise<void> {
    await (this.#waiting ?? this.#running);
  }

  #run<Result>(work: () => Promise<Result>): Promise<Result> {
    const round = work().finally(() => {
      this.#running = undefined;
    });
    this.#running = round;
    return round;
  }
}

/** Callbacks for the first failure of a duty, and for the moment when every duty works again. */
interface DutyListeners<Failure> {
  readonly onError: (error: Failure) => void;
  readonly onRecovery: () => void;
}

/** Tracks which duties fail. Each fails and recovers on its own. `onError` hears of the first failure in a row, not of each one. */
export class Duties<Duty, Failure> {
  readonly #listeners: DutyListeners<Failure>;
  readonly #failing = new Set<Duty>();
  #failureCount = 0;
  #lastError: Failure | undefined;

  constructor(listeners: DutyListeners<Failure>) {
    this.#listeners = listeners;
  }

  /** Whether the latest attempt of some duty failed. */
  get isFailing(): boolean {
    return this.#failing.size > 0;
  }

  /** Whether the latest attempt of a duty failed. */
  isFailingAt(duty: Duty): boolean {
    return this.#failing.has(duty);
  }

  /** How many attempts failed. */
  get failureCount(): number {
    return this.#failureCount;
  }

  /** The latest failure, kept after a recovery. */
  get lastError(): Failure | undefined {
    return this.#lastError;
  }

  /** An attempt failed. */
  failed(duty: Duty, error: Failure): void {
    const isNew = !this.#failing.has(duty);
    this.#failing.add(duty);
    this.#failureCount++;
    this.#lastError = error;
    if (isNew) notify(() => this.#listeners.onError(error));
  }

  /** An attempt succeeded. */
  succeeded(duty: Duty): void {
    if (this.#failing.delete(duty) && !this.isFailing) notify(() => this.#listeners.onRecovery());
  }
}
