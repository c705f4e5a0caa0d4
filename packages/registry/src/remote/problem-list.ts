const MOST_PROBLEMS = 100;

/** Problems with one remote. Only the first ones are kept, so that a broken remote cannot fill the memory with errors. */
export class ProblemList {
  readonly #first: unknown[] = [];
  #others = 0;

  /** @param make Makes the error, which takes long beside counting it. */
  add(make: () => unknown): void {
    if (this.#first.length < MOST_PROBLEMS) this.#first.push(make());
    else this.#others++;
  }

  all(): unknown[] {
    if (this.#others === 0) return [...this.#first];
    return [...this.#first, new Error(`${this.#others} more problems of this kind are not listed`)];
  }
}
