import type { Clock } from '@hdrscope/registry';

/** A clock that stands still until it is moved. */
export class FakeClock implements Clock {
  #ms: number;

  constructor(nowMs = 1_700_000_000_000) {
    this.#ms = nowMs;
  }

  readonly nowMs = (): number => this.#ms;
  readonly monotonicMs = (): number => this.#ms;

  advance(ms: number): void {
    this.#ms += ms;
  }
}
