/**
 * The times of the points that a sender sends, in milliseconds since 1970. Receivers drop points with the time of those that they have, or
 * with an earlier one. So each time is later than all that the receiver has or may have, also when the clock was set back: then by a
 * millisecond, until the clock has caught up. A receiver that refuses times of the future ends that.
 */
export class DeliveryTimes {
  /** The latest reading of the clock. */
  clockMs: number = Number.NEGATIVE_INFINITY;
  /** The latest time of points that the receiver has taken. */
  #takenMs = Number.NEGATIVE_INFINITY;
  #latestMs = Number.NEGATIVE_INFINITY;
  /** Whether the receiver refuses times of the future, and has points of the future from before. */
  #isAhead = false;

  /** The latest time of points that the receiver has or may have. */
  get latestMs(): number {
    return this.#latestMs;
  }

  /** The time of new points. */
  next(clockMs: number): number {
    this.clockMs = clockMs;
    if (this.#isAhead && clockMs <= this.#latestMs) {
      this.#takenMs = clockMs - 1;
      this.#latestMs = this.#takenMs;
    }
    return Math.max(clockMs, this.#latestMs + 1);
  }

  /** The receiver has points of a time. */
  noteTaken(timeMs: number): void {
    this.#takenMs = Math.max(this.#takenMs, timeMs);
    this.noteDoubt(timeMs);
  }

  /** The receiver may have points of a time. */
  noteDoubt(timeMs: number): void {
    this.#latestMs = Math.max(this.#latestMs, timeMs);
    this.#isAhead = false;
  }

  /**
   * The receiver has refused points as too far in the future. Whoever refuses a time now has refused it before, when it lay further ahead:
   * so it has no later points. When the time is that of points that it took before, or follows it, then these are of the future, too.
   *
   * @param timeMs Of the points.
   */
  noteAhead(timeMs: number): void {
    this.#isAhead = this.#takenMs >= this.clockMs && timeMs <= this.#takenMs + 1;
    this.#latestMs = Math.min(this.#latestMs, Math.max(this.#takenMs, this.clockMs - 1));
  }
}
