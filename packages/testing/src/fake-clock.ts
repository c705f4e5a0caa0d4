/** A clock that stands still until it is moved. Fits the `Clock` of `@hdrscope/registry`. */
export class FakeClock {
  #nowMs: number;
  #monotonicMs = 5000;

  constructor(nowMs = 1_700_000_000_000) {
    this.#nowMs = nowMs;
  }

  readonly nowMs = (): number => this.#nowMs;
  readonly monotonicMs = (): number => this.#monotonicMs;

  /** Moves both clocks. */
  advance(ms: number): void {
    this.#nowMs += ms;
    this.#monotonicMs += ms;
  }

  /** Sets the wall clock, as an operator or NTP does. The monotonic clock goes on. */
  setWallClock(nowMs: number): void {
    this.#nowMs = nowMs;
  }
}
