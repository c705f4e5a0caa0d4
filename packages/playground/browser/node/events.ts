/** The part of `node:events` that the parser of command lines uses. */
type Listener = (...values: unknown[]) => void;

export class EventEmitter {
  readonly #listeners = new Map<string, Listener[]>();

  on(name: string, listener: Listener): this {
    this.#listeners.set(name, [...(this.#listeners.get(name) ?? []), listener]);
    return this;
  }

  emit(name: string, ...values: unknown[]): boolean {
    const listeners = this.#listeners.get(name) ?? [];
    for (const listener of listeners) listener(...values);
    return listeners.length > 0;
  }

  listenerCount(name: string): number {
    return this.#listeners.get(name)?.length ?? 0;
  }
}
