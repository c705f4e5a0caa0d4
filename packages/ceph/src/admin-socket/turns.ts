/** Lets a number of holders go on at the same time. The others wait, first come, first served. */
export class Turns {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(most: number) {
    this.#free = most;
  }

  /**
   * Calls back when it is the turn of a holder, perhaps at once.
   *
   * @returns A function that gives the turn back, or the place in the queue. It may be called more than once.
   */
  take(onTurn: () => void): () => void {
    let hasTurn = false;
    const begin = (): void => {
      hasTurn = true;
      this.#free--;
      onTurn();
    };
    if (this.#free > 0) begin();
    else this.#waiting.add(begin);
    return () => {
      this.#waiting.delete(begin);
      if (!hasTurn) return;
      hasTurn = false;
      this.#free++;
      const [next] = this.#waiting;
      if (next === undefined) return;
      this.#waiting.delete(next);
      next();
    };
  }
}
