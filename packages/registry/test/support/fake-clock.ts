import type { Clock } from '../../src/clock.ts';

/** A clock that stands still until it is moved. */
export class FakeClock implements Clock {
  #nowMs: number;
  #monotonicMs = 5000;

  constructor(nowMs = 1_700_000_000_000) {
    this.#nowMs = nowMs;
  }

  readonly nowMs = (): number => this.#nowMs;
  readonly monotonicMs = (): number => this.#monotonicMs;

  advance(ms: number): void {
    this.#nowMs += ms;
    this.#monotonicMs += ms;
  }

  /** As an operator or NTP does it: the monotonic clock does not notice. */
  setWallClock(nowMs: number): void {
    this.#nowMs = nowMs;
  }
}
