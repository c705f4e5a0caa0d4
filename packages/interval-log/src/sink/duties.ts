import type { HdrscopeError } from '@hdrscope/core';
import { notify } from '@hdrscope/kit';

/** The duties of a sink. Each fails and recovers on its own. */
export type Duty = 'write' | 'rotate' | 'archive';

/** Callbacks for the first failure of a duty, and for the moment when every duty works again. */
export interface DutyListeners {
  readonly onError: (error: HdrscopeError) => void;
  readonly onRecovery: () => void;
}

/** Tracks which duties fail. It calls `onError` for the first failure in a row, not for each one. */
export class Duties {
  readonly #listeners: DutyListeners;
  readonly #failing = new Map<Duty, HdrscopeError>();
  #failureCount = 0;
  #lastError: HdrscopeError | undefined;

  constructor(listeners: DutyListeners) {
    this.#listeners = listeners;
  }

  get isFailing(): boolean {
    return this.#failing.size > 0;
  }

  isFailingAt(duty: Duty): boolean {
    return this.#failing.has(duty);
  }

  get failureCount(): number {
    return this.#failureCount;
  }

  get lastError(): HdrscopeError | undefined {
    return this.#lastError;
  }

  failed(duty: Duty, error: HdrscopeError): void {
    const isNew = !this.#failing.has(duty);
    this.#failing.set(duty, error);
    this.#failureCount++;
    this.#lastError = error;
    if (isNew) notify(() => this.#listeners.onError(error));
  }

  succeeded(duty: Duty): void {
    if (this.#failing.delete(duty) && !this.isFailing) notify(() => this.#listeners.onRecovery());
  }
}
