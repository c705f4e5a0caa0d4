/** Names a kind of state. Each source and sink has its own. */
export class MemoryKind<Value> {
  /** The type of the state. No kind has a value here. */
  declare readonly type: Value;
}

/** State that entries leave for their next run, after a restart or another configuration, and for one another. */
export class EntryMemory {
  readonly #kinds = new Map<MemoryKind<unknown>, Map<string, unknown>>();
  /** Notes that have been logged. */
  readonly notes: Set<string> = new Set();

  /** The states of a kind, by the name of an entry, an input or an output. */
  of<Value>(kind: MemoryKind<Value>): Map<string, Value> {
    const known = this.#kinds.get(kind) ?? new Map<string, unknown>();
    this.#kinds.set(kind, known);
    return known as Map<string, Value>;
  }

  /** The state of a key, which is made when there is none. Entries with the same key share it. */
  ensure<Value>(kind: MemoryKind<Value>, key: string, make: () => Value): Value {
    const states = this.of(kind);
    let state = states.get(key);
    if (state === undefined) {
      state = make();
      states.set(key, state);
    }
    return state;
  }
}
