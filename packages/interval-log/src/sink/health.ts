import type { HdrscopeError } from '@hdrscope/core';

/** What a sink does that may fail, each for itself. */
export type Duty = 'write' | 'rotate' | 'archive';

/** Who is told when a sink begins to fail, and when it works again. */
export interface HealthListeners {
  readonly onError: (error: HdrscopeError) => void;
  readonly onRecovery: () => void;
}

/** Knows what fails, and tells it once: not once a second for hours. */
export class Health {
  readonly #listeners: HealthListeners;
  readonly #failing = new Map<Duty, HdrscopeError>();
  #failureCount = 0;
  #lastError: HdrscopeError | undefined;

  constructor(listeners: HealthListeners) {
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
    if (isNew) told(() => this.#listeners.onError(error));
  }

  worked(duty: Duty): void {
    if (this.#failing.delete(duty) && !this.isFailing) told(() => this.#listeners.onRecovery());
  }
}

/** A listener that throws must not stop what it listens to; nor may it go unseen. */
function told(tell: () => void): void {
  try {
    tell();
  } catch (error) {
    warn(error);
  }
}

/** Tells the process what nobody else is told. */
export function warn(error: unknown): void {
  const { name = 'Error', message = String(error), stack = '' } = (error ?? {}) as Partial<Error>;
  // Not the error itself, which may be of another realm: that throws.
  process.emitWarning(message, { type: name, detail: stack });
}
